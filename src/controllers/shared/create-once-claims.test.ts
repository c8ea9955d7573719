import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Intent } from "../../resources/status.ts";
import { type Asker, requireName } from "./claims.ts";
import { createOnce, inDoubtForMs } from "./create-once.ts";

/** Several objects that create by name at the same time: each has what its own request made, and nobody else's (engine.md §4). */

const START_MS = Date.UTC(2026, 0, 1);
const DEADLINE_MS = 60_000;

interface Thing {
  name: string;
  readonly createdMs: number;
  /** uid of the object whose request made it */
  readonly madeBy: string;
}

/** What becomes of one create request; `late`: the answer is lost, and the effect comes as late as it can. */
type Fate = "answered" | "lost" | "late" | "dropped" | "refused";
class Lost extends Error {}
class Refused extends Error {}
class NameTaken extends Error {}

class Declared {
  readonly uid: string;
  name: string;
  intent: Intent | undefined;
  has: Thing | undefined;

  constructor(uid: string, name: string) {
    this.uid = uid;
    this.name = name;
  }

  get claimant(): Asker {
    const { uid, intent, has } = this;
    const metadata = { name: uid, namespace: "ns", uid, resourceVersion: "1", creationTimestamp: uid };
    return { kind: "Project", metadata, status: { intent, recordedFor: has === undefined ? undefined : uid } };
  }
}

interface Underway {
  readonly name: string;
  readonly madeBy: string;
  readonly arrivesAtMs: number;
}

/** What happens while an object looks, or while its intent is on its way to be stored. */
interface Meanwhile {
  readonly looking?: () => Promise<void>;
  readonly recording?: () => Promise<void>;
}

class World {
  nowMs = START_MS;
  things: Thing[] = [];
  readonly objects: readonly Declared[] = [new Declared("older", "a"), new Declared("younger", "b")];
  readonly #underway: Underway[] = [];
  readonly #uniqueNames: boolean;

  constructor(uniqueNames: boolean) {
    this.#uniqueNames = uniqueNames;
  }

  /** What arrives meanwhile is made when it arrives. */
  pass(ms: number): void {
    this.nowMs += ms;
    for (;;) {
      const request = this.#underway.find(({ arrivesAtMs }) => arrivesAtMs <= this.nowMs);
      if (request === undefined) return;
      this.#underway.splice(this.#underway.indexOf(request), 1);
      this.#make(request.name, request.madeBy, request.arrivesAtMs);
    }
  }

  #make(name: string, madeBy: string, createdMs = this.nowMs): Thing | undefined {
    if (this.#uniqueNames && this.things.some((thing) => thing.name === name)) return undefined;
    // Where names are unique a second request is sent at once. That the first one arrives after what came of the second was renamed is left out.
    const refused = (one: Underway): boolean => this.#uniqueNames && one.name === name && one.madeBy === madeBy;
    this.#underway.splice(0, Infinity, ...this.#underway.filter((one) => !refused(one)));
    const thing: Thing = { name, createdMs, madeBy };
    this.things.push(thing);
    return thing;
  }

  #requireName(object: Declared): void {
    const claimants = (of: (other: Declared) => boolean): readonly Asker[] =>
      this.objects.filter(of).map(({ claimant }) => claimant);
    const declaring = claimants((other) => other.name === object.name || other.has?.name === object.name);
    const isInDoubt = (intent: Intent): boolean => inDoubtForMs(intent, DEADLINE_MS, this.nowMs) > 0;
    const asking = claimants(() => true);
    requireName(object.claimant, { declaring, asking }, { name: object.name, thing: object.name, isInDoubt });
  }

  /** One run of an object; whatever it throws ends the run alone. */
  async run(object: Declared, fate: Fate, { looking, recording }: Meanwhile = {}): Promise<void> {
    if (object.has !== undefined) return this.#follow(object);
    const { uid, name } = object;
    const look = async (
      wanted: string,
    ): Promise<readonly (Thing & { readonly others: boolean; readonly thing: Thing })[]> => {
      const found = this.things.filter((thing) => thing.name === wanted);
      const others = (thing: Thing): boolean => this.objects.some((other) => other !== object && other.has === thing);
      await looking?.();
      return found.map((thing) => ({ ...thing, thing, others: others(thing) }));
    };
    try {
      const result = await createOnce<Thing & { readonly others: boolean; readonly thing: Thing }, Thing>({
        uid,
        name,
        fingerprint: "f",
        intent: object.intent,
        uniqueNames: this.#uniqueNames,
        requestDeadlineMs: DEADLINE_MS,
        adopt: false,
        serverNow: () => this.nowMs,
        requireName: () => this.#requireName(object),
        lookup: () => look(name),
        lookupFormer: look,
        recordIntent: async (intent) => {
          await recording?.();
          if (object.name !== name) throw new Error("the object was changed meanwhile");
          object.intent = intent;
        },
        restoreIntent: (intent) => void (object.intent = intent),
        create: async (beforeSending) => {
          await beforeSending();
          return this.#send(object, name, fate);
        },
        provesNoEffect: (error) => error instanceof Refused || error instanceof NameTaken,
        saysNameTaken: (error) => error instanceof NameTaken,
        conflictMessage: () => "taken",
      });
      object.has = result.kind === "created" ? result.value : result.found.thing;
      object.intent = undefined;
    } catch {
      // it runs again
    }
  }

  /** Renames what it has, as somebody declares it, where the platform lets it. */
  #follow({ name, has }: Declared): void {
    if (has === undefined || (this.#uniqueNames && this.things.some((thing) => thing.name === name))) return;
    has.name = name;
  }

  #send({ uid }: Declared, name: string, fate: Fate): Promise<Thing> {
    if (fate === "late") this.#underway.push({ name, madeBy: uid, arrivesAtMs: this.nowMs + DEADLINE_MS });
    if (fate === "late" || fate === "dropped") return Promise.reject(new Lost());
    if (fate === "refused") return Promise.reject(new Refused());
    const thing = this.#make(name, uid);
    if (thing === undefined) return Promise.reject(new NameTaken());
    return fate === "answered" ? Promise.resolve(thing) : Promise.reject(new Lost());
  }
}

type Step =
  | { readonly kind: "run"; readonly who: 0 | 1; readonly fate: Fate }
  /** one runs, and meanwhile the other one is given its name, and runs */
  | { readonly kind: "both"; readonly who: 0 | 1; readonly fate: Fate; readonly when: keyof Meanwhile }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "rename"; readonly who: 0 | 1; readonly name: string };

const who = fc.constantFrom(0 as const, 1 as const);
const fate = fc.constantFrom<Fate>("answered", "lost", "late", "dropped", "refused");
const when = fc.constantFrom<keyof Meanwhile>("looking", "recording");
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("run" as const), who, fate }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("both" as const), who, fate, when }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.constantFrom(1, 15_000, 59_999, 120_000) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("rename" as const), who, name: fc.constantFrom("a", "b", "c") }),
  },
);

async function happen(world: World, one: Step): Promise<void> {
  const [older, younger] = world.objects;
  if (older === undefined || younger === undefined) return;
  if (one.kind === "pass") return world.pass(one.ms);
  const [object, other] = one.who === 0 ? [older, younger] : [younger, older];
  if (one.kind === "both") {
    const meanwhile = (): Promise<void> => {
      other.name = object.name;
      return world.run(other, one.fate);
    };
    return world.run(object, one.fate, { [one.when]: meanwhile });
  }
  if (one.kind === "rename") object.name = one.name;
  else await world.run(object, one.fate);
}

async function comeToRest(world: World): Promise<void> {
  for (const [n, object] of world.objects.entries()) object.name = `last-${n}`;
  for (let round = 0; round < 30; round += 1) {
    for (const object of world.objects) await world.run(object, "answered");
    world.pass(15_000);
  }
}

describe.each([{ uniqueNames: true }, { uniqueNames: false }])("with uniqueNames $uniqueNames", ({ uniqueNames }) => {
  it("an object has what its own request made, whatever is lost and renamed, and nothing is left over", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const world = new World(uniqueNames);
        const check = (): void => {
          expect(world.objects.filter(({ uid, has }) => (has?.madeBy ?? uid) !== uid)).toEqual([]);
        };
        for (const one of steps) {
          await happen(world, one);
          check();
        }
        await comeToRest(world);
        check();
        expect(world.objects.map(({ has }) => has?.name)).toEqual(["last-0", "last-1"]);
        expect(world.things).toHaveLength(2);
      }),
      { numRuns: 3000 },
    );
  });

  it("never are there two things of one name", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const world = new World(uniqueNames);
        for (const one of steps) await happen(world, one);
        // What has a name is renamed by who has it, which asks for none: the platform alone may refuse that.
        const made = world.things.filter((thing) => !world.objects.some(({ has }) => has === thing));
        expect(new Set(made.map(({ name }) => name)).size).toBe(made.length);
      }),
      { numRuns: 1000 },
    );
  });
});
