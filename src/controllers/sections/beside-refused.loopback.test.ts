import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** How the others of a section stand beside what is refused of it: each is told, and what goes on by itself is looked at in time. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "free" }] } });
  await stage.apply(gated);
});

afterEach(() => stage[Symbol.asyncDispose]());

const HOOK = "spec.auth.hooks.sendSms.enabled";
const OTP = "spec.auth.sms.testOtpValidUntil";
const READ = "authConfig.get";
const WRITE = "authConfig.update";

const gated = { auth: { passwords: { minLength: 12 }, hooks: { sendSms: { enabled: true } } } };
const lost = { auth: { ...gated.auth, sms: { testOtpValidUntil: "2026-01-31T12:00:00Z" } } };

const writes = async (): Promise<number> => (await stage.calls()).filter((id) => id === WRITE).length;

/** The platform answers null for a field, whatever is written; what it refused, it refuses once more with the next edit. */
async function loseField(): Promise<void> {
  const refusal = { kind: "status", status: 402, body: { message: "not on this plan" } } as const;
  await stage.theatre.emulator.control.faults.add({ operation: WRITE, fault: refusal });
  const answer = { ...(await stage.client.authConfig.get({ ref: stage.ref })), sms_test_otp_valid_until: null };
  for (const operation of [READ, WRITE] as const) {
    const fault = { kind: "status", status: 200, body: answer } as const;
    await stage.theatre.emulator.control.faults.add({ operation, count: null, fault });
  }
  await stage.calls();
}

describe("beside a refused field", () => {
  it("what is written and not seen yet is polled, and not left to the drift check", async () => {
    await loseField();
    const outcome = await stage.start(lost);
    expect(outcome).toMatchObject({ kind: "waiting", reason: "Updating" });
    expect(outcome.kind === "waiting" ? outcome.retryAfterMs : Infinity).toBeLessThan(60_000);
    expect(stage.entry("auth")).toMatchObject({
      state: "Applying",
      reason: "Updating",
      fields: [HOOK, OTP],
      refused: { reason: "PlanLimit", fields: [HOOK] },
    });
    expect(stage.entry("auth")?.message).toMatch(/plan.*not seen as declared yet: spec\.auth\.sms\.testOtpValidUntil/u);
    expect(stage.condition("Reconciling")).toMatchObject({ status: "True" });
    expect(stage.condition("Stalled")).toBeUndefined();
  });

  it("[K-16] what does not converge is told as that, and not as drift", async () => {
    await loseField();
    await stage.start(lost);
    for (let look = 0; look < 10; look += 1) await stage.run("progress");
    // with what is refused, and three times without it
    expect(await writes()).toBe(4);
    expect(stage.condition("Converging")).toMatchObject({ status: "False", reason: "NotConverging" });
    expect(stage.condition("Converging")?.message).toContain(OTP);
    expect(stage.condition("Drifted")).toBeUndefined();
    expect(stage.entry("auth")).toMatchObject({ state: "Failed", reason: "PlanLimit", left: { stuck: [OTP] } });
    expect(stage.condition("Stalled")).toMatchObject({ status: "True", reason: "PlanLimit" });
  });

  it("what takes too long is told with its own reason", async () => {
    await loseField();
    await stage.start(lost);
    await stage.theatre.pass(3_600_000);
    expect(await stage.run("progress")).toMatchObject({ kind: "terminal", reason: "SectionsDiffer" });
    expect(stage.entry("auth")).toMatchObject({
      state: "Failed",
      reason: "DeadlineExceeded",
      refused: { fields: [HOOK] },
    });
  });

  it("a look that fails and passes has it asked for no more", async () => {
    const fault = { kind: "status", status: 500, body: { message: "not now" } } as const;
    const { id } = await stage.theatre.emulator.control.faults.add({ operation: READ, count: null, fault });
    await stage.run("drift");
    expect(stage.entry("auth")).toMatchObject({ state: "Waiting", refused: { fields: [HOOK] } });
    await stage.theatre.emulator.control.faults.remove({ id });
    await stage.calls();
    expect(await stage.run("progress")).toMatchObject({ kind: "terminal", reason: "PlanLimit" });
    expect(await writes()).toBe(0);
    expect(stage.entry("auth")).toMatchObject({ state: "Failed", reason: "PlanLimit", fields: [HOOK] });
  });
});
