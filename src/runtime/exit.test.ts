import { describe, expect, it } from "vitest";
import { type Exit, exitCode, exitMessage } from "./exit.ts";
import { LeaseLostError } from "./leadership.ts";

describe("exits", () => {
  it.each([
    { exit: { kind: "stopped", clean: true }, code: 0, says: "stopped" },
    { exit: { kind: "stopped", clean: false }, code: 0, says: "cut off" },
    { exit: { kind: "leaseLost", error: new LeaseLostError("not renewed") }, code: 1, says: "not renewed" },
    { exit: { kind: "syncTimeout", sources: ["projects", "branches"] }, code: 1, says: "projects, branches" },
    {
      exit: { kind: "failed", what: "source projects", error: new Error("boom") },
      code: 1,
      says: "source projects failed: boom",
    },
  ] satisfies readonly { readonly exit: Exit; readonly code: number; readonly says: string }[])(
    "$exit.kind ends with code $code and says why",
    ({ exit, code, says }) => {
      expect(exitCode(exit)).toBe(code);
      expect(exitMessage(exit)).toContain(says);
    },
  );
});
