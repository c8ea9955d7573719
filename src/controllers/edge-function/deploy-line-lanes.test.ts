import { describe, expect, it } from "vitest";
import { DRIFT, EDIT, lineUnderTest, POLL, SYNC } from "../../../test/support/controllers/deploy-line.ts";
import type { DeployTurn } from "./deploy-line.ts";

const MINUTE = 60_000;

/** Lets all of them come while somebody is at work, and tells in which order they had their turns. */
async function served(comers: readonly (readonly [id: string, level: number])[]): Promise<readonly string[]> {
  const { enter, woken } = lineUnderTest();
  const levels = new Map(comers);
  let atWork = enter("somebody");
  for (const [id, level] of comers) await enter(id, "project", level).turn;
  for (let turns = 0; turns < comers.length; turns += 1) {
    atWork.end();
    await atWork.turn;
    const [id = ""] = woken.at(-1) ?? [];
    atWork = enter(id, "project", levels.get(id));
  }
  return woken.map(([id]) => id);
}

describe("a line of deployments of several lanes", () => {
  it("wakes the more urgent first, and of those who came first", async () => {
    const order: readonly (readonly [string, number])[] = [
      ["drift", DRIFT],
      ["poll", POLL],
      ["first sync", SYNC],
      ["another first sync", SYNC],
      ["edit", EDIT],
      ["another edit", EDIT],
    ];
    expect(await served(order)).toEqual(["edit", "another edit", "first sync", "another first sync", "poll", "drift"]);
  });

  it("keeps how urgent somebody came, also where it comes by again less urgent, and wakes it as that", async () => {
    const { line } = lineUnderTest();
    const woken: string[] = [];
    const work = Promise.withResolvers<string>();
    const visit = (id: string, level: number, told = id): Promise<DeployTurn<string>> => {
      const wake = (): void => void woken.push(told);
      return line.enter(
        { id, place: "project", mark: 0, level, wake },
        () => work.promise,
        () => 0,
      );
    };
    const first = visit("a", SYNC);
    await visit("b", SYNC);
    await visit("edited", EDIT, "as an edit");
    await visit("edited", POLL, "as a poll");
    work.resolve("");
    await first;
    expect(woken).toEqual(["as an edit"]);
  });

  it.each([
    { name: "a first sync", level: SYNC, mostMs: MINUTE + 5000 },
    { name: "a poll", level: POLL, mostMs: 2 * MINUTE + 5000 },
    { name: "a drift check", level: DRIFT, mostMs: 10 * MINUTE + 5000 },
  ])("serves $name within $mostMs ms, however many edits there are", async ({ level, mostMs }) => {
    const { enter, woken, clock } = lineUnderTest();
    const startMs = clock.monotonic();
    let atWork = enter("edit 0", "project", EDIT);
    await enter("patient", "project", level).turn;
    for (let n = 1; woken.at(-1)?.[0] !== "patient" && clock.monotonic() - startMs < 2 * mostMs; n += 1) {
      await enter(`edit ${n}`, "project", EDIT).turn;
      clock.advance(5000);
      atWork.end();
      await atWork.turn;
      const [next = ""] = woken.at(-1) ?? [];
      if (next !== "patient") atWork = enter(next, "project", EDIT);
    }
    expect(woken.at(-1)).toEqual(["patient", 0]);
    expect(clock.monotonic() - startMs).toBeLessThanOrEqual(mostMs);
  });

  it("an edit waits for one deployment, and for one more where edits and what is overdue take turns", async () => {
    const { enter, woken, clock } = lineUnderTest();
    const first = enter("a");
    for (const id of ["b", "c", "d"]) await enter(id).turn;
    clock.advance(2 * MINUTE);
    await enter("edit", "project", EDIT).turn;
    await enter("another edit", "project", EDIT).turn;
    first.end();
    await first.turn;
    for (const [id, level] of [
      ["edit", EDIT],
      ["b", SYNC],
      ["another edit", EDIT],
    ] as const) {
      expect(woken.at(-1)).toEqual([id, 0]);
      const next = enter(id, "project", level);
      next.end();
      await next.turn;
    }
    expect(woken.at(-1)).toEqual(["c", 0]);
  });

  it("leaves the turn to who was woken, where who comes by meanwhile is less urgent", async () => {
    const { enter, clock, woken } = lineUnderTest();
    const a = enter("a");
    await enter("b").turn;
    await enter("edit", "project", EDIT).turn;
    a.end();
    await a.turn;
    expect(await enter("b").turn).toEqual({ taken: false, again: true });
    expect(await enter("c").turn).toEqual({ taken: false, again: false });
    clock.advance(9000);
    const edit = enter("edit", "project", EDIT);
    edit.end();
    expect(await edit.turn).toEqual({ taken: true, value: "edit" });
    expect(woken.at(-1)).toEqual(["b", 0]);
  });

  it("does not leave it for long to who does not come, nor to one that leaves", async () => {
    const { enter, clock, line, woken } = lineUnderTest();
    const a = enter("a");
    await enter("b").turn;
    await enter("paused", "project", EDIT).turn;
    a.end();
    await a.turn;
    clock.advance(10_000);
    const b = enter("b");
    await enter("left", "project", EDIT).turn;
    await enter("c").turn;
    b.end();
    expect(await b.turn).toEqual({ taken: true, value: "b" });
    expect(woken.at(-1)).toEqual(["left", 0]);
    line.leave("left");
    expect(woken.at(-1)).toEqual(["c", 0]);
    const c = enter("c");
    c.end();
    expect(await c.turn).toEqual({ taken: true, value: "c" });
  });

  it("wakes the next one when who was woken has not come for ten seconds, also where that one was turned away for it", async () => {
    const { enter, clock, woken, line } = lineUnderTest();
    const a = enter("a");
    for (const id of ["b", "c"]) await enter(id).turn;
    await enter("paused", "project", EDIT).turn;
    await enter("paused too", "project", EDIT).turn;
    a.end();
    await a.turn;
    expect(await enter("b").turn).toEqual({ taken: false, again: true });
    clock.advance(9999);
    expect(woken.map(([id]) => id)).toEqual(["paused"]);
    clock.advance(1);
    expect(woken.map(([id]) => id)).toEqual(["paused", "paused too"]);
    clock.advance(10_000);
    expect(woken.map(([id]) => id)).toEqual(["paused", "paused too", "b"]);
    const b = enter("b");
    clock.advance(10_000);
    expect(woken.at(-1), "who came is at work for as long as that takes").toEqual(["b", 0]);
    b.end();
    await b.turn;
    expect(woken.at(-1)).toEqual(["c", 0]);
    clock.advance(10_000);
    expect([line.isCrowded("project"), clock.pendingTimers]).toEqual([false, 0]);
  });

  it("does not wake who has left the line while it waited, however urgent it was", async () => {
    const { enter, line, woken } = lineUnderTest();
    const a = enter("a");
    await enter("b").turn;
    await enter("deleted", "project", EDIT).turn;
    line.leave("deleted");
    a.end();
    await a.turn;
    expect(woken).toEqual([["b", 0]]);
  });
});
