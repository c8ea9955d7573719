import type { FaultRuleInput } from "../../../src/emulator/http/faults.ts";
import type { Action } from "./cluster-actions.ts";
import type { Chance } from "./chance.ts";
import type { Trouble } from "./cluster-traffic.ts";
import type { World } from "./world.ts";

/** What goes wrong in a round: on the platform, at the apiserver, with the operators and with their clocks. */

type Fault = FaultRuleInput["fault"];

/** The operations that the operator uses. */
const OPERATIONS: readonly FaultRuleInput["operation"][] = [
  "*",
  "profile.get",
  "organizations.get",
  "projects.list",
  "projects.get",
  "projects.create",
  "projects.update",
  "projects.delete",
  "projects.health",
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
];

/** Statuses that say nothing of whether the request took effect. */
const UNCLEAR = [500, 502, 503, 504, 520, 544];
/** Refusals that are not true: whatever they say, nothing happened. */
const REFUSALS = [400, 401, 402, 403, 404, 409, 422];

/** What is no answer to anything. */
const WRONG_BODIES: readonly unknown[] = [{ message: "hello" }, "ok", null, [42], {}];

function faultOf(chance: Chance): Fault {
  const phase = chance.oneOf(["before", "after"] as const);
  const kinds: readonly (() => Fault)[] = [
    () => ({ kind: "status", status: chance.oneOf(UNCLEAR), phase }),
    () => ({ kind: "status", status: chance.oneOf(REFUSALS), phase: "before" }),
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
  return Array.from({ length: chance.between(0, 5) }, () => ({
    operation: chance.oneOf(OPERATIONS),
    skip: chance.between(0, 3),
    count: chance.between(1, 6),
    fault: faultOf(chance),
  }));
}

/** How the apiserver does for a round. */
export function clusterTrouble(chance: Chance): Trouble {
  return {
    seed: chance.between(0, 2 ** 31),
    share: chance.oneOf([0, 0, 0.05, 0.2, 0.5]),
    watchShare: chance.oneOf([0, 0.3]),
  };
}

/** What happens at single moments of a round. */
export function incidents(world: World, chance: Chance, rare: boolean): readonly Action[] {
  const all = [
    ...(chance.is(0.4) ? [watches(world, chance)] : []),
    ...(chance.is(0.35) ? [clocks(world, chance)] : []),
    ...(chance.is(0.3) ? [leaders(world, chance)] : []),
    ...(rare && chance.is(0.1) ? [restart(world)] : []),
  ];
  return all;
}

function watches({ crew, plane, time }: World, chance: Chance): Action {
  const each = (act: (traffic: (typeof crew.traffics)[number]) => void) => (): Promise<void> => {
    for (const traffic of crew.traffics) act(traffic);
    return Promise.resolve();
  };
  const ms = chance.between(1000, 300_000);
  return chance.oneOf<Action>([
    { what: "cut the watches", act: each((traffic) => traffic.cut()) },
    {
      what: `leave the watches half open for ${ms} ms`,
      act: async () => {
        await each((traffic) => traffic.silence())();
        await time.run(ms);
        await each((traffic) => traffic.cut())();
      },
    },
    {
      what: `compact what happened in ${ms} ms without watches`,
      act: async () => {
        await each((traffic) => traffic.silence())();
        await time.run(ms);
        await plane.compactEtcd();
        await each((traffic) => traffic.cut())();
      },
    },
  ]);
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
    },
  };
}
