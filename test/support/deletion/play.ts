import type { KubeObject } from "../../../src/resources/meta.ts";
import { RELEASES_NAME } from "../../../src/controllers/shared/releases.ts";
import { openTheatre, type Theatre } from "../controllers/life.ts";
import { AT_ONCE } from "../controllers/shop.ts";
import { WholeOperator } from "../controllers/whole-operator.ts";
import { type Family, names, plurals, rotateToken, settle } from "./families.ts";
import { type Held, held, type Leave, type Member, members } from "./model.ts";

/** How long after a deletion the next one follows, milliseconds: longer than a Secret is held for who replaces it. */
const STEP_MS = 60_000;
/** How often the operator is told what the apiserver has, milliseconds; its own writes it sees at once. */
const LOOK_MS = 1000;

/** How it went with one family, or should. */
export interface Ending {
  readonly leave: Leave;
  /** members whose objects are there yet */
  readonly objects: readonly Member[];
  /** what is there remotely */
  readonly remote: readonly Held[];
  /** what was told to be left, and why */
  readonly told: Readonly<Partial<Record<Held, string>>>;
  /** what the objects that are there yet say that keeps them */
  readonly reasons: readonly string[];
  /** milliseconds from the last deletion to the end; undefined: it has not ended */
  readonly tookMs: number | undefined;
}

/** Who sees the deletions: one process all of them, another one each, or one that starts when all objects are deleted. */
export type Lives = "one" | "one each" | "one after all";

/** Families on their way out: the operator in this process, its time driven. */
export class Leaving implements AsyncDisposable {
  readonly theatre: Theatre;
  readonly families: readonly Family[];
  readonly #lives: Lives;
  readonly #ends = new Map<string, number>();
  /** when the last object of each family was deleted */
  readonly #deleted = new Map<string, number>();
  #operator: WholeOperator;
  #seen = "";

  private constructor(parts: {
    readonly theatre: Theatre;
    readonly families: readonly Family[];
    readonly operator: WholeOperator;
    readonly lives: Lives;
  }) {
    this.theatre = parts.theatre;
    this.families = parts.families;
    this.#operator = parts.operator;
    this.#lives = parts.lives;
  }

  /** The families at rest, and the operator that looks after them. */
  static async open(leaves: readonly Leave[], lives: Lives = "one"): Promise<Leaving> {
    await using stack = new AsyncDisposableStack();
    const theatre = stack.use(
      await openTheatre({ ...AT_ONCE, limits: { requestsPerMinute: 0 } }, { ownConnections: true }),
    );
    const families = await settle(theatre, leaves);
    const operator = await WholeOperator.start(theatre);
    stack.move();
    const leaving = new Leaving({ theatre, families, operator, lives });
    await leaving.pass(STEP_MS);
    return leaving;
  }

  /** Rotates the tokens of the families whose plan says so, which the operator sees. */
  async rotate(): Promise<void> {
    for (const family of this.families) if (family.leave.rotated) await rotateToken(this.theatre, family);
    await this.pass(LOOK_MS);
  }

  /** Deletes everything as each family's plan says. */
  async deleteAll(): Promise<void> {
    if (this.#lives === "one after all") await this.#operator[Symbol.asyncDispose]();
    for (const step of members.keys()) {
      for (const family of this.families) this.#deleteStep(family, step);
      if (this.#lives === "one after all") await this.theatre.pass(STEP_MS);
      else await this.pass(STEP_MS);
      if (this.#lives === "one each") await this.#restart();
    }
    if (this.#lives === "one after all") this.#operator = await WholeOperator.start(this.theatre);
  }

  #deleteStep({ namespace, leave }: Family, step: number): void {
    const { kubernetes, clock } = this.theatre;
    if (step === 0 && leave.terminating) kubernetes.delete("namespaces", "", namespace, clock.now());
    const due = leave.pace === "one by one" ? leave.order.slice(step, step + 1) : step === 0 ? leave.order : [];
    for (const member of due) kubernetes.delete(plurals[member], namespace, names[member], clock.now());
    if (due.length > 0) this.#deleted.set(namespace, clock.monotonic());
  }

  async #restart(): Promise<void> {
    await this.#operator[Symbol.asyncDispose]();
    this.#operator = await WholeOperator.start(this.theatre);
    this.#seen = "";
  }

  /** Lets time pass, and the operator see what became of the objects. */
  async pass(ms: number): Promise<void> {
    const { clock, kubernetes } = this.theatre;
    const endMs = clock.monotonic() + ms;
    while (clock.monotonic() < endMs) {
      if (kubernetes.version !== this.#seen) this.#operator.look();
      this.#seen = kubernetes.version;
      await this.#operator.advance(Math.min(LOOK_MS, endMs - clock.monotonic()));
      this.#noteEnds();
    }
  }

  /** Lets time pass until nothing is left of any family, at most `mostMs`. */
  async passUntilGone(mostMs: number): Promise<void> {
    const { clock } = this.theatre;
    const endMs = clock.monotonic() + mostMs;
    while (this.#ends.size < this.families.length && clock.monotonic() < endMs) await this.pass(LOOK_MS);
  }

  #noteEnds(): void {
    if (this.theatre.kubernetes.version === this.#seen) return;
    for (const { namespace } of this.families) {
      if (!this.#ends.has(namespace) && this.#objectsOf(namespace).length === 0) {
        this.#ends.set(namespace, this.theatre.clock.monotonic());
      }
    }
  }

  #objectsOf(namespace: string): readonly { readonly member: Member; readonly object: KubeObject }[] {
    const { kubernetes } = this.theatre;
    return members.flatMap((member) => {
      const object = kubernetes.get(plurals[member], namespace, names[member]);
      return object === undefined ? [] : [{ member, object }];
    });
  }

  /** How it stands with each family. */
  async endings(): Promise<readonly Ending[]> {
    const { projects, branches } = await this.theatre.emulator.control.state.read();
    const releases = this.theatre.kubernetes.get("configmaps", "baas-system", RELEASES_NAME)?.["data"] ?? {};
    const lines = Object.values(releases).map((line) => JSON.parse(String(line)) as Told);
    const told = lines.filter(({ cause }) => cause !== "Retained");
    return this.families.map(({ namespace, leave, ref }) => {
      const project = projects.find((candidate) => candidate.ref === ref);
      const branch = branches.find(({ parentRef, isDefault }) => parentRef === ref && !isDefault);
      const place = projects.find(
        (candidate) => candidate.ref === (leave.functionIn === "branch" ? branch?.projectRef : ref),
      );
      const there: Readonly<Record<Held, boolean>> = {
        project: project !== undefined,
        branch: branch !== undefined,
        function: (place?.functions.length ?? 0) > 0,
        secret: project?.secrets.some(({ platform }) => !platform) === true,
      };
      const objects = this.#objectsOf(namespace);
      const endMs = this.#ends.get(namespace);
      return {
        leave,
        objects: objects.map(({ member }) => member),
        remote: held.filter((kind) => there[kind]),
        told: Object.fromEntries(
          held.flatMap((kind) => {
            const line = told.find(({ object }) => object === `${namespace}/${names[kind]}`);
            return line === undefined ? [] : [[kind, line.cause]];
          }),
        ),
        reasons: objects.flatMap(({ object }) => reasonsOf(object)),
        tookMs: endMs === undefined ? undefined : endMs - (this.#deleted.get(namespace) ?? 0),
      };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#operator[Symbol.asyncDispose]();
    await this.theatre[Symbol.asyncDispose]();
  }
}

interface Told {
  readonly object: string;
  readonly cause: string;
}

function reasonsOf({ status }: KubeObject): readonly string[] {
  const { conditions = [] } = (status ?? {}) as {
    conditions?: readonly { type: string; status: string; reason: string }[];
  };
  return conditions
    .filter(({ type, status: value }) => type === "Stalled" && value === "True")
    .map(({ reason }) => reason);
}
