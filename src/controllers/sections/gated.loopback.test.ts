import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** Fields that hang on a plan or an add-on, in one request with others: what is refused of them keeps none of the others. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "free" }] } });
  stage.putSecret("github", { clientSecret: "one" });
});

afterEach(() => stage[Symbol.asyncDispose]());

const HOOK = "spec.auth.hooks.sendSms.enabled";
const WRITE = "authConfig.update";

const auth = {
  passwords: { minLength: 12 },
  providers: { github: { enabled: true, clientId: "x", clientSecret: { secretKeyRef: { name: "github" } } } },
};
const gated = { auth: { ...auth, hooks: { sendSms: { enabled: true } } } };

const writes = async (): Promise<number> => (await stage.calls()).filter((id) => id === WRITE).length;
const observed = () => stage.client.authConfig.get({ ref: stage.ref });

async function applyGated(): Promise<void> {
  expect(await stage.apply(gated)).toMatchObject({ kind: "terminal" });
  await stage.calls();
}

function expectRefused(): void {
  const entry = stage.entry("auth");
  expect(entry).toMatchObject({ state: "Failed", fields: [HOOK], refused: { fields: [HOOK] } });
  expect(entry?.message).toContain("plan");
}

describe("a field that the plan does not allow", () => {
  it("is told by itself, and what is declared beside it is written", async () => {
    await applyGated();
    expectRefused();
    expect(await observed()).toMatchObject({ password_min_length: 12, external_github_enabled: true });
  });

  it("keeps no rotated Secret from being written, and is not asked for with it", async () => {
    await applyGated();
    stage.putSecret("github", { clientSecret: "two" });
    await stage.run("change");
    expect(await writes()).toBe(1);
    expectRefused();
    await stage.run("drift");
    expect(await writes()).toBe(0);
  });

  it("keeps nobody from putting back what was changed by hand beside it", async () => {
    await applyGated();
    await stage.client.authConfig.update({ ref: stage.ref, body: { password_min_length: 6 } });
    await stage.calls();
    await stage.run("drift");
    expect(await writes()).toBe(1);
    expect(await observed()).toMatchObject({ password_min_length: 12 });
    expectRefused();
  });

  it("keeps no edit of what is declared beside it, and is asked for once with it", async () => {
    await applyGated();
    await stage.apply({ auth: { ...gated.auth, passwords: { minLength: 14 } } });
    expect(await writes()).toBe(2);
    expect(await observed()).toMatchObject({ password_min_length: 14 });
    expectRefused();
    for (const lane of ["change", "drift"] as const) await stage.run(lane);
    expect(await writes()).toBe(0);
  });

  it("is neither read nor asked for by a run for something else", async () => {
    await applyGated();
    await stage.run("change");
    expect(await stage.calls()).toEqual([]);
  });

  it.each(["Correct", "Report"] as const)(
    "is asked for once the plan is another one, under %s",
    async (driftPolicy) => {
      await stage.apply({ ...gated, driftPolicy });
      expectRefused();
      await stage.theatre.emulator.control.organizations.patch({ slug: "acme", plan: "pro" });
      await stage.calls();
      expect(await stage.run("drift")).toMatchObject({ kind: "done" });
      expect(await writes()).toBe(1);
      expect(await observed()).toMatchObject({ hook_send_sms_enabled: true });
      expect(stage.entry("auth")).toMatchObject({ state: "InSync" });
      expect(stage.entry("auth")).not.toHaveProperty("refused");
    },
  );

  it("is asked for once it is another one itself", async () => {
    const hooks = { sendSms: { enabled: true }, sendEmail: { enabled: true } };
    await applyGated();
    await stage.apply({ auth: { ...auth, hooks } });
    const fields = [HOOK, "spec.auth.hooks.sendEmail.enabled"];
    expect(stage.entry("auth")).toMatchObject({ state: "Failed", fields, refused: { fields } });
    await stage.calls();
    await stage.run("drift");
    expect(await writes()).toBe(0);
    await stage.apply({ auth });
    expect(stage.entry("auth")).toMatchObject({ state: "InSync" });
  });

  it("is told beside what is only reported", async () => {
    await stage.apply({ ...gated, driftPolicy: "Report" });
    await stage.client.authConfig.update({ ref: stage.ref, body: { password_min_length: 6 } });
    await stage.calls();
    await stage.run("drift");
    expect(await writes()).toBe(0);
    const changed = "spec.auth.passwords.minLength";
    expect(stage.entry("auth")).toMatchObject({
      state: "Failed",
      fields: [HOOK, changed],
      refused: { fields: [HOOK] },
    });
    expect(stage.entry("auth")?.message).toMatch(/plan.*differs remotely: spec\.auth\.passwords\.minLength/u);
    expect(stage.condition("Drifted")).toMatchObject({ status: "True" });
  });
});

describe("fields of several plans and add-ons", () => {
  const phone = { mfa: { phone: { otpLength: 8 } } };
  const OTP = "spec.auth.mfa.phone.otpLength";
  const hooks = { hooks: { sendSms: { enabled: true } } };

  it.each([
    { what: "alone", beside: {} },
    { what: "beside others", beside: { passwords: { minLength: 12 } } },
  ])("are told for themselves where the plan refuses some, $what: those of an add-on are written", async (one) => {
    // The contract has no field named by it (facts.md §5).
    const fault = { kind: "status", status: 402, body: { message: "not on this plan" } } as const;
    await stage.theatre.emulator.control.faults.add({ operation: WRITE, fault });
    await stage.apply({ auth: { ...phone, ...hooks, ...one.beside } });
    expectRefused();
    expect(await observed()).toMatchObject({ mfa_phone_otp_length: 8 });
    await stage.calls();
    await stage.run("drift");
    expect(await writes()).toBe(0);
    await stage.apply({ auth: { mfa: { phone: { otpLength: 9 } }, ...hooks, ...one.beside } });
    // together, and each by itself
    expect(await writes()).toBe(3);
    expect(await observed()).toMatchObject({ mfa_phone_otp_length: 9 });
    expectRefused();
  });

  it.each([
    { addon: "auth_mfa_phone", gatedBy: phone, field: OTP, kept: { mfa_phone_otp_length: 6 } },
    {
      addon: "auth_mfa_web_authn",
      gatedBy: { mfa: { webAuthn: { enrollEnabled: true } } },
      field: "spec.auth.mfa.webAuthn.enrollEnabled",
      kept: { mfa_web_authn_enroll_enabled: false },
    },
  ])(
    "are written where the plan has them and the add-on is missing, and only what hangs on that is told: $addon",
    async (one) => {
      await stage.theatre.emulator.control.organizations.patch({ slug: "acme", plan: "pro" });
      await stage.apply({ auth });
      // The contract names the add-on and no refusal for want of it (facts.md §1): the one here is what a platform may say.
      const fault = { kind: "status", status: 400, body: { message: "not enabled" } } as const;
      // all together, and then those of the add-on
      await stage.theatre.emulator.control.faults.add({ operation: WRITE, count: 2, fault });
      await stage.calls();
      await stage.apply({ auth: { ...auth, ...hooks, ...one.gatedBy } });
      expect(await writes()).toBe(3);
      expect(await observed()).toMatchObject({ hook_send_sms_enabled: true, ...one.kept });
      const fields = [one.field];
      expect(stage.entry("auth")).toMatchObject({ state: "Failed", fields, refused: { fields } });
      expect(stage.entry("auth")?.message).toContain(`needs the add-on ${one.addon}`);
      await stage.run("drift");
      expect(await writes()).toBe(0);
    },
  );

  it("are told without what was written, where they fail after that", async () => {
    const { faults } = stage.theatre.emulator.control;
    const refusal = { kind: "status", status: 402, body: { message: "not on this plan" } } as const;
    await faults.add({ operation: WRITE, fault: refusal });
    const fault = { kind: "status", status: 500, body: { message: "not now" } } as const;
    // Together they are refused, and the others are taken.
    await faults.add({ operation: WRITE, skip: 1, count: null, fault });
    await stage.start({ auth: { passwords: { minLength: 12 }, ...phone, ...hooks } });
    expect(await observed()).toMatchObject({ password_min_length: 12 });
    expect(stage.entry("auth")?.fields?.toSorted()).toEqual([HOOK, OTP]);
  });

  it("are told each in the platform's words where all are refused, and asked for no more", async () => {
    await stage.apply({ auth: { ...auth, ...hooks } });
    const fault = { kind: "status", status: 400, body: { message: "no" } } as const;
    // all together, and then those of the add-on
    await stage.theatre.emulator.control.faults.add({ operation: WRITE, count: 2, fault });
    await stage.apply({ auth: { ...auth, ...phone, ...hooks } });
    const entry = stage.entry("auth");
    expect(entry?.fields?.toSorted()).toEqual([HOOK, OTP]);
    expect(entry?.refused?.fields?.toSorted()).toEqual([HOOK, OTP]);
    expect(entry?.message).toContain("plan of pro");
    expect(entry?.message).toContain("the add-on auth_mfa_phone");
    await stage.calls();
    await stage.run("drift");
    expect(await writes()).toBe(0);
  });
});
