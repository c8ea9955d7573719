import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** An object that was stored before a rule of today: what is wrong of one section stops that section alone. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "enterprise" }] } });
});

afterEach(() => stage[Symbol.asyncDispose]());

const REFUSED = [
  {
    section: "storage",
    field: "storage.fileSizeLimit",
    spec: { storage: { fileSizeLimit: "1Ti" } },
    says: "at most 500Gi",
  },
  {
    section: "storage",
    field: "storage.fileSizeLimit",
    spec: { storage: { fileSizeLimit: 999_999_999_999 } },
    says: "at most 500Gi",
  },
  {
    section: "realtime",
    field: "realtime.maxPayloadSize",
    spec: { realtime: { maxPayloadSize: "50Ki" } },
    says: "whole units of 1000 bytes",
  },
  {
    section: "realtime",
    field: "realtime.maxBytesPerSecond",
    spec: { realtime: { maxBytesPerSecond: "11M" } },
    says: "at most 10M",
  },
  { section: "auth", field: "auth.smtp.port", spec: { auth: { smtp: { port: "70000" } } }, says: "1 to 65535" },
  {
    section: "auth",
    field: "auth.sms.testOtpValidUntil",
    spec: { auth: { sms: { testOtpValidUntil: "2026-02-30T00:00:00Z" } } },
    says: "write a moment that there is",
  },
] as const;

const pooler = async (): Promise<number | null | undefined> =>
  (await stage.client.pooler.get({ ref: stage.ref })).find(({ database_type: type }) => type === "PRIMARY")
    ?.default_pool_size;

describe.each(REFUSED)("$field that is out of range", ({ section, field, spec, says }) => {
  it("fails its section with the field named, and the others go on", async () => {
    const outcome = await stage.apply({ ...spec, database: { pooler: { defaultPoolSize: 17 } } });
    expect(outcome).toMatchObject({ kind: "terminal", reason: "InvalidSpec" });
    expect(stage.entry(section)).toMatchObject({ state: "Failed", reason: "InvalidSpec", fields: [`spec.${field}`] });
    expect(stage.entry(section)?.message).toContain(says);
    expect(stage.condition("Ready")).toMatchObject({ status: "False", reason: "InvalidSpec" });
    expect(stage.condition("Ready")?.["message"]).toContain(field);
    expect(stage.entry("database.pooler")).toMatchObject({ state: "InSync" });
    expect(await pooler()).toBe(17);
  });
});

it("several fields that are out of range are all named", async () => {
  await stage.apply({ realtime: { maxPayloadSize: "50Ki", maxBytesPerSecond: "11M", maxConcurrentUsers: 7 } });
  const { state, fields = [] } = stage.entry("realtime") ?? {};
  expect(state).toBe("Failed");
  expect(fields.toSorted()).toEqual(["spec.realtime.maxBytesPerSecond", "spec.realtime.maxPayloadSize"]);
});

it("a host that was stored before its form was asked for stops nothing of its section: drift is repaired, and a rotated password sent", async () => {
  const { client, ref } = stage;
  const password = { secretKeyRef: { name: "smtp", key: "password" } };
  const smtp = { host: "smtp.example.com:587", port: 587, user: "shop", password, adminEmail: "no-reply@example.com" };
  const auth = { smtp, jwtExpiry: "2h", passkeys: { relyingPartyId: "https://example.com" } };
  stage.putSecret("smtp", { password: "first" });
  expect(await stage.apply({ auth })).toMatchObject({ kind: "done" });
  const before = await client.authConfig.get({ ref });
  await client.authConfig.update({ ref, body: { jwt_exp: 60 } });
  stage.putSecret("smtp", { password: "second" });
  await stage.run("change");
  await stage.run();
  expect(stage.entry("auth")).toMatchObject({ state: "InSync" });
  const { smtp_pass: sent, jwt_exp: expiry } = await client.authConfig.get({ ref });
  expect([before.smtp_host, expiry]).toEqual([smtp.host, 7200]);
  expect(sent).not.toBe(before.smtp_pass);
});

it("what somebody changed by hand beside it is repaired, and of it nothing is written", async () => {
  const spec = { storage: { fileSizeLimit: "50Mi" }, database: { pooler: { defaultPoolSize: 17 } } };
  await stage.apply(spec);
  await stage.apply({ ...spec, storage: { fileSizeLimit: "1Ti" } });
  await stage.client.pooler.update({ ref: stage.ref, body: { default_pool_size: 21 } });
  await stage.client.storage.update({ ref: stage.ref, body: { fileSizeLimit: 1 } });
  await stage.calls();
  await stage.run();
  expect(await pooler()).toBe(17);
  expect(await stage.calls()).not.toContain("storage.update");
  expect(stage.entry("storage")).toMatchObject({ state: "Failed", reason: "InvalidSpec" });
  await stage.apply(spec);
  expect(stage.entry("storage")).toMatchObject({ state: "InSync" });
});
