import { describe, expect, it } from "vitest";
import { openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import {
  AT_ONCE,
  callsOf,
  fewestCalls,
  putShop,
  type ShopSize,
  unready,
} from "../../../test/support/controllers/shop.ts";
import { WholeOperator } from "../../../test/support/controllers/whole-operator.ts";

/** What a whole operator asks the platform for, counted by the platform (engine.md §3). */

const INTERVAL_MS = 600_000;

interface Settled extends AsyncDisposable {
  readonly theatre: Theatre;
  readonly operator: WholeOperator;
}

const QUOTAS = { functionsPerProject: 1000, secretsPerProject: 1000 };

/** A shop that has converged, its operator living on. */
async function settled(size: ShopSize): Promise<Settled> {
  await using stack = new AsyncDisposableStack();
  const theatre = stack.use(await openTheatre(AT_ONCE));
  await theatre.emulator.control.organizations.patch({ slug: "acme", quotas: QUOTAS });
  putShop(theatre, size);
  const operator = stack.use(await WholeOperator.start(theatre));
  operator.look();
  await operator.advanceUntil(() => unready(theatre).length === 0);
  const owned = stack.move();
  return { theatre, operator, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** What is asked of the platform within some drift intervals of a shop at rest, and what is written to the apiserver. */
async function atRest(
  size: ShopSize,
  intervals: number,
): Promise<{ readonly calls: Readonly<Record<string, number>>; readonly writes: number }> {
  await using shop = await settled(size);
  const { theatre, operator } = shop;
  await operator.advance(2 * INTERVAL_MS);
  await theatre.emulator.control.log.clear();
  const { writes } = theatre.kubernetes;
  await operator.advance(intervals * INTERVAL_MS);
  return { calls: await callsOf(theatre), writes: theatre.kubernetes.writes - writes };
}

describe("a project at rest", () => {
  it.each([
    { objects: 4, size: { branches: 1, functions: 1, secrets: 1 } },
    { objects: 10, size: { branches: 1, functions: 4, secrets: 4, perSecret: 1 } },
    { objects: 100, size: { branches: 1, functions: 48, secrets: 50, perSecret: 1 } },
    { objects: 1000, size: { branches: 1, functions: 898, secrets: 100, perSecret: 1 } },
  ])(
    "is read as often with $objects objects as with the fewest: each list once in an interval",
    async ({ size }) => {
      const { calls, writes } = await atRest(size, 3);
      expect(calls).toEqual({
        "projects.get": 3,
        "projects.health": 3 + 3, // a branch is a project of its own, with services and a budget of its own
        "branches.list": 3,
        "functions.list": 3,
        "secrets.list": 3,
      });
      expect(writes).toBe(0);
    },
    120_000,
  );

  it("costs nothing more for a branch than the health of its own services", async () => {
    expect((await atRest({ branches: 0, functions: 0, secrets: 0 }, 3)).calls).toEqual({
      "projects.get": 3,
      "projects.health": 3,
    });
    const { calls } = await atRest({ branches: 10, functions: 0, secrets: 0 }, 3);
    expect(calls).toEqual({ "projects.get": 3, "projects.health": 3 + 30, "branches.list": 3 });
  });
});

describe("a project that is applied as a whole", () => {
  it.each([
    { why: "engine.md's", size: { branches: 3, functions: 20, secrets: 50 } },
    { why: "the smallest", size: { branches: 0, functions: 0, secrets: 0 } },
    { why: "one of each", size: { branches: 1, functions: 1, secrets: 1 } },
    { why: "many functions", size: { branches: 0, functions: 60, secrets: 0 } },
    { why: "an object for each secret", size: { branches: 3, functions: 20, secrets: 50, perSecret: 1 } },
  ])("costs at most a tenth more calls than the fewest, and two: $why", async ({ size }) => {
    await using shop = await settled(size);
    const calls = await callsOf(shop.theatre);
    const sum = Object.values(calls).reduce((all, count) => all + count, 0);
    const fewest = fewestCalls(size);
    expect({ calls, enough: sum >= fewest, few: sum <= Math.max(fewest + 2, fewest * 1.1) }).toEqual({
      calls,
      enough: true,
      few: true,
    });
  });
});

describe("a list that fails", () => {
  it.each([
    { plural: "edgefunctions", operation: "functions.list", size: { branches: 0, functions: 3, secrets: 0 } },
    { plural: "secrets", operation: "secrets.list", size: { branches: 0, functions: 0, secrets: 3, perSecret: 1 } },
    { plural: "branches", operation: "branches.list", size: { branches: 2, functions: 0, secrets: 0 } },
  ])("is not taken for an empty one: nothing of $plural is made again", async ({ operation, size }) => {
    await using shop = await settled(size);
    const { theatre, operator } = shop;
    const before = await callsOf(theatre);
    await theatre.emulator.control.faults.add({ operation, count: null, fault: { kind: "status", status: 500 } });
    await operator.advance(3 * INTERVAL_MS);
    const after = await callsOf(theatre);
    expect(after[operation]).toBeGreaterThan(before[operation] ?? 0);
    const made = ["functions.deploy", "secrets.create", "branches.create", "secrets.delete"];
    expect(made.map((one) => after[one])).toEqual(made.map((one) => before[one]));
  });
});
