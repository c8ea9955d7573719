import type { FaultRule, FaultRuleInput } from "../../../src/emulator/http/faults.ts";
import type { Emulator } from "../../../src/emulator/emulator.ts";
import type { Chance } from "./chance.ts";
import type { Crew } from "./crew.ts";
import { missingFirst } from "./quota.ts";

/** What the platform does wrong: faults of requests that the emulator is told to make. */

type Fault = FaultRuleInput["fault"];

/**
 * Operations for which faults of their own are drawn: those that make, change and end what objects stand for, and the looks at it, of the sections those that the
 * soak declares. Whatever else the operator asks is met by the faults of `*`.
 */
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

/** Sorts of faults: each kind that the emulator knows, those that answer with a status by what it means. */
type Sort = Exclude<Fault["kind"], "status"> | "unclear status" | "refusal" | "429" | "wrong body";

const MAKE: Readonly<Record<Sort, (chance: Chance, operation: string) => Fault>> = {
  "unclear status": (chance) => ({ kind: "status", status: chance.oneOf(UNCLEAR), phase: phaseOf(chance) }),
  refusal: (chance, operation) => {
    const refusals = OF_SECTIONS.test(operation) ? PASSING_REFUSALS : REFUSALS;
    return { kind: "status", status: chance.oneOf(refusals), phase: "before" };
  },
  "429": (chance) => {
    const headers = chance.is(0.5) ? { "retry-after": "7" } : {};
    return { kind: "status", status: 429, headers, phase: "before" };
  },
  "wrong body": (chance) => ({ kind: "status", status: 200, body: chance.oneOf(WRONG_BODIES), phase: "after" }),
  html: (chance) => ({ kind: "html", status: chance.oneOf([200, 502, 504]), phase: phaseOf(chance) }),
  delay: (chance) => ({ kind: "delay", ms: chance.between(500, 90_000), phase: phaseOf(chance) }),
  reset: (chance) => ({ kind: "reset", phase: phaseOf(chance) }),
  "half-open": (chance) => ({ kind: "half-open", phase: phaseOf(chance) }),
  truncated: (chance) => {
    const framing = chance.oneOf(["cut", "whole"] as const);
    return { kind: "truncated", framing, phase: phaseOf(chance) };
  },
  empty: () => ({ kind: "empty" }),
};
const SORTS = Object.entries(MAKE).map(([sort, make]) => ({ make, hit: `platform ${sort}` }));

/** By which they are noted when they come. */
export const PLATFORM_FAULTS = SORTS.map(({ hit }) => hit);

function phaseOf(chance: Chance): "before" | "after" {
  return chance.oneOf(["before", "after"] as const);
}

function sortOf(fault: FaultRule["fault"]): Sort {
  if (fault.kind !== "status") return fault.kind;
  if (fault.status === 429) return "429";
  if (fault.status === 200) return "wrong body";
  return UNCLEAR.includes(fault.status) ? "unclear status" : "refusal";
}

/** How many sorts come in a round whatever chance brings, and how many requests may pass before each. */
const OWED = 5;
const MOST_APART = 3;

/** What the platform does wrong for a round: what has not come yet, and what chance brings. */
export function platformTrouble(chance: Chance, { hits }: Pick<Crew, "hits">): readonly FaultRuleInput[] {
  const owed = missingFirst(chance.shuffled(SORTS), hits)
    .slice(0, OWED)
    .map(({ make }) => ({ operation: "*" as const, skip: chance.between(0, MOST_APART), fault: make(chance, "*") }));
  return [...owed, ...byChance(chance)];
}

function byChance(chance: Chance): readonly FaultRuleInput[] {
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
    const { make } = chance.oneOf(SORTS);
    return { operation, skip: chance.between(0, 3), count: chance.between(1, 6), fault: make(chance, operation) };
  });
}

/** Nothing fails on the platform any more; what did is noted. */
export async function endPlatformTrouble({ control }: Emulator, crew: Crew): Promise<void> {
  for (const { hits, rule } of await control.faults.list({})) {
    if (hits > 0) crew.note(`platform ${sortOf(rule.fault)}`, hits);
  }
  await control.faults.clear({});
}
