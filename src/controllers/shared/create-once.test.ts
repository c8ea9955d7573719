import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CreatingWorld, DEADLINE_MS, type Fate, START_MS } from "../../../test/support/controllers/creating-world.ts";
import type { Intent } from "../../resources/status.ts";
import { TerminalError, WaitingError } from "../../runtime/outcome.ts";
import { createdSince, inDoubtForMs, INTENT_MARGIN_MS } from "./create-once.ts";

const fates: readonly Fate[] = ["answered", "lost", "late", "dropped", "refused", "unsent", "unnoted"];

/** What happens, one after the other. */
type Step =
  | { readonly kind: "run"; readonly fate: Fate }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "rename"; readonly name: string };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("run" as const), fate: fc.constantFrom(...fates) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("pass" as const),
      ms: fc.constantFrom(1, 5000, DEADLINE_MS - 1, DEADLINE_MS, DEADLINE_MS + INTENT_MARGIN_MS, 600_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rename" as const), name: fc.constantFrom("a", "b", "c") }) },
);

async function happen(world: CreatingWorld, steps: readonly Step[], adopt = false): Promise<void> {
  for (const one of steps) {
    if (one.kind === "pass") world.pass(one.ms);
    else if (one.kind === "rename") world.name = one.name;
    else if (world.has === undefined) await world.run(one.fate, adopt);
  }
}

/** Lets the operator go on undisturbed until it has its thing, or can say why not. */
async function comeToRest(world: CreatingWorld, adopt = false): Promise<unknown> {
  let last: unknown;
  for (let i = 0; i < 60 && world.has === undefined; i += 1) {
    last = await world.run("answered", adopt);
    world.pass(15_000);
  }
  world.pass(600_000); // whatever was still on its way arrives
  return last;
}

describe.each([
  { uniqueNames: true, what: "names that the server keeps unique" },
  { uniqueNames: false, what: "names that it does not" },
])("with $what, whatever is lost and whenever the process dies", ({ uniqueNames }) => {
  it("one thing is made in the end, and it is the one that the object has", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const world = new CreatingWorld(uniqueNames);
        await happen(world, steps);
        await comeToRest(world);
        expect(world.things).toEqual([world.has]);
      }),
      { numRuns: 2000 },
    );
  });

  it("never is there a second one on the way", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const world = new CreatingWorld(uniqueNames);
        for (const one of steps) {
          await happen(world, [one]);
          expect(world.things.length).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("nothing is taken over that was there before the object asked, and nothing is made beside it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const world = new CreatingWorld(uniqueNames);
        for (const name of ["a", "b", "c"]) world.foreign(name);
        world.pass(INTENT_MARGIN_MS + 1);
        await happen(world, steps);
        const last = await comeToRest(world);
        expect(world.has).toBeUndefined();
        expect(world.things.filter(({ mine }) => mine)).toEqual([]);
        expect(last).toBeInstanceOf(TerminalError);
      }),
      { numRuns: 500 },
    );
  });

  it("with an adoption policy what is there is taken over, and nothing is made beside it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const world = new CreatingWorld(uniqueNames);
        for (const name of ["a", "b", "c"]) world.foreign(name);
        world.pass(INTENT_MARGIN_MS + 1);
        await happen(world, steps, true);
        await comeToRest(world, true);
        expect(world.has).toMatchObject({ mine: false });
        expect(world.things).toHaveLength(3);
      }),
      { numRuns: 300 },
    );
  });
});

describe("createOnce", () => {
  it("sends nothing in the run that finds out that a request may still arrive", async () => {
    const world = new CreatingWorld(false);
    await world.run("late");
    world.pass(DEADLINE_MS - 1);
    const waited = await world.run("answered");
    expect(waited).toBeInstanceOf(WaitingError);
    expect(waited).toMatchObject({ reason: "ConfirmingAbsence", retryAfterMs: 15_000 });
    expect(world.things).toEqual([]);
  });

  it("sends again at once where the server keeps names unique", async () => {
    const world = new CreatingWorld(true);
    await world.run("dropped");
    expect(await world.run("answered")).toBe("created");
  });

  it("forgets an intent whose request was refused, and keeps one whose answer was lost", async () => {
    const world = new CreatingWorld(false);
    await world.run("refused");
    expect(world.intent).toBeUndefined();
    await world.run("dropped");
    expect(world.intent).toBeDefined();
  });

  it("counts the intent of another object (a restored backup) as none", async () => {
    const world = new CreatingWorld(false);
    await world.run("dropped");
    world.intent = world.intent === undefined ? undefined : { ...world.intent, uid: "of-the-backup" };
    expect(await world.run("answered")).toBe("created");
  });

  it("finds what was asked for under the name that the spec had then", async () => {
    const world = new CreatingWorld(false);
    await world.run("lost");
    world.name = "b";
    expect(await world.run("answered")).toBe("recovered");
    expect(world.has).toMatchObject({ name: "a", mine: true });
  });

  it("does not choose between several things of a name", async () => {
    const world = new CreatingWorld(false);
    world.foreign("a");
    world.foreign("a");
    expect(await world.run("answered", true)).toBeInstanceOf(TerminalError);
  });

  it("looks again at a conflict, which no watch sees end", async () => {
    const world = new CreatingWorld(true);
    world.foreign("a");
    expect(await world.run("answered")).toMatchObject({ reason: "Conflict", recheckAfterMs: 600_000 });
  });
});

const intent: Intent = { name: "a", fingerprint: "f", time: "2026-01-01T00:01:00.000Z", uid: "uid" };

describe("createdSince", () => {
  it.each([
    { createdMs: START_MS + 60_000, taken: true, why: "at the very time" },
    { createdMs: START_MS, taken: true, why: "a minute before, since clocks differ" },
    { createdMs: START_MS - 1, taken: false, why: "more than a minute before" },
    { createdMs: START_MS + 179_999, taken: true, why: "as late as what was sent then can arrive" },
    { createdMs: START_MS + 180_000, taken: false, why: "later than that, by somebody else" },
    { createdMs: undefined, taken: false, why: "the platform does not say when" },
  ])("takes what was made $why: $taken", ({ createdMs, taken }) => {
    expect(createdSince(intent, [{ createdMs, others: false }], DEADLINE_MS) !== undefined).toBe(taken);
  });
});

it("never takes for an intent's what another object is recorded to have", () => {
  const createdMs = START_MS + 60_000;
  const found = [
    { createdMs, others: true, ref: "theirs" },
    { createdMs, others: false, ref: "ours" },
  ];
  expect(createdSince(intent, found, DEADLINE_MS)).toMatchObject({ ref: "ours" });
  expect(createdSince(intent, found.slice(0, 1), DEADLINE_MS)).toBeUndefined();
});

it.each([
  { aheadMs: INTENT_MARGIN_MS, why: "as far ahead as clocks differ", forMs: DEADLINE_MS + 2 * INTENT_MARGIN_MS },
  { aheadMs: INTENT_MARGIN_MS + 1, why: "further than that, which says nothing", forMs: 0 },
])("is in doubt for $forMs ms where its time is $why", ({ aheadMs, forMs }) => {
  expect(inDoubtForMs(intent, DEADLINE_MS, Date.parse(intent.time) - aheadMs)).toBe(forMs);
});

it("is in doubt until the request's deadline and the margin have passed", () => {
  expect(inDoubtForMs(intent, DEADLINE_MS, START_MS + 60_000)).toBe(DEADLINE_MS + INTENT_MARGIN_MS);
  expect(inDoubtForMs(intent, DEADLINE_MS, START_MS + 60_000 + DEADLINE_MS + INTENT_MARGIN_MS)).toBe(0);
});
