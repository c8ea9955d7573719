import { describe, expect, it } from "vitest";
import { connectionOf } from "../../../test/support/controllers/connection.ts";
import type { RemoteSecret } from "../../api/contract/secrets.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { acceptableAgeMs, ProjectSnapshots } from "./snapshot.ts";

const interval = 600_000;

it.each([
  { lane: "change" as const, ready: true, ms: 10_000, why: "an edit is decided on ten seconds at most (engine.md §3)" },
  { lane: "sync" as const, ready: false, ms: 10_000, why: "so is a first look" },
  { lane: "progress" as const, ready: false, ms: 2000, why: "what is polled must be seen to move" },
  { lane: "drift" as const, ready: true, ms: interval, why: "one read serves a whole interval" },
  { lane: "drift" as const, ready: false, ms: 2000, why: "a slow look at what is stalled is no drift check" },
])("a list may be $ms ms old in lane $lane (ready: $ready): $why", ({ lane, ready, ms }) => {
  expect(acceptableAgeMs({ lane, ready, driftIntervalMs: interval })).toBe(ms);
});

it("is as for a change where drift is not looked for", () => {
  expect(acceptableAgeMs({ lane: "drift", ready: true, driftIntervalMs: undefined })).toBe(10_000);
});

describe("ProjectSnapshots", () => {
  const minute = 60_000;
  const { signal } = new AbortController();

  it("is the same for all who ask for a project through one client, and another one through another", () => {
    const snapshots = new ProjectSnapshots(new ManualClock());
    const [one, other] = ["one", "other"].map((namespace) => connectionOf(namespace).client);
    if (one === undefined || other === undefined) throw new RangeError("two clients");
    expect(snapshots.of(one, "ref")).toBe(snapshots.of(one, "ref"));
    expect(snapshots.of(one, "ref")).not.toBe(snapshots.of(other, "ref"));
    expect(snapshots.of(one, "ref")).not.toBe(snapshots.of(one, "another"));
  });

  it("holds nothing of a place that the platform does not know, until it answers again", async () => {
    const clock = new ManualClock();
    const snapshots = new ProjectSnapshots(clock);
    const { client: real } = connectionOf("one");
    let reads = 0;
    const answer = (): Promise<RemoteSecret[]> => Promise.resolve([{ name: `NAME_${(reads += 1)}`, value: "" }]);
    const client = { ...real, secrets: { ...real.secrets, list: answer } };
    const list = (): Promise<readonly { readonly name: string }[]> =>
      snapshots.of(client, "ref").secrets.get(minute, { lane: "drift", signal });
    await list();
    const secrets = { client, ref: "ref", list: "secrets" } as const;
    expect(snapshots.gone(secrets, 0)).toBe(true);
    expect(snapshots.gone(secrets, 0), "the same answer, told to somebody else").toBe(false);
    expect(snapshots.isGone(secrets, 1000), "once may be a mistake").toBe(false);
    expect(snapshots.gone(secrets, snapshots.timesGone(secrets))).toBe(false);
    expect(snapshots.isGone(secrets, 1000)).toBe(true);
    expect(snapshots.isGone({ ...secrets, ref: "another" }, 1000)).toBe(false);
    expect(snapshots.isGone({ ...secrets, list: "functions" }, 1000), "one list may be answered otherwise").toBe(false);
    clock.advance(1000);
    expect(snapshots.isGone(secrets, 1000)).toBe(false);
    expect(await list()).toMatchObject([{ name: "NAME_2" }]);
    expect(snapshots.isGone(secrets, minute)).toBe(false);
    expect(snapshots.gone(secrets, 0)).toBe(true);
  });

  it("a list that is answered so for long is news once, whatever the others are answered, and drops them once", async () => {
    const snapshots = new ProjectSnapshots(new ManualClock());
    const { client: real } = connectionOf("one");
    let reads = 0;
    const answer = (): Promise<RemoteSecret[]> => Promise.resolve([{ name: `NAME_${(reads += 1)}`, value: "" }]);
    const client = { ...real, secrets: { ...real.secrets, list: answer } };
    const functions = { client, ref: "ref", list: "functions" } as const;
    const news: boolean[] = [];
    for (let minutes = 0; minutes < 3; minutes += 1) {
      await snapshots.of(client, "ref").secrets.get(minute, { lane: "drift", signal });
      news.push(snapshots.gone(functions, snapshots.timesGone(functions)));
    }
    expect([news, reads]).toEqual([[true, false, false], 2]);
  });

  it.each([
    { age: 2000, unused: 21, kept: false, why: "nobody uses it, nor any run that still holds it" },
    { age: 2000, unused: 9, kept: true, why: "a run that began ten minutes ago may still hold it" },
    { age: 24 * 60 * minute, unused: 20 * 60, kept: true, why: "its list serves a drift check a day" },
    { age: 24 * 60 * minute, unused: 25 * 60, kept: false, why: "the day is over" },
  ])("is kept for as long as its lists serve somebody ($unused min later: $kept): $why", async (row) => {
    const clock = new ManualClock();
    const snapshots = new ProjectSnapshots(clock);
    const { client } = connectionOf("ns");
    const before = snapshots.of(client, "ref");
    const unreachable = before.functions.get(row.age, { lane: "drift", signal }).catch(() => undefined);
    await clock.advanceAsync(row.unused * minute);
    expect(snapshots.size).toBe(row.kept ? 1 : 0);
    expect(snapshots.of(client, "ref") === before).toBe(row.kept);
    await client.close();
    await unreachable;
  });

  it("goes, used or not, when its client is no more used, and leaves no timer behind", async () => {
    const clock = new ManualClock();
    const snapshots = new ProjectSnapshots(clock);
    for (let n = 0; n < 100; n += 1) snapshots.of(connectionOf(`ns-${n}`).client, `ref-${n}`);
    expect(snapshots.size).toBe(100);
    await clock.advanceAsync(60 * minute);
    expect([snapshots.size, clock.pendingTimers]).toEqual([0, 0]);
  });

  it("goes on counting where it was, so that who waits for a list after a moment waits for no second one", async () => {
    const clock = new ManualClock();
    const snapshots = new ProjectSnapshots(clock);
    const { client } = connectionOf("ns");
    const { functions } = snapshots.of(client, "ref");
    const reads = [1, 2, 3].map((_) => functions.get(0, { lane: "drift", signal }).catch(() => undefined));
    const mark = functions.mark();
    expect(mark).toBeGreaterThan(0);
    await clock.advanceAsync(60 * minute);
    expect(snapshots.of(client, "ref").functions.mark()).toBeGreaterThanOrEqual(mark);
    await client.close();
    await Promise.all(reads);
  });
});
