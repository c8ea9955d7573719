import { describe, expect, it } from "vitest";
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
} from "../../../test/support/deletion/model.ts";
import { type Ending, Leaving } from "../../../test/support/deletion/play.ts";
import { seededRandom } from "../../base/random.ts";

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
const seed = Number(process.env["DELETION_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const random = seededRandom(seed);
console.log(`DELETION_SEED=${seed}${everything ? " DELETION=all" : ""}`);

const orders = allOrders();

type Expected = Readonly<{ [F in keyof Ending]?: Ending[F] | ((seen: Ending[F]) => boolean) }>;

/** Families that did not go as they should, in words. */
function strays(endings: readonly Ending[], expected: (leave: Leave) => Expected): readonly string[] {
  return endings.flatMap((ending) => {
    const wanted = expected(ending.leave);
    const strange = (Object.keys(wanted) as (keyof Ending)[]).filter((field) => {
      const value: unknown = wanted[field];
      if (typeof value === "function") return value(ending[field]) !== true;
      return JSON.stringify(ending[field]) !== JSON.stringify(value);
    });
    const { leave, ...seen } = ending;
    return strange.map(
      (field) => `${describeLeave(leave)}: ${field}? ${JSON.stringify({ ...seen, wanted: wanted[field] })}`,
    );
  });
}

const within = (leastMs: number, mostMs: number) => (tookMs: number | undefined) =>
  tookMs !== undefined && tookMs >= leastMs && tookMs <= mostMs;

describe("while the platform works", () => {
  it(
    "everything goes soon in every order, and what is left is what the policies say",
    async () => {
      for (let round = 0; round < (everything ? 8 : 1); round += 1) {
        await using leaving = await Leaving.open(orders.map((order) => drawLeave(order, random)));
        await leaving.deleteAll();
        await leaving.passUntilGone(MINUTE_MS);
        const expected = (leave: Leave): Expected => {
          return { objects: [], remote: leftBy(leave), told: {}, tookMs: within(0, MINUTE_MS) };
        };
        expect(strays(await leaving.endings(), expected)).toEqual([]);
      }
    },
    ALL_MS,
  );
});

/** As many families as CI plays where each takes the time of its bound. */
const SAMPLE = everything ? orders.length : 40;

/** Families, each with an order of its own. */
function drawn(fixed: Partial<Leave>): readonly Leave[] {
  return sample(orders, SAMPLE, random).map((order) => drawLeave(order, random, fixed));
}

describe("while each deletion is another process's, which has what is in the cluster and no more", () => {
  it(
    "what is deleted after the token's Secret goes at the bound and is told, but in a namespace that goes, whose Secret is held for it",
    async () => {
      await using leaving = await Leaving.open(drawn({ pace: "one by one" }), "one each");
      await leaving.deleteAll();
      await leaving.passUntilGone(TIMEOUT_MS + MINUTE_MS);
      const expected = (leave: Leave): Expected => {
        const stuck = (kind: Held): boolean => lacksCredential(leave, kind);
        return {
          objects: [],
          remote: leftBy(leave, stuck),
          told: Object.fromEntries(toldOf(leave, stuck).map((kind) => [kind, "NoCredential"])),
          tookMs: within(0, TIMEOUT_MS + SLACK_MS),
        };
      };
      expect(strays(await leaving.endings(), expected)).toEqual([]);
    },
    ALL_MS,
  );
});

describe("while the operator is not there", () => {
  it(
    "nothing is lost with the Secret: who starts when all is deleted takes the credential before it lets that go",
    async () => {
      await using leaving = await Leaving.open(drawn({}), "one after all");
      await leaving.deleteAll();
      await leaving.passUntilGone(MINUTE_MS);
      const expected = (leave: Leave): Expected => {
        return { objects: [], remote: leftBy({ ...leave, pace: "at once" }), told: {} };
      };
      expect(strays(await leaving.endings(), expected)).toEqual([]);
    },
    ALL_MS,
  );
});

describe("while the platform does not answer", () => {
  it(
    "ends at the bound in a namespace that goes, and is told; elsewhere it is Stalled, and goes on when the platform is there",
    async () => {
      await using leaving = await Leaving.open(drawn({}));
      const { faults } = leaving.theatre.emulator.control;
      await faults.add({ operation: "*", count: null, fault: { kind: "reset" } });
      await leaving.deleteAll();
      await leaving.pass(TIMEOUT_MS + SLACK_MS);
      const atBound = ({ terminating, policies }: Leave): Expected => {
        const isDeleted = policies.project === "Delete";
        const remote = held;
        if (!terminating && isDeleted) {
          const isStalled = (reasons: readonly string[]): boolean => reasons.includes("DeletionBlocked");
          return { remote, told: {}, objects: (objects) => objects.includes("project"), reasons: isStalled };
        }
        const causes = (told: Ending["told"]): boolean =>
          (told.project !== undefined) === isDeleted &&
          Object.values(told).every((cause) => cause === "DeletionTimeout");
        // The last of six deletions is five minutes after the first.
        const took = isDeleted ? within(TIMEOUT_MS - 5 * MINUTE_MS, TIMEOUT_MS + SLACK_MS) : within(0, MINUTE_MS);
        return { objects: [], remote, told: isDeleted ? causes : {}, tookMs: took };
      };
      expect(strays(await leaving.endings(), atBound)).toEqual([]);
      await faults.clear();
      await leaving.passUntilGone(3 * MINUTE_MS);
      // Meanwhile the Project went, so that what it says holds for all.
      const after = (leave: Leave): Expected => {
        const isGone = !leave.terminating && leave.policies.project === "Delete";
        return { objects: [], remote: isGone ? [] : held };
      };
      expect(strays(await leaving.endings(), after)).toEqual([]);
    },
    ALL_MS,
  );
});
