import type { FaultRuleInput } from "../../../src/emulator/http/faults.ts";
import type { Action } from "./choosing.ts";
import type { Chance } from "./chance.ts";
import type { Trouble } from "./cluster-traffic.ts";
import { ailments } from "./platform-line.ts";
import type { World } from "./world.ts";

/** What goes wrong in a round: on the platform, at the apiserver, with the operators and with their clocks. */

type Fault = FaultRuleInput["fault"];

/** The operations that the operator uses. */
export const OPERATIONS: readonly FaultRuleInput["operation"][] = [
  "profile.get",
  "organizations.list",
  "organizations.get",
  "organizations.listProjects",
  "projects.list",
  "projects.get",
  "projects.create",
  "projects.update",
  "projects.delete",
  "projects.health",
  "projects.updatePassword",
  "projects.pause",
  "projects.restore",
  "projects.restart",
  "functions.list",
  "functions.get",
  "functions.deploy",
  "functions.update",
  "functions.delete",
  "secrets.list",
  "secrets.create",
  "secrets.delete",
  "branches.list",
  "branches.get",
  "branches.create",
  "branches.update",
  "branches.delete",
  "branches.reset",
  "actions.list",
  "actions.get",
  "dataApi.get",
  "dataApi.update",
  "authConfig.get",
  "authConfig.update",
  "realtime.get",
  "realtime.update",
  "storage.get",
  "storage.update",
  "postgresConfig.get",
  "postgresConfig.replace",
  "apiKeys.list",
  "oauth.token",
];

/** Those by which sections of a Project are made, and all of them at once. */
const OF_SECTIONS = /^(?:\*|(?:dataApi|authConfig|realtime|storage|postgresConfig)\..*)$/u;

/** Statuses that say nothing of whether the request took effect. */
const UNCLEAR = [500, 502, 503, 504, 520, 544];
/** Refusals that are not true: whatever they say, nothing happened. */
const REFUSALS = [400, 401, 402, 403, 404, 409, 422];
/** Those of them that say nothing of what was asked for: what the platform will not have of a section is not asked for again (ADR 20). */
const PASSING_REFUSALS = [401, 403, 404];

/** Statuses of all faults, here and in cluster-traffic.ts, and of what is true: 410 and 429. */
export const STATUSES: readonly string[] = [...UNCLEAR, ...REFUSALS, 410, 429].map(String);

/** What is no answer to anything. */
const WRONG_BODIES: readonly unknown[] = [{ message: "hello" }, "ok", null, [42], {}];

function faultOf(chance: Chance, operation: string): Fault {
  const refusals = OF_SECTIONS.test(operation) ? PASSING_REFUSALS : REFUSALS;
  const phase = chance.oneOf(["before", "after"] as const);
  const kinds: readonly (() => Fault)[] = [
    () => ({ kind: "status", status: chance.oneOf(UNCLEAR), phase }),
    () => ({ kind: "status", status: chance.oneOf(refusals), phase: "before" }),
    () => ({ kind: "status", status: 429, headers: chance.is(0.5) ? { "retry-after": "7" } : {}, phase: "before" }),
    () => ({ kind: "status", status: 200, body: chance.oneOf(WRONG_BODIES), phase: "after" }),
    () => ({ kind: "html", status: chance.oneOf([200, 502, 504]), phase }),
    () => ({ kind: "delay", ms: chance.between(500, 90_000), phase }),
    () => ({ kind: "reset", phase }),
    () => ({ kind: "half-open", phase }),
    () => ({ kind: "truncated", framing: chance.oneOf(["cut", "whole"] as const) }),
    () => ({ kind: "empty" }),
  ];
  return chance.oneOf(kinds)();
}

/** What the platform does wrong for a round. */
export function platformTrouble(chance: Chance): readonly FaultRuleInput[] {
  if (chance.is(0.15)) {
    const fault: Fault = chance.oneOf([
      { kind: "reset" },
      { kind: "html", status: 503 },
      { kind: "status", status: 500 },
    ]);
    return [{ operation: "*", count: null, fault }];
  }
  return Array.from({ length: chance.between(0, 5) }, () => {
    const operation = chance.oneOf(["*", ...OPERATIONS]);
    return { operation, skip: chance.between(0, 3), count: chance.between(1, 6), fault: faultOf(chance, operation) };
  });
}

/** How the apiserver does for a round. */
export function clusterTrouble(chance: Chance): Trouble {
  return {
    seed: chance.between(0, 2 ** 31),
    share: chance.oneOf([0, 0, 0.05, 0.2, 0.5]),
    watchShare: chance.oneOf([0, 0.3]),
  };
}

/** What happens at single moments of a round: some of it by chance, and each of what costs the machine's time in its turn. */
export function incidents(world: World, chance: Chance, round: number): readonly Action[] {
  const turn = IN_TURN[round % IN_TURN.length];
  const all = [
    ...(chance.is(0.4) ? [watches(world, chance)] : []),
    ...(chance.is(0.35) ? [clocks(world, chance)] : []),
    ...(chance.is(0.3) ? [leaders(world, chance)] : []),
    ...(turn === undefined ? [] : [turn(world, chance)]),
  ];
  return all;
}

const IN_TURN: readonly ((world: World, chance: Chance) => Action)[] = [restart, unreachable, compact];

/** Does something to every watch that there is. */
function each({ crew }: World, act: (traffic: World["crew"]["traffics"][number]) => void): void {
  for (const traffic of crew.traffics) act(traffic);
}

function watches(world: World, chance: Chance): Action {
  const ms = chance.between(1000, 300_000);
  return chance.oneOf<Action>([
    { what: "cut the watches", act: () => Promise.resolve(each(world, (traffic) => traffic.cut())) },
    {
      what: `leave the watches half open for ${ms} ms`,
      act: async () => {
        each(world, (traffic) => traffic.silence());
        await world.time.run(ms);
        each(world, (traffic) => traffic.cut());
      },
    },
  ]);
}

function compact(world: World, chance: Chance): Action {
  const ms = chance.between(1000, 300_000);
  return {
    what: `compact what happened in ${ms} ms without watches`,
    act: async () => {
      each(world, (traffic) => traffic.silence());
      await world.time.run(ms);
      await world.plane.compactEtcd();
      each(world, (traffic) => traffic.cut());
      world.crew.note("compaction");
    },
  };
}

/** Nobody answers for the platform, or not what it speaks. */
function unreachable({ line, crew, time }: World, chance: Chance): Action {
  const ailment = chance.oneOf(ailments);
  const ms = chance.between(1000, 900_000);
  return {
    what: `the platform out of reach for ${ms} ms (${ailment})`,
    act: async () => {
      await line.ail(ailment);
      await time.run(ms);
      await line.mend();
      crew.note(`platform ${ailment}`);
    },
  };
}

function clocks({ crew, time }: World, chance: Chance): Action {
  const shift = chance.between(-7_200_000, 7_200_000);
  const sleep = chance.between(60_000, 3_600_000);
  return chance.oneOf<Action>([
    { what: `put the operators' wall clocks ${shift} ms ahead`, act: () => Promise.resolve(crew.shiftWall(shift)) },
    { what: `jump ${sleep} ms at once`, act: () => Promise.resolve(time.clock.advance(sleep)) },
  ]);
}

function leaders({ crew }: World, chance: Chance): Action {
  const ms = chance.between(1000, 900_000);
  return chance.oneOf<Action>([
    { what: "let the other operator lead", act: () => crew.handOver() },
    { what: "take the lease away", act: () => crew.loseLease() },
    { what: `run no operator for ${ms} ms`, act: () => crew.pause(ms) },
  ]);
}

function restart({ plane, crew, time }: World): Action {
  return {
    what: "restart the apiserver",
    act: async () => {
      await time.during(plane.restartApiserver());
      await crew.complete();
      crew.note("restart");
    },
  };
}
