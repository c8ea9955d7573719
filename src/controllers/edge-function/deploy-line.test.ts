import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineUnderTest } from "../../../test/support/controllers/deploy-line.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { DeployLine } from "./deploy-line.ts";

describe("a line", () => {
  it("turns away who comes while somebody is at work, and wakes them one by one in order of arrival", async () => {
    const { enter, woken, line } = lineUnderTest();
    const a = enter("a");
    expect(await enter("b").turn).toEqual({ taken: false, again: false });
    expect(await enter("c").turn).toEqual({ taken: false, again: false });
    expect(await enter("b").turn, "it comes once more, and keeps its place").toEqual({ taken: false, again: true });
    a.end();
    expect(await a.turn).toEqual({ taken: true, value: "a" });
    expect(woken).toEqual([["b", 0]]);
    const b = enter("b");
    b.end();
    await b.turn;
    expect(woken).toEqual([
      ["b", 0],
      ["c", 0],
    ]);
    expect(line.waiting).toBe(0);
  });

  it("tells each when it first came for its turn, and whether others are still to have theirs", async () => {
    const { enter, line, came } = lineUnderTest();
    const a = enter("a");
    await enter("b").turn;
    await enter("b").turn;
    expect([line.isCrowded("project"), line.isCrowded("elsewhere")]).toEqual([true, false]);
    a.end();
    await a.turn;
    expect(line.isCrowded("project"), "who was woken is still to come").toBe(true);
    const b = enter("b");
    expect(line.isCrowded("project")).toBe(false);
    b.end();
    await b.turn;
    enter("b");
    expect(came).toEqual([
      ["a", 1],
      ["b", 2],
      ["b", 5],
    ]);
  });

  it("keeps the place of who comes again while waiting", async () => {
    const { enter, woken } = lineUnderTest();
    const a = enter("a");
    for (const id of ["b", "c", "b"]) await enter(id).turn;
    a.end();
    await a.turn;
    expect(woken).toEqual([["b", 0]]);
  });

  it("does not mix places", async () => {
    const { enter } = lineUnderTest();
    enter("a", "one");
    const b = enter("b", "two");
    b.end();
    expect(await b.turn).toEqual({ taken: true, value: "b" });
  });

  it("wakes the next one when who was woken has nothing to deploy any more", async () => {
    const { enter, woken, line } = lineUnderTest();
    const a = enter("a");
    for (const id of ["b", "c"]) await enter(id).turn;
    a.end();
    await a.turn;
    line.leave("b");
    expect(woken.map(([id]) => id)).toEqual(["b", "c"]);
  });

  it("wakes nobody when somebody leaves who was not awaited", async () => {
    const { enter, woken, line } = lineUnderTest();
    const a = enter("a");
    for (const id of ["b", "c"]) await enter(id).turn;
    line.leave("b");
    line.leave("stranger");
    expect(woken).toEqual([]);
    a.end();
    await a.turn;
    expect(woken.map(([id]) => id)).toEqual(["c"]);
  });

  it("lets others in when who was woken does not come, which has then lost its turn", async () => {
    const { enter, woken } = lineUnderTest();
    const a = enter("a");
    for (const id of ["paused", "c"]) await enter(id).turn;
    a.end();
    await a.turn;
    const c = enter("c");
    c.end();
    expect(await c.turn).toEqual({ taken: true, value: "c" });
    expect(woken.map(([id]) => id)).toEqual(["paused"]);
  });

  it("goes on after a failure, and passes on how long the next one need not try", async () => {
    const { enter, woken } = lineUnderTest();
    const a = enter("a");
    for (const id of ["b", "c"]) await enter(id).turn;
    a.fail("no budget");
    await expect(a.turn).rejects.toBe("no budget");
    expect(woken).toEqual([["b", 5000]]);
  });

  it("never has two at work in one place, and wakes everybody in the end", async () => {
    const steps = fc.array(fc.tuple(fc.nat(5), fc.boolean()), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(steps, async (visits) => {
        const line = new DeployLine(new ManualClock());
        const due: string[] = [];
        let atWork = 0;
        let most = 0;
        const done = new Set<string>();
        const visit = async (id: string): Promise<void> => {
          const turn = await line.enter(
            { id, place: "project", level: Number(id) % 5, mark: 0, wake: () => void due.push(id) },
            async () => {
              atWork += 1;
              most = Math.max(most, atWork);
              await Promise.resolve();
              atWork -= 1;
            },
            () => 0,
          );
          if (turn.taken) done.add(id);
        };
        const running: Promise<void>[] = [];
        const names = new Set<string>();
        for (const [number, pause] of visits) {
          names.add(`${number}`);
          running.push(visit(`${number}`));
          if (pause) await Promise.resolve();
        }
        await Promise.all(running);
        for (let id = due.shift(); id !== undefined; id = due.shift()) await visit(id);
        expect(most).toBeLessThanOrEqual(1);
        expect(done).toEqual(names);
        expect(line.waiting).toBe(0);
      }),
    );
  });
});
