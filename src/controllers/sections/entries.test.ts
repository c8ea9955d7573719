import { describe, expect, it } from "vitest";
import { entryAfter } from "./entries.ts";
import { type SectionLook, SETTLED } from "./section.ts";

const look: SectionLook = {
  changes: [],
  progress: SETTLED,
  restarts: () => false,
  write: () => Promise.reject(new Error("nothing is written here")),
};
const NOTHING = { reported: [], stuck: [], ignored: [] };

function entryOf(of: Partial<Parameters<typeof entryAfter>[0]>) {
  return entryAfter({
    before: { name: "auth" },
    digest: "digest",
    isObserved: false,
    look,
    open: [],
    left: NOTHING,
    isSettled: false,
    advice: undefined,
    nowMs: 0,
    timeout: "1h",
    ...of,
  });
}

describe("how a section stands of which more than one thing is to be told", () => {
  it.each([
    { left: { ...NOTHING, stuck: ["b"] }, says: "came back different" },
    { left: { ...NOTHING, reported: ["b"] }, says: "differs remotely" },
    { left: { ...NOTHING, ignored: ["b"] }, says: "driftPolicy Ignore leaves different" },
  ])("is as what goes on by itself, with what is left beside it: $says", ({ left, says }) => {
    const { state, reason, message, fields } = entryOf({ open: ["a"], left });
    expect({ state, reason, fields }).toEqual({ state: "Applying", reason: "Updating", fields: ["a", "b"] });
    expect(message).toMatch(new RegExp(`^written, and not seen as declared yet: a; ${says}.*: b$`, "u"));
  });

  it("tells each thing that is left, and is drifted by what is written no more", () => {
    const entry = entryOf({ left: { stuck: ["a"], reported: ["b"], ignored: ["c"] } });
    expect(entry).toMatchObject({
      state: "Drifted",
      reason: "NotConverging",
      fields: ["a", "b", "c"],
      left: { stuck: ["a"], reported: ["b"], ignored: ["c"] },
    });
  });

  it("is in sync but for what is ignored, and in force", () => {
    const entry = entryOf({ left: { ...NOTHING, ignored: ["a"] } });
    expect(entry).toMatchObject({ state: "InSync", applied: "digest", left: { ignored: ["a"] } });
    expect(entry.message).toBe("driftPolicy Ignore leaves different: a");
  });

  it("has nothing left where nothing is", () => {
    expect(entryOf({})).toEqual({ name: "auth", state: "InSync", applied: "digest" });
  });
});
