import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { secretSchema } from "../../api/contract/secrets.ts";
import { bodyAs, type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aProject, message } from "../../../test/support/emulator/scenario.ts";

async function own({ call }: EmulatorUnderTest, ref: string): Promise<Record<string, string>> {
  const all = bodyAs(z.array(secretSchema), await call("GET", `/v1/projects/${ref}/secrets`));
  return Object.fromEntries(
    all.filter(({ name }) => !name.startsWith("PLATFORM_")).map(({ name, value }) => [name, value]),
  );
}

const SEEDED = "abcdefghijklmnopqrst";

async function platforms({ call }: EmulatorUnderTest, ref: string): Promise<Record<string, string>> {
  const all = bodyAs(z.array(secretSchema), await call("GET", `/v1/projects/${ref}/secrets`));
  return Object.fromEntries(all.map(({ name, value }) => [name, value]));
}

/** The project of a branch, and the password with which the branch was made. */
async function branchNamed({ call }: EmulatorUnderTest, parent: string, name: string) {
  const { id } = bodyAs(
    z.looseObject({ id: z.string() }),
    await call("GET", `/v1/projects/${parent}/branches/${name}`),
  );
  const shown = z.looseObject({ ref: z.string(), db_pass: z.string() });
  const { ref, db_pass: password } = bodyAs(shown, await call("GET", `/v1/branches/${id}`));
  return { ref, password };
}

async function madeBranch(under: EmulatorUnderTest, parent: string) {
  for (const name of ["main", "dev"]) {
    await under.call("POST", `/v1/projects/${parent}/branches`, { body: { branch_name: name } });
  }
  under.clock.advance(60_000);
  return branchNamed(under, parent, "dev");
}

const digest = (value: string): string => createHash("sha256").update(value, "utf8").digest("hex");

describe("secrets of a project", () => {
  it("[K-33] are created and replaced, and read back as digests only", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const path = `/v1/projects/${ref}/secrets`;
    const made = await under.call("POST", path, {
      body: [
        { name: "A", value: "älpha" },
        { name: "B", value: "" },
      ],
    });
    expect([made.status, made.text]).toEqual([201, ""]);
    await under.call("POST", path, { body: [{ name: "A", value: "changed" }] });
    expect(await own(under, ref)).toEqual({ A: digest("changed"), B: digest("") });
  });

  it("are deleted by name; a name that is not there is no failure", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const path = `/v1/projects/${ref}/secrets`;
    await under.call("POST", path, {
      body: [
        { name: "A", value: "1" },
        { name: "B", value: "2" },
      ],
    });
    const deleted = await under.call("DELETE", path, { body: ["A", "NONE"] });
    expect([deleted.status, deleted.text]).toEqual([200, ""]);
    expect(Object.keys(await own(under, ref))).toEqual(["B"]);
  });

  it("stand beside those that the platform sets, which nobody can change", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const path = `/v1/projects/${ref}/secrets`;
    const names = bodyAs(z.array(secretSchema), await under.call("GET", path)).map(({ name }) => name);
    expect(names).toContain("PLATFORM_URL");
    const refused = await under.call("POST", path, {
      body: [
        { name: "OK", value: "1" },
        { name: "PLATFORM_URL", value: "2" },
      ],
    });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("PLATFORM_URL")]);
    expect((await under.call("DELETE", path, { body: ["PLATFORM_URL"] })).status).toBe(400);
    expect(await own(under, ref)).toEqual({});
  });

  it.each<{ readonly of: string; readonly refOf: (under: EmulatorUnderTest, parent: string) => Promise<string> }>([
    { of: "a project that was made", refOf: (_, parent) => Promise.resolve(parent) },
    { of: "a branch that was made", refOf: async (under, parent) => (await madeBranch(under, parent)).ref },
    { of: "a project of the seed", refOf: () => Promise.resolve(SEEDED) },
    { of: "a branch of the seed", refOf: async (under) => (await branchNamed(under, SEEDED, "dev")).ref },
  ])("stand beside digests of what the platform shows elsewhere: of $of", async ({ refOf }) => {
    const branches = [{ name: "main" }, { name: "dev" }];
    await using under = await emulatorUnderTest({ seed: { projects: [{ name: "seeded", ref: SEEDED, branches }] } });
    const ref = await refOf(under, await aProject(under));
    under.clock.advance(60_000);
    const revealed = await under.call("GET", `/v1/projects/${ref}/api-keys?reveal=true`);
    const keys = bodyAs(z.array(z.looseObject({ name: z.string(), api_key: z.string() })), revealed);
    const keyOf = (wanted: string): string => digest(keys.find(({ name }) => name === wanted)?.api_key ?? "");
    expect(await platforms(under, ref)).toMatchObject({
      PLATFORM_URL: digest(`https://${ref}.emulator.test`),
      PLATFORM_ANON_KEY: keyOf("anon"),
      PLATFORM_SERVICE_ROLE_KEY: keyOf("service_role"),
    });
  });

  it("stand beside the address of the database, with the password that it has", async () => {
    await using under = await emulatorUnderTest();
    const parent = await aProject(under);
    const address = (ref: string, password: string): string =>
      digest(`postgresql://postgres:${password}@db.${ref}.emulator.test:5432/postgres`);
    const { ref, password } = await madeBranch(under, parent);
    expect((await platforms(under, ref))["PLATFORM_DB_URL"]).toBe(address(ref, password));
    await under.call("PATCH", `/v1/projects/${parent}/database/password`, { body: { password: "p@ss/word" } });
    expect((await platforms(under, parent))["PLATFORM_DB_URL"]).toBe(address(parent, "p%40ss%2Fword"));
  });

  it("stand beside what they were set to: another domain is in those of later projects, and in a later password's", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const before = await platforms(under, ref);
    await under.control.settings.patch({ domain: "other.test" });
    expect(await platforms(under, ref)).toEqual(before);
    await under.call("PATCH", `/v1/projects/${ref}/database/password`, { body: { password: "another" } });
    const address = digest(`postgresql://postgres:another@db.${ref}.other.test:5432/postgres`);
    expect(await platforms(under, ref)).toEqual({ ...before, PLATFORM_DB_URL: address });
  });

  it("stand there whatever the password is, half of a character too", async () => {
    await using under = await emulatorUnderTest();
    const body = { name: "odd", organization_slug: "acme", db_pass: "\uD800-and-more" };
    const made = await under.call("POST", "/v1/projects", { body });
    expect(made.status).toBe(201);
    const ref = String(Reflect.get(Object(made.json), "ref"));
    const address = (password: string): string =>
      digest(`postgresql://postgres:${password}@db.${ref}.emulator.test:5432/postgres`);
    expect((await platforms(under, ref))["PLATFORM_DB_URL"]).toBe(address("%EF%BF%BD-and-more"));
    under.clock.advance(3_600_000);
    const changed = await under.call("PATCH", `/v1/projects/${ref}/database/password`, {
      body: { password: "half\uDC00" },
    });
    expect(changed.status).toBe(200);
    expect((await platforms(under, ref))["PLATFORM_DB_URL"]).toBe(address("half%EF%BF%BD"));
  });

  it("leave the platform's alone also where their prefix is reserved no longer", async () => {
    await using under = await emulatorUnderTest();
    const path = `/v1/projects/${await aProject(under)}/secrets`;
    const before = (await under.call("GET", path)).json;
    await under.control.settings.patch({ reservedSecretPrefix: "CORE_" });
    const refused = [
      await under.call("POST", path, { body: [{ name: "PLATFORM_URL", value: "mine" }] }),
      await under.call("DELETE", path, { body: ["PLATFORM_URL"] }),
    ];
    for (const one of refused) expect([one.status, message(one)]).toEqual([400, expect.stringContaining("platform")]);
    expect((await under.call("GET", path)).json).toEqual(before);
  });

  it("[K-35] may begin with the reserved prefix in lower case", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await under.call("POST", `/v1/projects/${ref}/secrets`, { body: [{ name: "platform_x", value: "1" }] });
    expect(Object.keys(await own(under, ref))).toEqual(["platform_x"]);
  });

  it("[K-35] reserve another prefix where the server is set so", async () => {
    await using under = await emulatorUnderTest({ seed: { settings: { reservedSecretPrefix: "CORE_" } } });
    const ref = await aProject(under);
    const path = `/v1/projects/${ref}/secrets`;
    expect((await under.call("POST", path, { body: [{ name: "CORE_X", value: "1" }] })).status).toBe(400);
    expect((await under.call("POST", path, { body: [{ name: "PLATFORM_X", value: "1" }] })).status).toBe(201);
  });

  const many = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `N${index}`, value: "v" }));

  it.each([
    { body: [{ name: "x".repeat(257), value: "hunter2" }], because: "the name is too long" },
    { body: [{ name: "A", value: "hunter2".repeat(4000) }], because: "the value is too large" },
    { body: many(101), because: "there are more than 100" },
    { body: [{ name: "", value: "hunter2" }], because: "the name is empty" },
    { body: [{ name: "A" }], because: "the value is missing" },
    { body: [{ name: "A", value: 7 }], because: "the value is no string" },
    { body: { name: "A", value: "hunter2" }, because: "the body is no array" },
    { body: [], because: "there is nothing to do" },
  ])("[K-35] are refused with 400 when $because, without repeating a value", async ({ body }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const refused = await under.call("POST", `/v1/projects/${ref}/secrets`, { body });
    expect([refused.status, refused.text.includes("hunter2")]).toEqual([400, false]);
    expect(await own(under, ref)).toEqual({});
  });

  it("may have the longest name and the largest value", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const body = [{ name: "x".repeat(256), value: "y".repeat(24_576) }];
    expect((await under.call("POST", `/v1/projects/${ref}/secrets`, { body })).status).toBe(201);
  });

  it("are at most the quota, of which the platform's take nothing; replacing is always allowed", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const path = `/v1/projects/${ref}/secrets`;
    expect((await under.call("POST", path, { body: many(100) })).status).toBe(201);
    const refused = await under.call("POST", path, { body: [{ name: "ONE_MORE", value: "1" }] });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("100")]);
    expect((await under.call("POST", path, { body: many(100) })).status).toBe(201);
  });

  it("never show a value in any answer, log line or control call", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await under.call("POST", `/v1/projects/${ref}/secrets`, { body: [{ name: "A", value: "hunter2-canary" }] });
    const shown = [
      (await under.call("GET", `/v1/projects/${ref}/secrets`)).text,
      JSON.stringify(await under.control.state.read()),
      JSON.stringify(await under.control.log.read()),
    ];
    expect(shown.join("\n")).not.toContain("hunter2");
  });

  it("are not in the log either when they are sent by their names to be deleted, where a list of names is wanted", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const body = { STRIPE_LIVE: "sk_live_hunter2", DB: ["hunter3"] };
    const refused = await under.call("DELETE", `/v1/projects/${ref}/secrets`, { body });
    expect([refused.status, message(refused)]).toEqual([400, "body: Invalid input: expected array, received object"]);
    const { entries } = await under.control.log.read();
    expect(entries.at(-1)?.body).toEqual({ STRIPE_LIVE: "[redacted]", DB: ["[redacted]"] });
  });
});
