import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** Fields that the platform names when it refuses a request as a whole: the others of the section are written without them. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "free" }] } });
  stage.putSecret("github", { clientSecret: "one" });
});

afterEach(() => stage[Symbol.asyncDispose]());

const WRITE = "authConfig.update";
const LENGTH = "spec.auth.passwords.minLength";
const SITE = "spec.auth.siteUrl";
const HOUR_MS = 3_600_000;

const auth = { passwords: { minLength: 99 }, siteUrl: "https://shop.test", jwtExpiry: "2h" };
const taken = { site_url: "https://shop.test", jwt_exp: 7200 };

const writes = async (): Promise<number> => (await stage.calls()).filter((id) => id === WRITE).length;
const observed = () => stage.client.authConfig.get({ ref: stage.ref });

async function refuse(message: string, count = 1): Promise<void> {
  const fault = { kind: "status", status: 400, body: { message } } as const;
  await stage.theatre.emulator.control.faults.add({ operation: WRITE, count, fault });
}

function expectRefused(fields: readonly string[]): void {
  const entry = stage.entry("auth");
  expect(entry).toMatchObject({ state: "Failed", reason: "Rejected" });
  expect(entry?.fields?.toSorted()).toEqual(fields.toSorted());
  expect(entry?.refused?.fields?.toSorted()).toEqual(fields.toSorted());
}

describe("a field that a refusal names", () => {
  beforeEach(async () => {
    await refuse("password_min_length must not be greater than 72");
    await stage.calls();
    await stage.apply({ auth });
  });

  it("is told by itself, in the platform's words, and the others are written in one more request", async () => {
    expect(await writes()).toBe(2);
    expect(await observed()).toMatchObject({ ...taken, password_min_length: 6 });
    expectRefused([LENGTH]);
    expect(stage.entry("auth")?.message).toMatch(/password_min_length must not be.*asked for again every hour/u);
    expect(stage.condition("Stalled")).toMatchObject({ status: "True", reason: "Rejected" });
  });

  it("keeps nobody from putting back what was changed by hand beside it, nor from editing that", async () => {
    await stage.client.authConfig.update({ ref: stage.ref, body: { site_url: "https://other.test" } });
    await stage.calls();
    await stage.run("drift");
    expect(await writes()).toBe(1);
    expect(await observed()).toMatchObject({ ...taken, password_min_length: 6 });
    await refuse("password_min_length must not be greater than 72");
    await stage.calls();
    await stage.apply({ auth: { ...auth, jwtExpiry: "3h" } });
    expect(await writes()).toBe(2);
    expect(await observed()).toMatchObject({ jwt_exp: 10_800, password_min_length: 6 });
    expectRefused([LENGTH]);
  });

  it("is asked for again in an hour, and holds up the others as little then", async () => {
    await stage.theatre.pass(HOUR_MS);
    await stage.client.authConfig.update({ ref: stage.ref, body: { site_url: "https://other.test" } });
    await refuse("password_min_length must not be greater than 72");
    await stage.calls();
    await stage.run("drift");
    expect(await writes()).toBe(2);
    expect(await observed()).toMatchObject(taken);
    expectRefused([LENGTH]);
    await stage.theatre.pass(HOUR_MS);
    await refuse("password_min_length must not be greater than 72");
    await stage.calls();
    await stage.run("drift");
    expect(await writes()).toBe(1);
    expectRefused([LENGTH]);
    await stage.theatre.pass(HOUR_MS);
    expect(await stage.run("drift")).toMatchObject({ kind: "done" });
    expect(await observed()).toMatchObject({ ...taken, password_min_length: 99 });
  });

  it.each([
    { what: "in its group", edited: { ...auth, passwords: { minLength: 99, requiredCharacters: "None" } } },
    { what: "elsewhere in the section", edited: { ...auth, jwtExpiry: "3h" } },
    { what: "by being declared no more", edited: { passwords: auth.passwords, siteUrl: auth.siteUrl } },
  ])("is asked for again once what is declared beside it is another, $what", async ({ edited }) => {
    await stage.calls();
    await stage.apply({ auth: edited });
    expect(await writes()).toBe(1);
    expect(stage.entry("auth")).toMatchObject({ state: "InSync" });
    expect(await observed()).toMatchObject({ password_min_length: 99 });
  });

  it("is asked for once for an edit, and holds up nothing of it, whatever is looked at after it", async () => {
    await refuse("password_min_length must not be greater than 72");
    await stage.calls();
    await stage.apply({ auth: { ...auth, jwtExpiry: "3h" } });
    expect(await writes()).toBe(2);
    expect(await observed()).toMatchObject({ jwt_exp: 10_800, password_min_length: 6 });
    for (const lane of ["change", "drift", "drift"] as const) await stage.run(lane);
    expect(await writes()).toBe(0);
    expectRefused([LENGTH]);
  });

  it("holds up nothing of an edit either where the platform names it no more", async () => {
    await refuse("as said before");
    await stage.apply({ auth: { ...auth, jwtExpiry: "4h" } });
    expect(await observed()).toMatchObject({ jwt_exp: 14_400, password_min_length: 6 });
    expectRefused([LENGTH]);
  });

  it("is not asked for again for an edit of another section", async () => {
    await stage.calls();
    await stage.apply({ auth, dataApi: { maxRows: 7 } });
    expect(await writes()).toBe(0);
    expectRefused([LENGTH]);
  });

  it("is told still beside what is refused after it", async () => {
    await refuse("site_url is bad");
    await refuse("password_min_length must not be greater than 72, and site_url is bad");
    await stage.calls();
    await stage.apply({ auth: { ...auth, siteUrl: "https://bad.test" } });
    expectRefused([LENGTH, SITE]);
    expect(await observed()).toMatchObject(taken);
  });
});

describe("a refusal", () => {
  const github = { enabled: true, clientId: "x", clientSecret: { secretKeyRef: { name: "github" } } };

  it("holds up what is declared in the group of what it names: no provider is on before its secret is there", async () => {
    await refuse("external_github_secret is too short");
    await stage.apply({ auth: { ...auth, providers: { github, google: { enabled: true, clientId: "y" } } } });
    expect(await observed()).toMatchObject({
      ...taken,
      password_min_length: 99,
      external_google_enabled: true,
      external_github_enabled: false,
      external_github_client_id: null,
    });
    const group = "spec.auth.providers.github";
    expectRefused([`${group}.enabled`, `${group}.clientId`, `${group}.clientSecret`]);
  });

  it("that names one after the other is followed", async () => {
    await refuse("password_min_length is bad");
    await refuse("site_url is bad");
    await stage.apply({ auth });
    expectRefused([LENGTH, SITE]);
    expect(await observed()).toMatchObject({ jwt_exp: 7200, password_min_length: 6 });
    expect(stage.entry("auth")?.message).toMatch(/password_min_length is bad.*site_url is bad/u);
  });

  it("of the others, too, that names none of them is one of the section, in the words of both", async () => {
    await refuse("password_min_length is bad");
    await refuse("something else is");
    await stage.calls();
    await stage.apply({ auth });
    expect(await writes()).toBe(2);
    expect(stage.entry("auth")).toMatchObject({ state: "Failed", fields: expect.arrayContaining([LENGTH, SITE]) });
    expect(stage.entry("auth")?.refused).not.toHaveProperty("fields");
    expect(stage.entry("auth")?.message).toMatch(/password_min_length is bad.*something else is/u);
  });

  it.each(["no", "xpassword_min_length is bad", "password_min_lengths are bad", "minLength is bad"])(
    "that names no field by the name that was sent is one of the section: %s",
    async (message) => {
      await refuse(message);
      await stage.calls();
      await stage.apply({ auth });
      expect(await writes()).toBe(1);
      expect(stage.entry("auth")?.refused).not.toHaveProperty("fields");
    },
  );

  it("that names another one keeps no field from being written that hangs on a plan, nor the other way round", async () => {
    await stage.theatre.emulator.control.organizations.patch({ slug: "acme", plan: "pro" });
    await refuse("password_min_length is bad", 2);
    const hooks = { sendSms: { enabled: true } };
    await stage.apply({ auth: { ...auth, hooks } });
    expect(await observed()).toMatchObject({ ...taken, hook_send_sms_enabled: true, password_min_length: 6 });
    expectRefused([LENGTH]);
  });

  it("for the plan is told beside one that names another field, and both are asked for again in an hour", async () => {
    await refuse("password_min_length is bad", 2);
    await stage.apply({ auth: { ...auth, hooks: { sendSms: { enabled: true } } } });
    expect(await observed()).toMatchObject(taken);
    const HOOK = "spec.auth.hooks.sendSms.enabled";
    expectRefused([LENGTH, HOOK]);
    expect(stage.entry("auth")?.message).toMatch(/password_min_length is bad.*plan.*every hour/u);
  });

  it("names nested fields of other sections as well", async () => {
    const fault = { kind: "status", status: 400, body: { message: "body/fileSizeLimit is too large" } } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "storage.update", fault });
    await stage.apply({ storage: { fileSizeLimit: "10Mi", s3Protocol: { enabled: true } } });
    const fields = ["spec.storage.fileSizeLimit"];
    expect(stage.entry("storage")).toMatchObject({ state: "Failed", fields, refused: { fields } });
  });
});
