import { describe, expect, it } from "vitest";
import { ManualClock } from "../../base/manual-clock.ts";
import { TerminalError, TransientError } from "../../runtime/outcome.ts";
import { Refusals } from "./refusals.ts";

function refused(recheckAfterMs = 600_000): { readonly clock: ManualClock; readonly refusals: Refusals } {
  const clock = new ManualClock();
  const refusals = new Refusals(clock);
  refusals.note("uid", "source-1", new TerminalError("Rejected", "no such module", { recheckAfterMs }));
  return { clock, refusals };
}

describe("refusals", () => {
  it("[K-29] refuses the same thing again as the platform did, and looks again when that would have", () => {
    const { clock, refusals } = refused();
    clock.advance(200_000);
    expect(() => refusals.recall("uid", "source-1")).toThrow(
      expect.objectContaining({
        code: "TERMINAL",
        reason: "Rejected",
        message: "no such module",
        recheckAfterMs: 400_000,
      }),
    );
  });

  it.each([
    { why: "another source", uid: "uid", fingerprint: "source-2" },
    { why: "another object", uid: "other", fingerprint: "source-1" },
  ])("lets $why pass", ({ uid, fingerprint }) => {
    expect(() => refused().refusals.recall(uid, fingerprint)).not.toThrow();
  });

  it("lets the same one pass when it is time to look again", () => {
    const { clock, refusals } = refused();
    clock.advance(600_000);
    expect(() => refusals.recall("uid", "source-1")).not.toThrow();
  });

  it("lets it pass once it is forgotten", () => {
    const { refusals } = refused();
    refusals.forget("uid");
    expect(() => refusals.recall("uid", "source-1")).not.toThrow();
  });

  it("remembers no failure that passes by itself", () => {
    const refusals = new Refusals(new ManualClock());
    refusals.note("uid", "source-1", new TransientError("ServerUnavailable", "no answer"));
    expect(() => refusals.recall("uid", "source-1")).not.toThrow();
  });
});
