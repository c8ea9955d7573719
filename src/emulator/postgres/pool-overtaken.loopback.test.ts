import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rowsOf, testPool } from "../../../test/support/emulator/databases.ts";
import type { RunJob } from "./database.ts";
import type { Recoverable } from "./past.ts";
import type { DatabasePool } from "./pool.ts";

let folder = "";
let pool: DatabasePool;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baas-overtaken-"));
});
afterEach(async () => {
  await pool.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a database and keeps the room that it has. @returns lets go of it */
async function held(ref: string): Promise<() => Promise<void>> {
  const isOpen = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const busy = pool.inTurn(ref, async ({ open }) => {
    await open();
    isOpen.resolve();
    await end.promise;
  });
  await isOpen.promise;
  return async () => {
    end.resolve();
    await busy;
  };
}

const ENDLESS = "select count(*) from generate_series(1, 1000000000000)";
describe("a restoration that has begun", () => {
  const startMs = Date.UTC(2026, 0, 1);

  const GONE_BY: Recoverable = { fromMs: startMs + 4500, nowMs: startMs + 6000, lengthMs: 1500 };
  it.each<{ readonly what: string; readonly later: Recoverable | undefined; readonly isBegun: boolean }>([
    { what: "there is nothing to go back to any more", later: undefined, isBegun: true },
    { what: "the time to go back to is gone by", later: GONE_BY, isBegun: true },
    { what: "that time went by just before", later: GONE_BY, isBegun: false },
  ])("ends as it was asked for, though $what", async ({ later, isBegun }) => {
    let nowMs = startMs;
    let isLater = false;
    const lengthMs = 4000; // each stretch lasts a second
    const recoverable = () => (isLater ? later : { fromMs: startMs, nowMs, lengthMs });
    pool = testPool({}, folder, { recoverable });
    for (const name of ["first", "second", "third"]) {
      await rowsOf(pool, "a", `create table ${name} ()`);
      nowMs += 2000;
    }
    await pool.inTurn("a", (turn) => {
      isLater = !isBegun;
      const restored = turn.restore(startMs + 1000, () => undefined);
      isLater = true;
      return restored;
    });
    const there = "select to_regclass('first'), to_regclass('second')";
    expect(await rowsOf(pool, "a", there)).toEqual([["first", null]]);
  });
});

describe("a database that is being made anew", () => {
  beforeEach(async () => {
    pool = testPool({ timeoutMs: 15_000 }, folder);
    await rowsOf(pool, "a", "create table old ()");
  });

  /** Makes the database anew and never ends. */
  function remade(meanwhile: () => void = () => undefined) {
    const filling = Promise.withResolvers<void>();
    const fill = (run: RunJob) => {
      filling.resolve();
      return run({ steps: [{ sql: ENDLESS, role: "postgres" }] });
    };
    const made = pool.inTurn("a", (turn) => {
      const rebuilt = turn.rebuild(fill);
      meanwhile();
      return rebuilt;
    });
    return { filling: filling.promise, failed: made.catch((error: unknown) => error) };
  }
  const DROPPED = { reason: "dropped", cause: { reason: "ended" } };

  it("is ended at once when its project is gone, and nothing of it is left", async () => {
    const { filling, failed } = remade();
    await filling;
    pool.drop("a");
    expect(await failed).toMatchObject(DROPPED);
    expect(await rowsOf(pool, "a", "select to_regclass('old')"), "which waits for the end").toEqual([[null]]);
    expect(readdirSync(folder)).toEqual(["a"]);
  });

  it("is not filled when its project is gone by the time at which it has started", async () => {
    const { filling, failed } = remade(() => pool.drop("a"));
    expect(await Promise.race([filling, failed])).toMatchObject({ reason: "dropped" });
  });

  it("is ended at once with all others", async () => {
    const { filling, failed } = remade();
    await filling;
    await pool.stop();
    expect(await failed).toMatchObject({ reason: "ended" });
    expect(readdirSync(folder)).toEqual(["a"]);
    pool = testPool({}, folder);
    expect(await rowsOf(pool, "a", "select to_regclass('old')")).toEqual([["old"]]);
  });
});

describe("SQL that waits for room", () => {
  it("is refused for what changes until there is some, and otherwise is what is wanted then", async () => {
    let refusal: Error | undefined;
    let name = "early";
    let isAsked = Promise.withResolvers<void>();
    const asked = (ref: string): Error | undefined => {
      if (ref === "a") isAsked.resolve();
      return refusal;
    };
    pool = testPool({ open: 1 }, folder, { refusal: asked });
    /** Asks while another database has all the room, and lets something happen meanwhile. */
    const late = async (meanwhile: () => void) => {
      isAsked = Promise.withResolvers();
      const letGo = await held("b");
      const outcome = pool.run("a", () => ({ steps: [{ sql: `create table ${name} ()`, role: "postgres" }] }));
      const settled = Promise.allSettled([outcome]);
      await isAsked.promise;
      meanwhile();
      await letGo();
      return settled;
    };
    const paused = new Error("it is paused");
    expect(await late(() => (refusal = paused))).toEqual([{ status: "rejected", reason: paused }]);
    refusal = undefined;
    expect(await late(() => (name = "late"))).toMatchObject([{ status: "fulfilled" }]);
    expect(await rowsOf(pool, "a", "select to_regclass('early'), to_regclass('late')")).toEqual([[null, "late"]]);
  });

  it("gets it by the time at which it began to wait, however much else is wanted of who has the room", async () => {
    const isAsked = Promise.withResolvers<void>();
    const asked = (ref: string): undefined => {
      if (ref === "b") isAsked.resolve();
    };
    pool = testPool({ open: 1 }, folder, { refusal: asked });
    const order: string[] = [];
    const letGo = await held("a");
    const behind = Array.from({ length: 40 }, () => rowsOf(pool, "a", "select 1").then(() => order.push("a")));
    const waiting = rowsOf(pool, "b", "select 1").then(() => order.push("b"));
    await isAsked.promise;
    await letGo();
    await Promise.all([...behind, waiting]);
    expect(order.indexOf("b"), "behind what was at work, and nothing else").toBeLessThan(2);
  });

  it("gets a database closed for itself where another waits as well: the one that is closed for that one counts once", async () => {
    let begunToWait = -Infinity;
    const wait = Promise.withResolvers<void>();
    const open = (): number => {
      if ((begunToWait += 1) === 2) wait.resolve(); // asked once for each who begins to wait
      return 2;
    };
    pool = testPool({}, folder, {}, open);
    const order: string[] = [];
    const letGo = await Promise.all(["a", "b"].map(held));
    const asked = (ref: string) => rowsOf(pool, ref, "select 1").then(() => order.push(ref));
    begunToWait = 0;
    const waiting = ["c", "d"].map(asked);
    await wait.promise;
    const behind = asked("b");
    await Promise.all(letGo.map((end) => end()));
    await Promise.all([...waiting, behind]);
    expect(order.toSorted(), "all are served").toEqual(["b", "c", "d"]);
    expect(order.at(-1), "whose database was given to one who waited before").toBe("b");
  });

  it.each<{ readonly what: string; readonly end: (pause: () => void) => unknown; readonly told: object }>([
    { what: "its project is gone", end: () => pool.drop("a"), told: { reason: "dropped" } },
    { what: "its project is paused", end: (pause) => pause(), told: { message: "it is paused" } },
    { what: "all databases end", end: () => pool.stop(), told: { reason: "ended" } },
  ])("opens none when it gets some after $what", async ({ end, told: expected }) => {
    let refusal: Error | undefined;
    const isAsked = Promise.withResolvers<void>();
    const removal = Promise.withResolvers<void>(); // until it is saved, what was made would be there
    const asked = (ref: string): Error | undefined => {
      if (ref === "a") isAsked.resolve();
      return refusal;
    };
    pool = testPool({ open: 1 }, folder, { refusal: asked, saved: () => removal.promise });
    const letGo = await held("b");
    const late = rowsOf(pool, "a", "select 1").catch((error: unknown) => error);
    await isAsked.promise;
    const ended = end(() => (refusal = new Error("it is paused")));
    await letGo();
    const [told, there] = [await late, readdirSync(folder)];
    removal.resolve();
    await ended;
    expect(told).toMatchObject(expected);
    expect(there).toEqual(["b"]);
  });

  it("is served as well where fewer may be open by then than there are", async () => {
    let open = 3;
    pool = testPool({}, folder, {}, () => open);
    for (const ref of ["a", "b", "c"]) await rowsOf(pool, ref, "select 1");
    open = 1;
    expect(await rowsOf(pool, "d", "select 1")).toEqual([["1"]]);
  });
});
