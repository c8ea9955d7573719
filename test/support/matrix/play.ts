import { setTimeout as wait } from "node:timers/promises";
import { Actor } from "./actor.ts";
import { type Case, goesOn } from "./disturbances.ts";
import { type End, endLife } from "./ends.ts";
import { type Declared, Family, founderKinds, kinds, type Stage, stages } from "./family.ts";
import { type Deed, isEvent } from "./gate.ts";
import type { Recording } from "./points.ts";
import { look } from "./seen.ts";
import { type Faults, faultsOf, type Picture, requestFaults } from "./verdict.ts";
import type { ResourceType } from "../../../src/resources/meta.ts";
import type { Edition, Form } from "./specs.ts";
import type { World } from "./world.ts";

/** What a family is, and what happens to it: in each stage nothing, or something at one point. */
export interface Plan {
  readonly form: Form;
  readonly at: Readonly<Partial<Record<Stage, Case>>>;
}

/** How it went with one family. */
export interface Ending {
  readonly plan: Plan;
  readonly recording: Recording;
  /** stages whose point never came */
  readonly unreached: readonly Stage[];
  /** for how many of its objects a key waited when an operator was asked to end */
  readonly waiting: number;
  readonly faults: Faults;
}

/** How long a stage of a whole batch may take, milliseconds of the machine, which may be busy with other things. */
const STAGE_MS = 120_000;
const LOOK_MS = 100;
/**
 * How long nothing may have happened at either server for all to be looked at, and how long that is waited for at most, milliseconds of the machine: a look
 * reads all that there is on both sides, in the process that stands in for the platform, and while requests are made not everything is as it should be.
 */
const LULL_MS = 50;
const LONGEST_BETWEEN_LOOKS_MS = 1000;
/** For how long nothing may happen before a new stage begins, so that what is counted in it belongs to it. */
const REST_MS = 100;
/** For how long nothing may happen before it is said that a point does not come any more. */
const SILENCE_MS = 500;
/** The same for events: they are sent one after the other, and one whose answer was lost is sent again after up to a second. */
const EVENT_SILENCE_MS = 1500;

function editionsOf(edition: Edition, types: readonly ResourceType[]): ReadonlyMap<string, Edition> {
  return new Map(types.map(({ kind }) => [kind, edition]));
}

/** What is declared at the end of a stage. */
function declaredAfter(stage: Stage): Declared {
  switch (stage) {
    case "found":
      return { editions: editionsOf("first", founderKinds), joined: false };
    case "fill":
      return { editions: editionsOf("first", kinds), joined: false };
    case "update":
      return { editions: editionsOf("second", kinds), joined: true };
    case "empty":
      return { editions: editionsOf("second", founderKinds), joined: true };
    case "remove":
      return { editions: new Map(), joined: true };
    default:
      return stage satisfies never;
  }
}

let batches = 0;

/**
 * Plays many families side by side through all stages. Where any of their plans says so, the operator ends once a stage, when each family is
 * where its plan says, and is started again.
 */
export async function play(world: World, plans: readonly Plan[], end: End = "killed"): Promise<readonly Ending[]> {
  batches += 1;
  const { last } = await world.emulator.control.log.read({ after: Number.MAX_SAFE_INTEGER });
  const actors = plans.map(({ form }, index) => new Actor(world, new Family(world, `batch-${batches}-${index}`, form)));
  const batch = new Batch(world, actors, end);
  for (const { family } of actors) await family.prepare();
  await world.live({ leaderElect: end === "lease lost" });
  for (const stage of stages) await batch.playStage(stage, plans);
  await world.kill();
  const { entries } = await world.emulator.control.log.read({ after: last });
  return actors.map(({ family, recording, unreached, waiting, faults }, index) => ({
    plan: plans[index] ?? { form: family.form, at: {} },
    recording,
    unreached,
    waiting,
    faults: [...faults, ...requestFaults(family, entries)],
  }));
}

/** The families of one play. */
class Batch {
  readonly #world: World;
  readonly #actors: readonly Actor[];
  readonly #end: End;

  constructor(world: World, actors: readonly Actor[], end: End) {
    this.#world = world;
    this.#actors = actors;
    this.#end = end;
  }

  async playStage(stage: Stage, plans: readonly Plan[]): Promise<void> {
    const there = this.#actors.filter(({ over }) => !over);
    if (there.length === 0) return;
    if (stage === "update") await this.#join(there);
    const cases = there.map((actor) => plans[this.#actors.indexOf(actor)]?.at[stage]);
    for (const [index, actor] of there.entries()) this.#begin(actor, stage, cases[index]);
    await Promise.all(there.map(({ acted }) => acted));
    const disturbed = there.filter((_, index) => cases[index] !== undefined);
    const kills = cases.some((one) => one?.disturbance.kills);
    if (disturbed.length > 0) await this.#disturb(disturbed, stage, kills);
    await this.#settle(there, stage);
    await this.#atRest();
    for (const actor of there) actor.recording[stage] = this.#gate(actor).asked;
    await this.#cleanUp(there.filter(({ rest, faults }) => !goesOn(rest) || faults.length > 0));
  }

  #gate({ family }: Actor) {
    return this.#world.traffic.gate(family.namespace);
  }

  #begin(actor: Actor, stage: Stage, one: Case | undefined): void {
    actor.begin(stage, one);
    const { happening } = actor;
    const trap =
      one === undefined || happening === undefined
        ? undefined
        : { label: one.point.label, nth: one.point.nth, deed: inTurn(actor, happening.deed) };
    this.#gate(actor).begin(trap);
    actor.acted = actor.family.act(stage);
  }

  /** Waits for the points, and ends the operator there where that is to happen. */
  async #disturb(actors: readonly Actor[], stage: Stage, kills: boolean): Promise<void> {
    await this.#reached(actors, stage);
    if (!kills) return;
    await endLife(this.#world, this.#actors, this.#end);
    for (const { happening } of actors) await happening?.whileDead?.();
    await this.#world.live({ leaderElect: this.#end === "lease lost" });
  }

  /** A family that has converged without its point will not come to it any more. */
  async #reached(actors: readonly Actor[], stage: Stage): Promise<void> {
    const end = performance.now() + STAGE_MS;
    while (performance.now() < end) {
      const left = actors.filter((actor) => !this.#gate(actor).hasSprung);
      if (left.length === 0) return;
      const awaitsEvent = left.some((actor) => isEvent(this.#gate(actor).trapped ?? ""));
      const silent = this.#world.traffic.quietMs > (awaitsEvent ? EVENT_SILENCE_MS : SILENCE_MS);
      if (silent && (await this.#areAtRest(left, stage))) break;
      await wait(LOOK_MS);
    }
    for (const actor of actors) {
      if (!this.#gate(actor).hasSprung) actor.passOver();
    }
  }

  async #areAtRest(actors: readonly Actor[], stage: Stage): Promise<boolean> {
    const seen = await this.#picture();
    return actors.every(({ family }) => faultsOf(family, declaredAfter(stage), seen).length === 0);
  }

  /** Waits until nothing is wrong with any of them, also after a look at everything where something came late. */
  async #settle(actors: readonly Actor[], stage: Stage): Promise<void> {
    const declared = declaredAfter(stage);
    await this.#converged(actors, declared, stage);
    await this.#configured(actors, declared, stage);
    const late = actors.filter(({ happening, faults }) => isLate(happening?.deed) && faults.length === 0);
    if (late.length === 0) return;
    await this.#atRest();
    await Promise.all(late.map((actor) => actor.askForLook(declared)));
    const when = `${stage}, after all has arrived`;
    await this.#converged(late, declared, when);
    await this.#configured(late, declared, when);
  }

  /** Waits until what Projects configure is in force too: the garbage collector takes the Secret of an object that is no more in its own time. */
  async #configured(actors: readonly Actor[], declared: Declared, when: string): Promise<void> {
    const end = performance.now() + STAGE_MS;
    for (let left = actors.filter(({ faults }) => faults.length === 0); left.length > 0; await this.#lull()) {
      const seen = await this.#picture();
      const looked = await Promise.all(
        left.map(async (actor) => ({ actor, faults: await actor.lookAtConfiguration(declared, seen) })),
      );
      const wrong = looked.filter(({ faults }) => faults.length > 0);
      if (performance.now() > end) {
        for (const { actor, faults } of wrong) actor.faults.push(...faults.map((fault) => `after ${when}: ${fault}`));
        return;
      }
      left = wrong.map(({ actor }) => actor);
    }
  }

  async #converged(actors: readonly Actor[], declared: Declared, when: string): Promise<void> {
    const end = performance.now() + STAGE_MS;
    for (let left = actors; left.length > 0;) {
      const seen = await this.#picture();
      const looked = await Promise.all(
        left.map(async (actor) => ({ actor, faults: await actor.look(declared, seen) })),
      );
      const wrong = looked.filter(({ faults }) => faults.length > 0);
      if (performance.now() > end) {
        for (const { actor, faults } of wrong) actor.faults.push(...faults.map((fault) => `after ${when}: ${fault}`));
        return;
      }
      left = wrong.map(({ actor }) => actor);
      if (left.length > 0) await this.#lull();
    }
  }

  /** Deletes all objects of families whose story ends before the others' does: nothing of theirs may stay. */
  async #cleanUp(actors: readonly Actor[]): Promise<void> {
    for (const actor of actors) {
      actor.over = true;
      if (actor.faults.length === 0) await actor.family.deleteAll();
    }
    const clean = actors.filter(({ faults }) => faults.length === 0);
    const end = performance.now() + STAGE_MS;
    for (;;) {
      const seen = await this.#picture();
      const wrong = clean
        .map((actor) => ({ actor, faults: actor.leftovers(seen) }))
        .filter(({ faults }) => faults.length > 0);
      if (wrong.length === 0) return;
      if (performance.now() > end) {
        for (const { actor, faults } of wrong) actor.faults.push(...faults.map((fault) => `at the end: ${fault}`));
        return;
      }
      await this.#lull();
    }
  }

  async #join(actors: readonly Actor[]): Promise<void> {
    const objects = await look(this.#world);
    for (const { family } of actors) {
      const project = objects.find(
        ({ kind, metadata }) => kind === "Project" && metadata.namespace === family.namespace,
      );
      await family.join(project?.status.ref ?? "");
    }
  }

  async #atRest(): Promise<void> {
    const { traffic } = this.#world;
    while (traffic.quietMs < REST_MS || traffic.hasLate) await wait(REST_MS / 4);
  }

  /** Resolves when it is worth looking again. */
  async #lull(): Promise<void> {
    const end = performance.now() + LONGEST_BETWEEN_LOOKS_MS;
    do await wait(LOOK_MS);
    while (this.#world.traffic.quietMs < LULL_MS && performance.now() < end);
  }

  async #picture(): Promise<Picture> {
    const [objects, state] = await Promise.all([look(this.#world), this.#world.emulator.control.state.read({})]);
    return { objects, state };
  }
}

/** People meddle after they have done what they were about. */
function inTurn(actor: Actor, deed: Deed): Deed {
  if (deed.kind !== "meddle") return deed;
  return {
    ...deed,
    act: async () => {
      await actor.acted;
      await deed.act();
    },
  };
}

function isLate(deed: Deed | undefined): boolean {
  return (deed?.kind === "hold" && deed.late === true) || (deed?.kind === "lose" && deed.when === "late");
}
