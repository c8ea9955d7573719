import { describe, expect, it } from "vitest";
import { TerminalError, TransientError, WaitingError } from "../../runtime/outcome.ts";
import { attempt, endOf } from "./attempt.ts";
import { terminal, waiting, waitingUntold } from "./failures.ts";

const refused = terminal("Rejected", "refused", { recheckAfterMs: 600_000 });
const unseen = terminal("InvalidSpec", "wrong");
const soon = waiting("Upgrading", "upgrading", 5000);
const later = waiting("ReferenceNotFound", "no Secret", 600_000);
const passing = new TransientError("ServerUnavailable", "no answer");
const untold = waitingUntold("ReferenceNotFound", "another one has it");
const budget = Object.assign(new Error("no budget"), { code: "BUDGET" });

describe("a part of a run", () => {
  it.each([refused, soon, passing])("that fails as reconcilers do is kept: $reason", async (failure) => {
    expect(await attempt(() => Promise.reject(failure))).toEqual({ ok: false, failure });
  });

  it("gives what it comes to", async () => {
    expect(await attempt(() => Promise.resolve(1))).toEqual({ ok: true, value: 1 });
  });

  it.each([
    { why: "without budget", error: budget },
    { why: "of a token that is not accepted", error: new TransientError("ConnectionNotReady", "no") },
    { why: "with a bug", error: new TypeError("undefined is not a function") },
  ])("that ends $why ends the whole run", async ({ error }) => {
    await expect(attempt(() => Promise.reject(error))).rejects.toBe(error);
  });
});

describe("the end of a run", () => {
  it.each([
    { why: "nothing failed", failures: [undefined], due: 5, end: undefined },
    { why: "a bug ends it by itself", failures: [refused, budget], due: 5, end: budget },
    {
      why: "what passes is repeated with backoff, in the words of all",
      failures: [refused, soon, passing],
      due: 5,
      end: new TransientError("ServerUnavailable", "refused; upgrading; no answer"),
    },
    {
      why: "of waits the soonest look counts",
      failures: [refused, later, undefined, soon],
      due: 60_000,
      end: new WaitingError("ReferenceNotFound", "refused; no Secret; upgrading", 5000),
    },
    {
      why: "a wait puts nothing off that is looked at sooner",
      failures: [waiting("DnsPending", "no records", 700_000), refused],
      due: undefined,
      end: new WaitingError("DnsPending", "no records; refused", 600_000),
    },
    {
      why: "a wait puts nothing off that is due",
      failures: [later],
      due: 60_000,
      end: new WaitingError("ReferenceNotFound", "no Secret", 60_000),
    },
    {
      why: "nor does what somebody must put right",
      failures: [unseen, refused],
      due: 60_000,
      end: new TerminalError("InvalidSpec", "wrong; refused", { recheckAfterMs: 60_000 }),
    },
    {
      why: "what no look finds put right is not looked at",
      failures: [unseen],
      due: undefined,
      end: new TerminalError("InvalidSpec", "wrong"),
    },
    {
      why: "the same words are told once",
      failures: [refused, terminal("Rejected", "refused")],
      due: undefined,
      end: new TerminalError("Rejected", "refused", { recheckAfterMs: 600_000 }),
    },
  ])("$why", ({ failures, due, end }) => {
    const ended = endOf(failures, due);
    expect(ended).toEqual(end);
    expect(memberOf(ended, "retryAfterMs")).toBe(memberOf(end, "retryAfterMs"));
    expect(memberOf(ended, "recheckAfterMs")).toBe(memberOf(end, "recheckAfterMs"));
  });

  it("is told unless all of it is expected to be over at once", () => {
    expect(
      [[untold], [untold, soon], [untold, refused]].map((all) => memberOf(endOf(all, undefined), "untold")),
    ).toEqual([true, false, false]);
  });
});

function memberOf(error: Error | undefined, name: string): unknown {
  return error === undefined ? undefined : Reflect.get(error, name);
}
