import { describe, expect, it } from "vitest";
import { connectionOf } from "../../../test/support/controllers/connection.ts";
import { connectionInUse, isElsewhere, Sessions } from "./sessions.ts";

describe("Sessions", () => {
  const session = connectionOf("ns");

  function heard(): { readonly sessions: Sessions; readonly ids: string[] } {
    const sessions = new Sessions();
    const ids: string[] = [];
    sessions.onChange((id) => void ids.push(id));
    return { sessions, ids };
  }

  it("tells when a connection begins to work, and not when it goes on as before", () => {
    const { sessions, ids } = heard();
    sessions.set(session);
    sessions.set({ ...session });
    sessions.set({ ...session, allowedRefs: undefined });
    expect(ids).toEqual([session.id]);
  });

  it.each([
    { why: "another account", change: { account: "other" } },
    { why: "another client, that is another token", change: { client: connectionOf("ns").client } },
    { why: "other defaults", change: { defaults: { driftPolicy: "Report" as const } } },
    { why: "other refs allowed", change: { allowedRefs: ["x"] } },
    { why: "kept for deletions alone", change: { deletionOnly: true } },
  ])("tells of a change: $why", ({ change }) => {
    const { sessions, ids } = heard();
    sessions.set(session);
    sessions.set({ ...session, ...change });
    expect(ids).toHaveLength(2);
    expect(sessions.get(session.id)).toMatchObject(change);
  });

  it("tells once when a connection works no more", () => {
    const { sessions, ids } = heard();
    sessions.set(session);
    sessions.drop(session.id);
    sessions.drop(session.id);
    expect(ids).toHaveLength(2);
    expect(sessions.get(session.id)).toBeUndefined();
  });
});

describe("isElsewhere", () => {
  const here = connectionOf("ns", { server: "https://one" });

  it.each([
    { recorded: undefined, elsewhere: false, why: "nothing was recorded" },
    {
      recorded: { kind: "Connection", name: "c", identity: "a" },
      elsewhere: false,
      why: "an older record does not say where",
    },
    { recorded: connectionInUse(here), elsewhere: false, why: "the same platform" },
    { recorded: { ...connectionInUse(here), server: "https://two" }, elsewhere: true, why: "another platform" },
    {
      recorded: { ...connectionInUse(here), name: "other" },
      elsewhere: false,
      why: "another connection to the same platform",
    },
  ])("is $elsewhere: $why", ({ recorded, elsewhere }) => {
    expect(isElsewhere(recorded, here)).toBe(elsewhere);
  });
});
