import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** When what the platform refused is asked for again: what may pass slowly, what hangs on the plan once that is another one, and both when asked. */

const MINUTE_MS = 60_000;

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "free" }] } });
});

afterEach(() => stage[Symbol.asyncDispose]());

const storage = { storage: { fileSizeLimit: "10Mi" } };
const hook = { auth: { hooks: { sendSms: { enabled: true } } } };
const WRITE = "storage.update";

const written = async (operation: string): Promise<number> =>
  (await stage.calls()).filter((id) => id === operation).length;

/** @param count how often it is refused; null: always */
async function refuse(operation: "storage.update", count: number | null): Promise<void> {
  const fault = { kind: "status", status: 400, body: { message: "not now" } } as const;
  await stage.theatre.emulator.control.faults.add({ operation, count, fault });
}

/** Drift checks, ten minutes one after the other. */
async function check(times: number): Promise<void> {
  for (let nth = 0; nth < times; nth += 1) {
    await stage.theatre.pass(10 * MINUTE_MS);
    await stage.run("drift");
  }
}

function ask(spec: object, id: string): void {
  stage.theatre.kubernetes.put("projects", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: { name: "shop", namespace: NAMESPACE, annotations: { "baas.dev/reconcile-at": id } },
    spec: { organization: "acme", ...spec },
  });
}

describe("what the platform refused, and what no plan or add-on is known to stand behind", () => {
  it("is asked for again in an hour, not sooner, and says so", async () => {
    await refuse(WRITE, 1);
    expect(await stage.apply(storage)).toMatchObject({ kind: "terminal", reason: "Rejected" });
    expect(stage.entry("storage")?.message).toMatch(/not now; .*every hour.*baas\.dev\/reconcile-at/u);
    await stage.calls();
    await check(5);
    expect(await written(WRITE)).toBe(0);
    await check(1);
    expect(await written(WRITE)).toBe(1);
    expect(stage.entry("storage")).toMatchObject({ state: "InSync" });
    expect(stage.entry("storage")).not.toHaveProperty("refused");
  });

  it("is asked for once an hour as long as it is refused, and nothing new is told", async () => {
    await refuse(WRITE, null);
    await stage.apply(storage);
    const before = stage.entry("storage");
    const { version } = stage.theatre.kubernetes;
    await stage.calls();
    await check(36);
    expect(await written(WRITE)).toBe(6);
    expect(stage.entry("storage")).toEqual(before);
    expect(stage.theatre.kubernetes.version).toBe(version);
  });

  it("is asked for again by an operator that starts", async () => {
    await refuse(WRITE, 1);
    await stage.apply(storage);
    await stage.calls();
    const next = await stage.theatre.life();
    expect(await next.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(await written(WRITE)).toBe(1);
  });

  it("is asked for again at once under another version of the database", async () => {
    const { client, ref, theatre } = stage;
    await theatre.emulator.control.ssl.support({ ref, supported: false });
    const ssl = { database: { ssl: { enforced: true } } };
    expect(await stage.apply(ssl)).toMatchObject({ kind: "terminal" });
    await check(1);
    expect(stage.entry("database.ssl")).toMatchObject({ state: "Failed" });
    await theatre.emulator.control.ssl.support({ ref, supported: true });
    await check(1);
    expect(stage.entry("database.ssl")).toMatchObject({ state: "Failed" });
    await theatre.emulator.control.releases.publish({ version: "17.99.1.001" });
    await client.upgrades.start({ ref, body: { target_version: "17" } });
    await theatre.pass(10 * MINUTE_MS);
    expect((await client.projects.get({ ref })).database?.version).toBe("17.99.1.001");
    await stage.run("drift");
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(stage.entry("database.ssl")).toMatchObject({ state: "InSync" });
  });
});

describe("what the plan does not allow", () => {
  it("is not asked for again while it is the same, however long, and says when it is", async () => {
    expect(await stage.apply(hook)).toMatchObject({ kind: "terminal", reason: "PlanLimit" });
    expect(stage.entry("auth")?.message).toMatch(/once the section, the plan.*baas\.dev\/reconcile-at/u);
    await stage.calls();
    await check(12);
    const next = await stage.theatre.life();
    await next.run("Project", "shop", "drift");
    expect(await written("authConfig.update")).toBe(0);
  });

  const LARGE = { fileSizeLimit: "100Mi" };

  it.each([
    { what: "alone", storage: LARGE },
    { what: "beside others", storage: { ...LARGE, s3Protocol: { enabled: false } } },
  ])("is not asked for again though it is refused as a bad value is: $what", async (spec) => {
    expect(await stage.apply({ storage: spec.storage })).toMatchObject({ kind: "terminal", reason: "Rejected" });
    const entry = stage.entry("storage");
    expect(entry).toMatchObject({ state: "Failed", fields: ["spec.storage.fileSizeLimit"] });
    expect(entry?.message).toMatch(
      /a plan of pro, team, enterprise, platform for spec\.storage\.fileSizeLimit; .*once the section, the plan/u,
    );
    await stage.calls();
    await check(12);
    expect(await written(WRITE)).toBe(0);
    await stage.theatre.emulator.control.organizations.patch({ slug: "acme", plan: "pro" });
    await check(1);
    expect(await written(WRITE)).toBe(1);
    expect(stage.entry("storage")).toMatchObject({ state: "InSync" });
  });

  it.each([
    {
      what: "a large file size",
      spec: { storage: { ...LARGE, s3Protocol: { enabled: false } } },
      operation: "storage.update",
      section: "storage",
      field: "spec.storage.fileSizeLimit",
      words: "a plan of pro, team, enterprise, platform for spec.storage.fileSizeLimit",
    },
    {
      what: "a hook",
      spec: { auth: { ...hook.auth, passwords: { minLength: 9 } } },
      operation: "authConfig.update",
      section: "auth",
      field: "spec.auth.hooks.sendSms.enabled",
      words: "spec.auth.hooks.sendSms.enabled",
    },
  ] as const)("keeps nothing at rest that was refused in words of no field beside $what", async (one) => {
    const fault = { kind: "status", status: 400, body: { message: "the kiwi is not ripe" } } as const;
    const { operation } = one;
    await stage.theatre.emulator.control.faults.add({ operation, count: 2, fault });
    expect(await stage.apply(one.spec)).toMatchObject({ kind: "terminal" });
    const message = stage.entry(one.section)?.message;
    expect(message).toContain("the kiwi is not ripe");
    expect(message).toContain(one.words);
    expect(message).toContain("every hour");
    await stage.calls();
    await check(5);
    expect(await written(operation)).toBe(0);
    await check(7);
    expect(stage.entry(one.section)).toMatchObject({ state: "Failed", fields: [one.field] });
    expect(await stage.client.storage.get({ ref: stage.ref })).toMatchObject(
      one.section === "storage" ? { features: { s3Protocol: { enabled: false } } } : {},
    );
    await stage.calls();
    await check(12);
    expect(await written(operation), "what the plan does not allow rests").toBe(0);
  });

  it("takes what the plan allows beside what is refused in words of no field", async () => {
    await stage.theatre.emulator.control.organizations.patch({ slug: "acme", plan: "pro" });
    await refuse(WRITE, 2);
    await stage.apply({ storage: { ...LARGE, s3Protocol: { enabled: false } } });
    expect(stage.entry("storage")).toMatchObject({ state: "Failed", fields: ["spec.storage.s3Protocol.enabled"] });
    await check(6);
    expect(stage.entry("storage")).toMatchObject({ state: "InSync" });
  });

  it("is told of no value that the plan has", async () => {
    expect(await stage.apply({ storage: { fileSizeLimit: "50Mi" } })).toMatchObject({ kind: "done" });
    await refuse(WRITE, null);
    expect(await stage.apply({ storage: { fileSizeLimit: "49Mi" } })).toMatchObject({ kind: "terminal" });
    expect(stage.entry("storage")?.message).toMatch(/^(?!.*a plan of).*every hour/u);
  });

  it("is asked for again every hour where the plan cannot be read", async () => {
    const fault = { kind: "status", status: 403, body: { message: "no" } } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "organizations.get", count: null, fault });
    await stage.apply(hook);
    await stage.calls();
    await check(5);
    expect(await written("authConfig.update")).toBe(0);
    await stage.theatre.emulator.control.organizations.patch({ slug: "acme", plan: "pro" });
    await check(1);
    expect(await written("authConfig.update")).toBe(1);
    expect(stage.entry("auth")).toMatchObject({ state: "InSync" });
  });
});

describe("what was refused while nothing told the plan, since that could not be looked at", () => {
  it.each([
    { what: "a section", spec: storage, section: "storage", operation: WRITE },
    { what: "fields of a plan", spec: hook, section: "auth", operation: "authConfig.update" },
    {
      what: "fields of a plan, beside others",
      spec: { auth: { ...hook.auth, passwords: { minLength: 9 } } },
      section: "auth",
      operation: "authConfig.update",
    },
  ] as const)("is asked for again by the next run: $what", async ({ spec, section, operation }) => {
    const { control } = stage.theatre.emulator;
    await refuse(WRITE, 1);
    const fault = { kind: "status", status: 400, body: { message: "not now" } } as const;
    await control.faults.add({ operation: "organizations.get", count: null, fault });
    await stage.start(spec);
    expect(stage.entry(section)).toMatchObject({ state: "Failed" });
    expect(stage.entry(section)?.message).toMatch(/asked for again as soon as.*reconcile-at/u);
    await control.faults.clear({});
    await control.organizations.patch({ slug: "acme", plan: "pro" });
    await stage.calls();
    await stage.run("change");
    expect(await written(operation)).toBe(1);
    expect(stage.entry(section)).toMatchObject({ state: "InSync" });
    expect(stage.entry(section)).not.toHaveProperty("refused");
  });
});

const REFUSED = [
  { what: "a plan", spec: hook, operation: "authConfig.update" },
  {
    what: "a plan, of some fields",
    spec: { auth: { ...hook.auth, passwords: { minLength: 9 } } },
    operation: "authConfig.update",
  },
  { what: "nothing that is known", spec: storage, operation: WRITE },
] as const;

describe("baas.dev/reconcile-at", () => {
  it.each(REFUSED)("has what was refused for $what asked for again at once, each time once", async (one) => {
    await refuse(WRITE, null);
    await stage.apply(one.spec);
    await stage.calls();
    for (const id of ["1", "2"]) {
      ask(one.spec, id);
      await stage.life.run("Project", "shop");
      expect(await written(one.operation)).toBe(1);
      await stage.life.run("Project", "shop");
      expect(await written(one.operation)).toBe(0);
    }
  });
});
