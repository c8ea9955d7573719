import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readings, type Readings } from "../../../test/support/runtime/readings.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";
import { PASSWORD_CHARACTERS } from "../../api/contract/auth-config-fields-security.ts";
import type { AuthConfig, AuthConfigUpdate } from "../../api/contract/auth-config.ts";

let stage: SectionStage;
let counted: Readings;

beforeEach(async () => {
  counted = readings();
  const seed = { organizations: [{ slug: "acme", name: "Acme", plan: "free" as const }] };
  stage = await openSectionStage({ seed }, { meter: counted.meter });
});

afterEach(() => stage[Symbol.asyncDispose]());

const read = (): Promise<AuthConfig> => stage.client.authConfig.get({ ref: stage.ref });
const byHand = async (body: AuthConfigUpdate): Promise<void> => {
  await stage.client.authConfig.update({ ref: stage.ref, body });
  await stage.calls();
};
const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const secretKeyRef = (name: string, key: string): object => ({ secretKeyRef: { name, key } });
const READ = "authConfig.get";
const WRITE = "authConfig.update";

const smtp = {
  host: "mail.example.com",
  port: 587,
  user: "shop",
  password: secretKeyRef("smtp", "password"),
  adminEmail: "no-reply@example.com",
};

describe("a secret of auth", () => {
  it("[K-13] is written once, read back masked for ever after without a write, and once more when it is rotated", async () => {
    stage.putSecret("smtp", { password: "first" });
    await stage.apply({ auth: { smtp } });
    expect(await stage.calls()).toEqual([READ, WRITE]);
    expect(await read()).toMatchObject({ smtp_pass: digest("first") });
    for (let look = 0; look < 5; look += 1) await stage.run();
    expect((await stage.calls()).filter((operation) => operation === WRITE)).toEqual([]);
    stage.putSecret("smtp", { password: "second" });
    await stage.run("change");
    await stage.run();
    expect((await stage.calls()).filter((operation) => operation === WRITE)).toEqual([WRITE]);
    expect(await read()).toMatchObject({ smtp_pass: digest("second") });
    expect(JSON.stringify(stage.stored())).not.toContain("second");
    expect(JSON.stringify(stage.life.events)).not.toContain("second");
  });

  it("[K-13] that somebody replaced by hand is put back", async () => {
    stage.putSecret("smtp", { password: "first" });
    await stage.apply({ auth: { smtp } });
    await byHand({ smtp_pass: "somebody else's" });
    await stage.run();
    expect(await stage.calls()).toEqual([READ, WRITE]);
    expect(await read()).toMatchObject({ smtp_pass: digest("first") });
  });

  it("that is not there keeps the whole section waiting, with its name, and is written when it is there", async () => {
    const auth = { siteUrl: "https://shop.test", captcha: { secret: secretKeyRef("captcha", "key") } };
    expect(await stage.start({ auth })).toMatchObject({ kind: "waiting" });
    expect(stage.entry("auth")).toMatchObject({
      state: "Waiting",
      reason: "ReferenceNotFound",
      fields: ["spec.auth.captcha.secret"],
    });
    expect(stage.entry("auth")?.message).toContain("captcha");
    expect(await stage.calls()).toEqual([]);
    stage.putSecret("captcha", { key: "k" });
    await stage.run("change");
    expect(await stage.calls()).toEqual([READ, WRITE]);
    expect(stage.entry("auth")).toMatchObject({ state: "InSync" });
  });
});

describe("a declared field", () => {
  it("that is refused names the add-on that a second factor needs", async () => {
    const fault = { kind: "status", status: 400, body: { message: "not enabled" } } as const;
    await stage.theatre.emulator.control.faults.add({ operation: WRITE, fault });
    await stage.apply({ auth: { jwtExpiry: "2h", mfa: { phone: { enrollEnabled: true } } } });
    const message = stage.entry("auth")?.message;
    expect(message).toContain("spec.auth.mfa.phone.enrollEnabled needs the add-on auth_mfa_phone");
  });

  it("[K-14] is all that a request holds: on a plan without hooks an echo would be refused, and an echoed mask would be stored", async () => {
    await byHand({ smtp_pass: "by hand", external_github_secret: "by hand" });
    expect(await stage.apply({ auth: { siteUrl: "https://shop.test" } })).toMatchObject({ kind: "done" });
    expect(await stage.calls()).toEqual([READ, WRITE]);
    const mask = digest("by hand");
    expect(await read()).toMatchObject({
      site_url: "https://shop.test",
      smtp_pass: mask,
      external_github_secret: mask,
    });
    const told = stage.life.events.findLast(({ reason }) => reason === "Updated");
    expect(told?.note).toContain("spec.auth.siteUrl");
    expect(told?.note.match(/spec\./g)).toHaveLength(1);
  });

  it("[K-15] that another client wiped is put back by one request, and nothing else is", async () => {
    stage.putSecret("smtp", { password: "first" });
    await stage.apply({ auth: { smtp, rateLimits: { emailSent: 100 } } });
    await byHand({
      smtp_host: null,
      smtp_pass: null,
      rate_limit_email_sent: null,
      rate_limit_otp: 7,
      site_url: "https://other.test",
    });
    await stage.run();
    expect(await stage.calls()).toEqual([READ, WRITE]);
    expect(await read()).toMatchObject({
      smtp_host: "mail.example.com",
      smtp_pass: digest("first"),
      rate_limit_email_sent: 100,
      rate_limit_otp: 7,
      site_url: "https://other.test",
    });
  });

  it("[K-16] that the platform answers null for, whatever is written, is told of once and not written for ever", async () => {
    const { control } = stage.theatre.emulator;
    const { kubernetes } = stage.theatre;
    const answer = { ...(await read()), sms_test_otp_valid_until: null };
    for (const operation of [READ, WRITE] as const) {
      await control.faults.add({ operation, count: null, fault: { kind: "status", status: 200, body: answer } });
    }
    await stage.calls();
    await stage.start({ auth: { sms: { testOtpValidUntil: "2026-01-31T12:00:00Z" } } });
    for (let look = 0; look < 3; look += 1) await stage.run();
    const told = kubernetes.writes;
    for (let look = 0; look < 10; look += 1) await stage.run();
    expect((await stage.calls()).filter((operation) => operation === WRITE)).toHaveLength(3);
    expect(kubernetes.writes).toBe(told);
    expect(counted.read("baas_not_converging_total", { kind: "Project" })).toBe(1);
    expect(stage.entry("auth")).toMatchObject({
      state: "Drifted",
      reason: "NotConverging",
      fields: ["spec.auth.sms.testOtpValidUntil"],
    });
    expect(stage.condition("Converging")).toMatchObject({ status: "False" });
  });

  it.each([587, "587"])("[K-17] a port written as %j is text on the wire, and no drift", async (port) => {
    await stage.apply({ auth: { smtp: { port } } });
    expect(await read()).toMatchObject({ smtp_port: "587" });
    await stage.calls();
    await stage.run();
    expect(await stage.calls()).toEqual([READ]);
  });

  it("[K-18] the characters of a password are one word, spelled out on the wire, and no drift", async () => {
    await stage.apply({ auth: { passwords: { requiredCharacters: "LowerUpperDigitsSymbols" } } });
    expect(await read()).toMatchObject({ password_required_characters: PASSWORD_CHARACTERS.lowerUpperDigitsSymbols });
    await stage.calls();
    await stage.run();
    expect(await stage.calls()).toEqual([READ]);
    await stage.apply({ auth: { passwords: { requiredCharacters: "None" } } });
    expect(await read()).toMatchObject({ password_required_characters: "" });
  });

  it("that needs a mail server goes in the same request as the mail server", async () => {
    stage.putSecret("smtp", { password: "first" });
    expect(await stage.apply({ auth: { rateLimits: { emailSent: 100 }, smtp } })).toMatchObject({ kind: "done" });
    expect(await stage.calls()).toEqual([READ, WRITE]);
  });

  it("of a mail may lie in a ConfigMap, whose edit is written once", async () => {
    const content = { configMapKeyRef: { name: "mails", key: "invite.html" } };
    stage.putConfigMap("mails", { "invite.html": "<p>one</p>\n" });
    await stage.apply({ auth: { mailer: { templates: { invite: { subject: "Come", content } } } } });
    expect(await read()).toMatchObject({
      mailer_subjects_invite: "Come",
      mailer_templates_invite_content: "<p>one</p>\n",
    });
    stage.putConfigMap("mails", { "invite.html": "<p>two</p>" });
    await stage.calls();
    await stage.run("change");
    expect(await stage.calls()).toEqual([READ, WRITE]);
    expect(await read()).toMatchObject({ mailer_templates_invite_content: "<p>two</p>" });
  });

  it("of Apple's clients is no drift where both are answered as one", async () => {
    const apple = { clientId: "com.example.web", additionalClientIds: ["com.example.ios", "com.example.mac"] };
    await stage.apply({ auth: { providers: { apple } } });
    expect(await stage.calls()).toEqual([READ, WRITE]);
    expect(stage.entry("auth")).toMatchObject({ state: "InSync" });
    expect(await read()).toMatchObject({ external_apple_client_id: "com.example.web,com.example.ios,com.example.mac" });
    await stage.run();
    await stage.apply({ auth: { providers: { apple: { ...apple, additionalClientIds: ["com.example.ios"] } } } });
    expect(await read()).toMatchObject({ external_apple_client_id: "com.example.web,com.example.ios" });
    await stage.calls();
    await stage.run();
    expect(await stage.calls()).toEqual([READ]);
  });
});

describe("what the platform refuses", () => {
  const hook = { sendEmail: { enabled: true, uri: "https://hooks.example.com/mail" } };

  it("for the plan ends as Failed, names the plans and the fields, and is asked for again under another plan alone", async () => {
    expect(await stage.apply({ auth: { hooks: hook } })).toMatchObject({ kind: "terminal", reason: "PlanLimit" });
    const { message } = stage.entry("auth") ?? {};
    expect(stage.entry("auth")).toMatchObject({ state: "Failed", reason: "PlanLimit" });
    expect(message).toContain("it needs a plan of pro, team, enterprise, platform");
    expect(message).toContain("spec.auth.hooks.sendEmail.enabled");
    await stage.calls();
    for (let look = 0; look < 3; look += 1) await stage.run();
    expect((await stage.calls()).filter((operation) => operation.startsWith("authConfig"))).toEqual([]);
    await stage.theatre.emulator.control.organizations.patch({ slug: "acme", plan: "pro" });
    await stage.run();
    expect((await stage.calls()).filter((operation) => operation === WRITE)).toEqual([WRITE]);
    expect(stage.entry("auth")).toMatchObject({ state: "InSync" });
  });

  it("under 401 is no bad token: it ends as Failed with its words, and other sections go on", async () => {
    const spec = { auth: { rateLimits: { emailSent: 100 } }, dataApi: { maxRows: 7 } };
    expect(await stage.apply(spec)).toMatchObject({ kind: "terminal", reason: "Rejected" });
    expect(stage.entry("auth")).toMatchObject({ state: "Failed", reason: "Rejected" });
    expect(stage.entry("auth")?.message).toContain("Custom SMTP required to set rate_limit_email_sent");
    expect(stage.entry("dataApi")).toMatchObject({ state: "InSync" });
    await stage.calls();
    for (let look = 0; look < 3; look += 1) await stage.run();
    expect((await stage.calls()).filter((operation) => operation === WRITE)).toEqual([]);
    stage.putSecret("smtp", { password: "first" });
    await stage.apply({ ...spec, auth: { ...spec.auth, smtp } });
    expect(stage.entry("auth")).toMatchObject({ state: "InSync" });
  });

  it("for want of a field of another group is asked for again once that is declared, and no earlier", async () => {
    const auth = { siteUrl: "https://shop.test", rateLimits: { emailSent: 100 } };
    await stage.apply({ auth });
    const fields = ["spec.auth.rateLimits.emailSent"];
    expect(stage.entry("auth")).toMatchObject({ state: "Failed", fields, refused: { fields } });
    expect(stage.entry("auth")?.message).toContain("once the section changes");
    await stage.calls();
    await stage.run();
    expect((await stage.calls()).filter((operation) => operation === WRITE)).toEqual([]);
    stage.putSecret("smtp", { password: "first" });
    await stage.apply({ auth: { ...auth, smtp } });
    expect((await stage.calls()).filter((operation) => operation === WRITE)).toEqual([WRITE]);
    expect(stage.entry("auth")).toMatchObject({ state: "InSync" });
    expect(await read()).toMatchObject({ rate_limit_email_sent: 100 });
  });

  it("for what a Secret holds is asked for again when the Secret is another one", async () => {
    const { control } = stage.theatre.emulator;
    stage.putSecret("smtp", { password: "bad" });
    const { id } = await control.faults.add({
      operation: WRITE,
      fault: { kind: "status", status: 400, body: { message: "no such password" } },
    });
    expect(await stage.apply({ auth: { smtp } })).toMatchObject({ kind: "terminal", reason: "Rejected" });
    await control.faults.remove({ id });
    await stage.calls();
    await stage.run();
    expect((await stage.calls()).filter((operation) => operation === WRITE)).toEqual([]);
    stage.putSecret("smtp", { password: "good" });
    await stage.run("change");
    expect((await stage.calls()).filter((operation) => operation === WRITE)).toEqual([WRITE]);
    expect(stage.entry("auth")).toMatchObject({ state: "InSync" });
  });
});

describe("policies", () => {
  it.each(["Report", "Ignore"])(
    "driftPolicy %s leaves what somebody changed by hand, and still writes a rotated secret",
    async (driftPolicy) => {
      stage.putSecret("smtp", { password: "first" });
      await stage.apply({ driftPolicy, auth: { smtp } });
      await byHand({ smtp_host: "other.test" });
      await stage.run();
      expect(await stage.calls()).toEqual([READ]);
      stage.putSecret("smtp", { password: "second" });
      await stage.run();
      expect(await stage.calls()).toEqual([READ, WRITE]);
      expect(await read()).toMatchObject({ smtp_host: "other.test", smtp_pass: digest("second") });
    },
  );

  it("managementPolicy Observe tells of a rotated secret until the one that was sent is put back", async () => {
    stage.putSecret("smtp", { password: "first" });
    await stage.apply({ auth: { smtp } });
    stage.putSecret("smtp", { password: "second" });
    await stage.apply({ managementPolicy: "Observe", auth: { smtp } });
    await stage.run();
    expect(stage.entry("auth")).toMatchObject({
      state: "Drifted",
      fields: [expect.stringContaining("spec.auth.smtp")],
    });
    stage.putSecret("smtp", { password: "first" });
    await stage.run("change");
    expect(stage.entry("auth")).toMatchObject({ state: "InSync" });
  });

  it("managementPolicy Observe writes nothing and tells what differs", async () => {
    await stage.apply({ managementPolicy: "Observe", auth: { siteUrl: "https://shop.test" } });
    expect((await stage.calls()).filter((operation) => operation === WRITE)).toEqual([]);
    expect(stage.entry("auth")).toMatchObject({ state: "Drifted", fields: ["spec.auth.siteUrl"] });
  });
});
