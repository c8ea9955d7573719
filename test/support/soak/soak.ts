import { setTimeout as wait } from "node:timers/promises";
import type { ControlPlane } from "../control-plane/control-plane.ts";
import { keptInAll } from "../garbage.ts";
import { Chance } from "./chance.ts";
import { choices, furnish } from "./choices.ts";
import type { Action } from "./choosing.ts";
import { Garden } from "./garden.ts";
import { plantAnew, wither } from "./garden-actions.ts";
import { beginRest, costFaults, type Rest } from "./rest.ts";
import { renewLost } from "./lost-consent.ts";
import { mendAilments } from "./platform-ailments.ts";
import { closeShared, openShared } from "./shared-connection.ts";
import { endPlatformTrouble, platformTrouble } from "./platform-trouble.ts";
import { clusterTrouble } from "./trouble.ts";
import { faultsOf, isGoneUntold, uncollected } from "./verdict.ts";
import { openWorld, stockConsents, type World } from "./world.ts";

const HOUR_MS = 3_600_000;
/** What acts for each garden. By the seed, one of them is reached by the ClusterConnection. */
const GARDENS = ["token", "app"] as const;
/** How long all may take to come to rest, milliseconds of shared time: two drift intervals, the longest backoff, and what is rechecked. */
const REST_WITHIN_MS = 45 * 60_000;
/** For how long it must then stay so: a drift check of each object comes within. */
const STEADY_MS = 11 * 60_000;
/** How long the watches may take to be there again, and the garbage collector to do its work, milliseconds of the machine. */
const TOLD_WITHIN_MS = 90_000;
/** How often the garbage collector is looked after, milliseconds of the machine. */
const COLLECTED_POLL_MS = 100;

export interface SoakOptions {
  readonly plane: ControlPlane;
  readonly seed: number;
  /** of shared time */
  readonly hours: number;
  /** told of everything that is done, and of every look */
  readonly tell?: (line: string) => void;
}

/** How it went. */
export interface SoakReport {
  readonly rounds: number;
  readonly hours: number;
  /** how often each sort of trouble, edit and drift came */
  readonly hits: Readonly<Record<string, number>>;
  /** what each rest cost */
  readonly rests: readonly Rest[];
}

/** Plays rounds until the hours are over. @throws Error with the round, what happened in it, and what is wrong */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { seed, hours } = options;
  const gardens = GARDENS.map(
    (credential, index) => new Garden(`soak-${seed}-${index}`, { credential, shared: seed % GARDENS.length === index }),
  );
  await using world = await openWorld(options.plane, gardens, seed);
  const play = new Play(world, gardens, options);
  for (const garden of gardens) {
    if (garden.shared) await openShared(world, garden);
    const chance = new Chance(seed);
    await plantAnew(world, garden, chance).act();
    const touched = new Set<string>();
    for (const { act } of furnish((nth) => ({ world, garden, chance, touched, word: `r0-${nth}` }))) await act();
  }
  await play.rest("the start");
  const startMs = world.time.clock.monotonic();
  const passed = (): number => (world.time.clock.monotonic() - startMs) / HOUR_MS;
  while (passed() < hours) await play.round();
  for (const garden of gardens) {
    await wither(world, garden, { whole: true, kept: false }).act();
    if (garden.shared) await closeShared(world, garden);
  }
  await play.rest("the end");
  const { rounds, rests } = play;
  return { rounds, hours: passed(), hits: Object.fromEntries(world.crew.hits), rests };
}

class Play {
  rounds = 0;
  readonly rests: Rest[] = [];
  /** what happened in this round */
  #story: string[] = [];
  readonly #world: World;
  readonly #gardens: readonly Garden[];
  readonly #options: SoakOptions;

  constructor(world: World, gardens: readonly Garden[], options: SoakOptions) {
    this.#world = world;
    this.#gardens = gardens;
    this.#options = options;
  }

  /** People meddle; then, while everything fails, people edit; then nothing fails any more, and all must come to rest and stay there. */
  async round(): Promise<void> {
    const { time, emulator, crew } = this.#world;
    this.rounds += 1;
    this.#story = [];
    const chance = new Chance(this.#options.seed * 1000 + this.rounds);
    await emulator.control.log.clear({});
    for (const garden of this.#gardens) await stockConsents(this.#world, garden);
    const { hands, steps } = choices(this.#world, this.#gardens, { chance, round: this.rounds });
    // The platform takes its time for some requests.
    for (const action of hands) await time.during(this.#do(action));
    for (const rule of platformTrouble(chance, crew)) {
      this.#story.push(`platform: ${JSON.stringify(rule)}`);
      await emulator.control.faults.add(rule);
    }
    const trouble = clusterTrouble(chance);
    this.#story.push(`apiserver: ${JSON.stringify(trouble)}`);
    crew.trouble = trouble;
    for (const action of steps) {
      await time.run(chance.between(0, 120_000));
      await this.#do(action);
    }
    await time.run(chance.between(0, 600_000));
    await endPlatformTrouble(emulator, crew);
    await mendAilments(emulator);
    crew.trouble = undefined;
    for (const traffic of crew.traffics) if (!traffic.isTold) traffic.cut();
    await crew.complete();
    await this.rest(`round ${this.rounds}`);
    await this.#steady();
  }

  /** Waits until all is as it should be. */
  async rest(when: string): Promise<void> {
    const { time, crew } = this.#world;
    let endMs = time.clock.monotonic() + REST_WITHIN_MS;
    for (let stepMs = 1000; ; stepMs = Math.min(stepMs * 2, 60_000)) {
      if (!crew.isComplete) {
        // Leases keep the machine's time, in which hours of the shared one pass: whoever follows has all of the time that there is.
        crew.note("ended on the way to rest");
        await crew.complete();
        endMs = time.clock.monotonic() + REST_WITHIN_MS;
      }
      await this.#told();
      await this.#collected();
      const faults = await faultsOf(this.#world, this.#gardens);
      this.#tell(`at rest? ${faults[0] ?? "yes"}`);
      if (faults.length === 0) return;
      for (const garden of this.#gardens) await renewLost(this.#world, garden);
      if (time.clock.monotonic() > endMs) throw this.#failure(when, faults);
      await time.run(stepMs);
    }
  }

  /** At rest nothing is written, to neither side, nothing changes, and no more is done than to look at each object. */
  async #steady(): Promise<void> {
    const { time, emulator, crew } = this.#world;
    await crew.complete();
    await time.run((await isGoneUntold(this.#world, this.#gardens)) ? STEADY_MS : 1000);
    const watch = await beginRest(this.#world);
    await time.run(STEADY_MS);
    if (!crew.isComplete) {
      // Whoever follows looks at everything anew, and the rest begins again.
      crew.note("ended at rest");
      await crew.complete();
      await this.rest(`round ${this.rounds}`);
      return this.#steady();
    }
    const { cost, written } = await watch.end();
    const faults = await faultsOf(this.#world, this.#gardens);
    // Whoever asks the log has asked. What it holds goes by how much was asked for in the round, and would hide what stays of it.
    await emulator.control.log.clear({});
    const rest = { ...cost, ...(await keptInAll()) };
    this.rests.push(rest);
    this.#tell(`at rest: ${JSON.stringify(rest)}`);
    const wrong = [...faults, ...written.map((request) => `written at rest: ${request}`), ...costFaults(cost)];
    if (wrong.length > 0) throw this.#failure(`round ${this.rounds}, after ${STEADY_MS} ms at rest`, wrong);
  }

  async #do({ what, hit, act }: Action): Promise<void> {
    this.#story.push(what);
    this.#tell(what);
    if (hit !== undefined) this.#world.crew.note(hit);
    await act();
    this.#world.time.stir();
  }

  /** Waits until the watches tell what happens: their own time is the machine's. */
  async #told(): Promise<void> {
    const { crew } = this.#world;
    const endMs = performance.now() + TOLD_WITHIN_MS;
    while (!crew.traffics.every(({ isTold }) => isTold)) {
      if (performance.now() > endMs) throw this.#failure("the watches", ["are not there again"]);
      await wait(10);
    }
  }

  /** Waits until nothing is left of an object that is gone, in the way of one of its name: the garbage collector's time, too, is the machine's. */
  async #collected(): Promise<void> {
    const endMs = performance.now() + TOLD_WITHIN_MS;
    for (;;) {
      const left = await uncollected(this.#world.kube);
      if (left.length === 0) return;
      if (performance.now() > endMs) throw this.#failure("the garbage collector", left);
      await wait(COLLECTED_POLL_MS);
    }
  }

  #tell(what: string): void {
    const minutes = (this.#world.time.clock.monotonic() / 60_000).toFixed(1);
    this.#options.tell?.(`${minutes} min: ${what}`);
  }

  #failure(when: string, faults: readonly string[]): Error {
    const { seed, hours } = this.#options;
    const names = this.#gardens.map(({ organization }) => organization);
    const told = [...names, " ended: "];
    const logs = this.#world.crew.lines.filter((line) => told.some((text) => line.includes(text))).slice(-40);
    // What is wrong comes last: of a long output it is the end that is kept.
    const text = [
      `SOAK_SEED=${seed} SOAK_HOURS=${hours}: not as it should be, ${when}`,
      "Logs:",
      ...logs.map((line) => `  ${line.slice(0, 400)}`),
      "What happened:",
      ...this.#story.map((line) => `  ${line}`),
      `Wrong, ${when}:`,
      ...faults,
    ];
    return new Error(text.join("\n"));
  }
}
