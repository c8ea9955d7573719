import { z } from "zod";
import { type Seen, stalledFor } from "../matrix/seen.ts";
import { parseExposition } from "../metrics/exposition.ts";
import type { Crew } from "./crew.ts";
import type { Kept } from "../garbage.ts";
import { seriesOf } from "./series.ts";
import { objectsOf } from "./verdict.ts";
import type { World } from "./world.ts";

/** What a rest costs, in numbers that do not depend on how quick the machine is, but for the last one. */
interface Cost {
  /** objects of ours */
  readonly objects: number;
  /** those that are Stalled: what they miss is looked for every 5 minutes */
  readonly stalled: number;
  /** sections, and outputs, of which each look at their object asks by itself */
  readonly parts: number;
  /** reconciles of all operators */
  readonly runs: number;
  /** requests of operators to the apiserver, but for leases, events and watches */
  readonly cluster: number;
  /** requests of operators to the platform */
  readonly platform: number;
  /** how often the clock went on: turns of the event loop in which a timer of it fired */
  readonly steps: number;
  /** timers that wait in the end, of operators and emulator */
  readonly timers: number;
  /** series of metrics of the leader, and how many there may be */
  readonly series: number;
  readonly mostSeries: number;
  /** values of their labels that are in no closed set */
  readonly strangers: readonly string[];
  /** time of the processor, milliseconds: of tests and emulator too */
  readonly cpuMs: number;
}

/** A rest: what it costs, and what the process keeps in the end, the emulator's requests forgotten. */
export type Rest = Cost & Kept;

/** The exchange of an access token that ends, and the two writes with which the next refresh token is kept (ADR 17). */
const EXCHANGE: string = "POST /v1/oauth/token";
const KEEPING = /^PATCH secrets\/baas-operator-(?:cluster)?connection-default/u;

/** Measures from here to `end`, which also tells what was written meanwhile that nobody needs. */
export async function beginRest(world: World) {
  const { time, emulator, crew } = world;
  const { last } = await emulator.control.log.read({ after: Number.MAX_SAFE_INTEGER });
  for (const traffic of crew.traffics) {
    traffic.writes = [];
    traffic.asked = 0;
  }
  const before = { runs: runsIn(await exposed(crew)), steps: time.steps, cpu: process.cpuUsage() };
  return {
    end: async (): Promise<{ readonly cost: Cost; readonly written: readonly string[] }> => {
      const { user, system } = process.cpuUsage(before.cpu);
      const texts = await exposed(crew);
      const series = seriesOf(texts[0] ?? "");
      const { entries } = await emulator.control.log.read({ after: last });
      const objects = await objectsOf(world.kube);
      const cost = {
        objects: objects.length,
        stalled: objects.filter((object) => stalledFor(object) !== undefined).length,
        parts: objects.reduce((sum, object) => sum + partsOf(object), 0),
        runs: runsIn(texts) - before.runs,
        cluster: crew.traffics.reduce((sum, { asked }) => sum + asked, 0),
        platform: entries.length,
        steps: time.steps - before.steps,
        timers: time.clock.pendingTimers,
        series: series.count,
        mostSeries: series.most,
        strangers: series.strangers,
        cpuMs: Math.round((user + system) / 1000),
      };
      const written = [
        ...crew.traffics.flatMap(({ writes }) => writes),
        ...entries.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`),
      ];
      return { cost, written: withoutLateWords(withoutExchange(written)) };
    },
  };
}

/**
 * Where drift is ignored nobody looks for it; who does all the same, as whoever leads newly looks at each object within a drift interval, tells what is left
 * different: once of each object.
 */
function withoutLateWords(written: readonly string[]): readonly string[] {
  const objectOf = (one: string): string | undefined => LATE_WORDS.exec(one)?.[1];
  const told = written.map(objectOf);
  return written.filter((one, at) => objectOf(one) === undefined || told.indexOf(objectOf(one)) !== at);
}

const LATE_WORDS = /^(PATCH baas\.dev\/\S+\/status) .*driftPolicy Ignore leaves different/u;

/** An access token ends once an hour: one exchange at most, with what belongs to it. */
function withoutExchange(written: readonly string[]): readonly string[] {
  const exchanges = written.filter((one) => one === EXCHANGE);
  const keeping = written.filter((one) => KEEPING.test(one));
  const asItShould = exchanges.length <= 1 && keeping.length === 2 * exchanges.length;
  return asItShould ? written.filter((one) => !exchanges.includes(one) && !keeping.includes(one)) : written;
}

/**
 * What was done at rest that no look at an object needs. In a rest of little more than a drift interval each object is looked at twice at most, one
 * that is Stalled once more; a look asks each server for little, once more for each part of its object, and what waits of the objects is one timer
 * of the work queue. What is added is for an exchange of tokens.
 */
export function costFaults(cost: Cost): readonly string[] {
  const { objects, stalled, parts, runs, series, mostSeries, strangers } = cost;
  const most = {
    runs: 2 * objects + stalled,
    cluster: 3 * runs + 2 * parts + 5,
    platform: 2 * runs + 2 * parts + 5,
    steps: 4 * runs + 15,
    timers: 10,
  } as const;
  const over = (["runs", "cluster", "platform", "steps", "timers"] as const).filter((name) => cost[name] > most[name]);
  return [
    ...over.map((name) => `${cost[name]} ${name} for ${objects} objects and ${runs} runs, at most ${most[name]}`),
    ...(series > mostSeries ? [`${series} series of metrics, at most ${mostSeries}`] : []),
    ...strangers.map((value) => `a series of something that is no closed set: ${value}`),
  ];
}

/** Sections of an object, by its status, and its outputs. */
function partsOf({ status }: Seen): number {
  const { sections = [], binding } = partsSchema.parse(status);
  return sections.length + (binding === undefined ? 0 : 1);
}

const partsSchema = z.looseObject({ sections: z.array(z.unknown()).optional(), binding: z.unknown().optional() });

/** What each operator tells of itself, the leader first. */
function exposed({ metricsUrls }: Crew): Promise<readonly string[]> {
  return Promise.all(metricsUrls.map(async (url) => (await fetch(url)).text()));
}

function runsIn(texts: readonly string[]): number {
  return texts
    .flatMap((text) => parseExposition(text).flatMap(({ samples }) => samples))
    .filter(({ name }) => name === "baas_reconcile_total")
    .reduce((sum, { value }) => sum + value, 0);
}
