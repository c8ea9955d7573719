import { describe, expect, it } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import type { FaultRuleInput } from "../../src/emulator/http/faults.ts";
import {
  allOrders,
  describeLeave,
  drawLeave,
  type Held,
  held,
  lacksCredential,
  type Leave,
  leftBy,
  sample,
  toldOf,
} from "../support/deletion/model.ts";
import { seedFrom } from "../support/seed.ts";
import { type Ending, Leaving } from "../support/deletion/play.ts";

/**
 * A Project, a branch, a function and a secret of it, its Connection and the token's Secret go in any order, one by one or together, alone or with
 * their namespace (engine.md §5). `DELETION_SEED` repeats a run, `DELETION=all` plays every order with many policies.
 */

const MINUTE_MS = 60_000;
const TIMEOUT_MS = 15 * MINUTE_MS;
/** How far an end may be from the bound: some objects are looked at within seconds of another's end. */
const SLACK_MS = 5000;
const ALL_MS = 3_600_000;

const everything = process.env["DELETION"] === "all";
const seed = seedFrom("DELETION_SEED");
console.log(`DELETION_SEED=${seed}${everything ? " DELETION=all" : ""}`);

const orders = allOrders();
/** As many families as CI plays where each takes the time of its bound. */
const SAMPLE = everything ? orders.length : 30;

/** Families, each with an order of its own. @param test which test's: each draws the same of a seed, whichever others are played */
function drawn(test: number, fixed: Partial<Leave> = {}): readonly Leave[] {
  const random = seededRandom(seed + test);
  return sample(orders, SAMPLE, random).map((order) => drawLeave(order, random, fixed));
}

/** What holds of an ending, in words. */
type Claims = Readonly<Record<string, boolean>>;

/** The families of which something does not hold, and what. */
function strays(endings: readonly Ending[], judge: (ending: Ending) => Claims): readonly string[] {
  return endings.flatMap((ending) => {
    const { leave, ...seen } = ending;
    const broken = Object.entries(judge(ending)).filter(([, holds]) => !holds);
    return broken.map(([claim]) => `${describeLeave(leave)}: not ${claim}: ${JSON.stringify(seen)}`);
  });
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** All of it gone, at the time and with what is left and told. */
function gone(
  { objects, remote, told, tookMs }: Ending,
  expected: { readonly remote: readonly Held[]; readonly told: Ending["told"]; readonly mostMs: number },
): Claims {
  return {
    gone: objects.length === 0,
    [`in ${expected.mostMs} ms`]: tookMs !== undefined && tookMs >= 0 && tookMs <= expected.mostMs,
    [`leaving ${expected.remote.join(", ")}`]: same(remote, expected.remote),
    [`telling of ${JSON.stringify(expected.told)}`]: same(told, expected.told),
  };
}

describe("while the platform works", () => {
  it(
    "everything goes soon in every order, and what is left is what the policies say",
    async () => {
      const random = seededRandom(seed);
      for (let round = 0; round < (everything ? 8 : 1); round += 1) {
        await using leaving = await Leaving.open(orders.map((order) => drawLeave(order, random)));
        await leaving.deleteAll();
        await leaving.passUntilGone(MINUTE_MS);
        const judge = (ending: Ending): Claims =>
          gone(ending, { remote: leftBy(ending.leave), told: {}, mostMs: MINUTE_MS });
        expect(strays(await leaving.endings(), judge)).toEqual([]);
      }
    },
    ALL_MS,
  );
});

describe("while each deletion is another process's, which has what is in the cluster and no more", () => {
  it(
    "what is deleted after the token's Secret goes at the bound and is told, but in a namespace that goes, whose Secret is held for it",
    async () => {
      await using leaving = await Leaving.open(drawn(1, { pace: "one by one" }), "one each");
      await leaving.deleteAll();
      await leaving.passUntilGone(TIMEOUT_MS + MINUTE_MS);
      const judge = (ending: Ending): Claims => {
        const { leave } = ending;
        const stuck = (kind: Held): boolean => lacksCredential(leave, kind);
        const told = Object.fromEntries(toldOf(leave, stuck).map((kind) => [kind, "NoCredential"]));
        return gone(ending, { remote: leftBy(leave, stuck), told, mostMs: TIMEOUT_MS + SLACK_MS });
      };
      expect(strays(await leaving.endings(), judge)).toEqual([]);
    },
    ALL_MS,
  );
});

describe("while the operator is not there", () => {
  it(
    "nothing is lost with the Secret: who starts when all is deleted takes the credential before it lets that go",
    async () => {
      await using leaving = await Leaving.open(drawn(2), "one after all");
      await leaving.deleteAll();
      await leaving.passUntilGone(MINUTE_MS);
      const judge = (ending: Ending): Claims => {
        const { leave } = ending;
        const remote = leftBy({ ...leave, pace: "at once" });
        return gone(ending, { remote, told: {}, mostMs: 7 * MINUTE_MS });
      };
      expect(strays(await leaving.endings(), judge)).toEqual([]);
    },
    ALL_MS,
  );

  it.each<{ readonly test: number; readonly why: string; readonly fault: FaultRuleInput["fault"] }>([
    { test: 6, why: "does not answer", fault: { kind: "reset" } },
    { test: 7, why: "is down", fault: { kind: "status", status: 503 } },
    { test: 8, why: "is busy", fault: { kind: "status", status: 429, phase: "before" } },
  ])(
    "nor where the platform $why when it starts: the Secret is held until the credential could be taken",
    async ({ test, fault }) => {
      await using leaving = await Leaving.open(drawn(test), "one after all");
      const { faults } = leaving.theatre.emulator.control;
      await faults.add({ operation: "*", count: null, fault });
      await leaving.deleteAll();
      await leaving.pass(2 * MINUTE_MS);
      await faults.clear();
      await leaving.passUntilGone(5 * MINUTE_MS);
      const judge = (ending: Ending): Claims => {
        const remote = leftBy({ ...ending.leave, pace: "at once" });
        return gone(ending, { remote, told: {}, mostMs: 13 * MINUTE_MS });
      };
      expect(strays(await leaving.endings(), judge)).toEqual([]);
    },
    ALL_MS,
  );
});

describe("when somebody deleted the projects on the platform before", () => {
  it(
    "everything goes soon, and nothing is told",
    async () => {
      await using leaving = await Leaving.open(drawn(3));
      const { projects } = leaving.theatre.emulator.control;
      for (const { ref } of leaving.families) await projects.remove({ ref });
      await leaving.deleteAll();
      await leaving.passUntilGone(3 * MINUTE_MS);
      // A minute between the two looks of each, and nothing waits for a second such minute.
      const judge = (ending: Ending): Claims => gone(ending, { remote: [], told: {}, mostMs: 1.5 * MINUTE_MS });
      expect(strays(await leaving.endings(), judge)).toEqual([]);
    },
    ALL_MS,
  );
});

/** How it must stand at the bound where nothing can be deleted, so that a project that is to be deleted cannot be. */
function atBound(ending: Ending): Claims {
  const { leave, objects, remote, told, reasons, tookMs } = ending;
  if (leave.policies.project === "Retain") return gone(ending, { remote: held, told: {}, mostMs: MINUTE_MS });
  if (!leave.terminating) {
    const waits = objects.includes("project") && reasons.includes("DeletionBlocked");
    return { waiting: waits, whole: same(remote, held), silent: same(told, {}) };
  }
  // The last of six deletions is five minutes after the first.
  const late = tookMs !== undefined && tookMs <= TIMEOUT_MS + SLACK_MS;
  return {
    gone: objects.length === 0,
    "at its bound": late && tookMs >= TIMEOUT_MS - 5 * MINUTE_MS,
    whole: same(remote, held),
    told: told.project !== undefined && Object.values(told).every((cause) => cause === "DeletionTimeout"),
  };
}

const deletions = ["projects.delete", "branches.delete", "functions.delete", "secrets.delete"];

describe("while the platform cannot or will not delete anything", () => {
  it.each<{
    readonly test: number;
    readonly why: string;
    readonly operations: readonly string[];
    readonly fault: FaultRuleInput["fault"];
  }>([
    { test: 4, why: "it does not answer", operations: ["*"], fault: { kind: "reset" } },
    { test: 5, why: "it refuses for ever", operations: deletions, fault: { kind: "status", status: 400 } },
  ])(
    "ends at the bound in a namespace that goes, and is told; elsewhere it is Stalled, and goes on when it can: $why",
    async ({ test, operations, fault }) => {
      await using leaving = await Leaving.open(drawn(test));
      const { faults } = leaving.theatre.emulator.control;
      for (const operation of operations) await faults.add({ operation, count: null, fault });
      await leaving.rotate();
      await leaving.deleteAll();
      await leaving.pass(TIMEOUT_MS + SLACK_MS);
      expect(strays(await leaving.endings(), atBound)).toEqual([]);
      await faults.clear();
      await leaving.passUntilGone(3 * MINUTE_MS);
      const judge = ({ leave, objects, remote }: Ending): Claims => {
        const isDeleted = !leave.terminating && leave.policies.project === "Delete";
        return { gone: objects.length === 0, "as the Project says": same(remote, isDeleted ? [] : held) };
      };
      expect(strays(await leaving.endings(), judge)).toEqual([]);
    },
    ALL_MS,
  );
});
