import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** An edit that arrived and was not heard of, and that is taken back: what the platform has then is the operator's own, and no drift. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage();
});

afterEach(() => stage[Symbol.asyncDispose]());

const reasons = (): readonly string[] => stage.life.events.map(({ reason }) => reason);

function declare(spec: object): void {
  stage.theatre.kubernetes.put("projects", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: { name: "shop", namespace: NAMESPACE },
    spec: { organization: "acme", ...spec },
  });
}

describe.each(["Correct", "Report", "Ignore"])("An edit that is taken back under %s", (driftPolicy) => {
  const expiry = async (): Promise<unknown> => (await stage.client.authConfig.get({ ref: stage.ref })).jwt_exp;
  const users = async (): Promise<unknown> =>
    (await stage.client.realtime.get({ ref: stage.ref })).max_concurrent_users;
  const auth = (seconds: number): object => ({ driftPolicy, auth: { jwtExpiry: `${seconds}s` } });
  const realtime = (count: number): object => ({ driftPolicy, realtime: { maxConcurrentUsers: count } });

  it("is taken back on the platform, too, where its answer was lost", async () => {
    await stage.apply(auth(1000));
    const fault = { kind: "reset", phase: "after" } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "authConfig.update", count: 1, fault });

    declare(auth(2000));
    await stage.life.runWhileTimePasses("Project", "shop");
    expect(await expiry()).toBe(2000);
    await stage.apply(auth(1000));

    expect(await expiry()).toBe(1000);
    expect(stage.entry("auth")).toMatchObject({ state: "InSync" });
    expect(reasons()).not.toContain("DriftCorrected");
  });

  it("is taken back, wherever the operator's life ended", async () => {
    let deaths = 0;
    for (let requests = 1; requests < 12; requests += 1) {
      await stage.apply(auth(1000));
      declare(auth(2000));
      const life = await stage.theatre.life(requests);
      await life.settle("Project", "shop");
      if ((await expiry()) === 2000 && life.dead) deaths += 1;
      declare(auth(1000));
      await (await stage.theatre.life()).settle("Project", "shop");
      expect([requests, await expiry()]).toEqual([requests, 1000]);
    }
    expect(deaths).toBeGreaterThan(0);
  });

  it("is taken back where the platform answered with a failure and took it all the same", async () => {
    await stage.apply(auth(1000));
    const fault = { kind: "status", status: 500, phase: "after" } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "authConfig.update", count: 1, fault });

    await stage.start(auth(2000));
    await stage.apply(auth(1000));

    expect(await expiry()).toBe(1000);
  });

  it("is waited for where the platform showed it late, before the one that came back counts as in force", async () => {
    await stage.apply(realtime(100));
    const shown = await stage.client.realtime.get({ ref: stage.ref });
    const fault = { kind: "status", status: 200, body: { ...shown } } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "realtime.get", count: null, fault });

    await stage.start(realtime(200));
    expect(stage.entry("realtime")).toMatchObject({ state: "Applying" });
    await stage.start(realtime(100));
    expect(stage.entry("realtime")).toMatchObject({ state: "Applying" });
    await stage.theatre.emulator.control.faults.clear({});
    await stage.settle();

    expect(await users()).toBe(100);
    expect(stage.entry("realtime")).toMatchObject({ state: "InSync" });
  });

  it("rests where it never came, after two minutes", async () => {
    await stage.apply(realtime(100));
    const fault = { kind: "reset", phase: "before" } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "realtime.update", count: null, fault });
    await stage.start(realtime(200));
    await stage.theatre.emulator.control.faults.clear({});
    await stage.start(realtime(100));
    expect(stage.entry("realtime")).toMatchObject({ state: "Applying" });

    await stage.theatre.pass(120_001);
    await stage.run("progress");

    expect(stage.entry("realtime")).toEqual({
      name: "realtime",
      state: "InSync",
      applied: stage.entry("realtime")?.applied,
    });
  });

  it("is taken back where it failed for longer than it may take to show, and arrived at last", async () => {
    const { faults } = stage.theatre.emulator.control;
    await stage.apply(realtime(100));
    const shown = await stage.client.realtime.get({ ref: stage.ref });
    const unavailable = { kind: "status", status: 503, phase: "before" } as const;
    await faults.add({ operation: "realtime.update", count: null, fault: unavailable });
    await stage.start(realtime(200));
    for (let minute = 0; minute < 4; minute += 1) {
      await stage.theatre.pass(60_000);
      await stage.run("progress");
    }
    await faults.clear({});
    const late = { kind: "status", status: 200, body: { ...shown } } as const;
    await faults.add({ operation: "realtime.get", count: null, fault: late });
    await faults.add({ operation: "realtime.update", count: 1, fault: { kind: "reset", phase: "after" } });
    await stage.run("progress");

    await stage.start(realtime(100));
    expect(stage.entry("realtime")).toMatchObject({ state: "Applying" });
    await faults.clear({});
    await stage.settle();

    expect(await users()).toBe(100);
    expect(reasons()).not.toContain("DriftCorrected");
  });

  it("is waited for though another one after it was refused", async () => {
    const { faults } = stage.theatre.emulator.control;
    await stage.apply(realtime(100));
    const shown = await stage.client.realtime.get({ ref: stage.ref });
    const late = { kind: "status", status: 200, body: { ...shown } } as const;
    await faults.add({ operation: "realtime.get", count: null, fault: late });
    await stage.start(realtime(200));
    const refusal = { kind: "status", status: 400, body: { message: "no" } } as const;
    await faults.add({ operation: "realtime.update", count: 1, fault: refusal });
    await stage.start(realtime(300));
    expect(stage.entry("realtime")).toMatchObject({ state: "Failed" });

    await stage.start(realtime(100));
    expect(stage.entry("realtime")).toMatchObject({ state: "Applying" });
    await faults.clear({});
    await stage.settle();

    expect(await users()).toBe(100);
    expect(reasons()).not.toContain("DriftCorrected");
  });

  it.each([400, 401, 403])("is not waited for where it was refused with %i: nothing of it comes", async (status) => {
    await stage.apply(realtime(100));
    const refusal = { kind: "status", status, body: { message: "no" } } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "realtime.update", count: 1, fault: refusal });
    await stage.start(realtime(200));
    await stage.start(realtime(100));

    expect(stage.entry("realtime")).toMatchObject({ state: "InSync" });
    expect(stage.entry("realtime")?.sending).toBeUndefined();
  });

  it("is waited for though the section was not declared meanwhile, and no longer than it may come", async () => {
    const { faults } = stage.theatre.emulator.control;
    await stage.apply(realtime(100));
    const shown = await stage.client.realtime.get({ ref: stage.ref });
    const late = { kind: "status", status: 200, body: { ...shown } } as const;
    await faults.add({ operation: "realtime.get", count: null, fault: late });
    await stage.start(realtime(200));
    expect(await stage.start({ driftPolicy })).toMatchObject({ kind: "done" });
    await stage.start(realtime(100));
    expect(stage.entry("realtime")).toMatchObject({ state: "Applying" });
    await faults.clear({});
    await stage.settle();
    expect(await users()).toBe(100);

    await faults.add({ operation: "realtime.get", count: null, fault: late });
    await stage.start(realtime(200));
    await stage.start({ driftPolicy });
    await stage.theatre.pass(120_001);
    await stage.run("drift");
    expect(stage.entry("realtime")).toBeUndefined();
  });

  it("of a Secret is taken back where the answer to its rotation was lost", async () => {
    const spec = { driftPolicy, auth: { smtp: { password: { secretKeyRef: { name: "smtp", key: "password" } } } } };
    stage.putSecret("smtp", { password: "the-first-password" });
    await stage.apply(spec);
    const shown = async (): Promise<unknown> => (await stage.client.authConfig.get({ ref: stage.ref })).smtp_pass;
    const first = await shown();
    const fault = { kind: "reset", phase: "after" } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "authConfig.update", count: 1, fault });
    stage.putSecret("smtp", { password: "the-second-password" });
    await stage.run("change");
    expect(await shown()).not.toBe(first);
    stage.putSecret("smtp", { password: "the-first-password" });
    await stage.settle();

    expect(await shown()).toBe(first);
    expect(stage.entry("auth")).toMatchObject({ state: "InSync" });
  });

  it("of a ConfigMap is an edit of the section, and is taken back as one", async () => {
    const content = { configMapKeyRef: { name: "mails", key: "invite.html" } };
    const spec = { driftPolicy, auth: { mailer: { templates: { invite: { content } } } } };
    const mail = async (): Promise<unknown> =>
      (await stage.client.authConfig.get({ ref: stage.ref })).mailer_templates_invite_content;
    stage.putConfigMap("mails", { "invite.html": "<p>one</p>" });
    await stage.apply(spec);
    stage.putConfigMap("mails", { "invite.html": "<p>two</p>" });
    await stage.settle();
    expect(await mail()).toBe("<p>two</p>");

    const fault = { kind: "reset", phase: "after" } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "authConfig.update", count: 1, fault });
    stage.putConfigMap("mails", { "invite.html": "<p>three</p>" });
    await stage.run("change");
    stage.putConfigMap("mails", { "invite.html": "<p>two</p>" });
    await stage.settle();

    expect(await mail()).toBe("<p>two</p>");
    expect(reasons()).not.toContain("DriftCorrected");
  });
});

describe("What an edit costs", () => {
  const written = (): number => stage.theatre.kubernetes.written.get("PATCH projects/status") ?? 0;

  it("is one write of the status more than what comes of it, before it is sent, however many sections it is of", async () => {
    const spec = (seconds: number): object => ({
      auth: { jwtExpiry: `${seconds}s` },
      dataApi: { maxRows: seconds },
    });
    const first = written();
    await stage.apply(spec(1000));
    // Nothing was known that the first write could make untrue.
    expect(written() - first).toBe(1);

    const edited = written();
    await stage.apply(spec(2000));
    expect(written() - edited).toBe(2);

    const steady = written();
    for (let look = 0; look < 3; look += 1) await stage.run();
    expect(written() - steady).toBe(0);
  });

  it("is none where a hand-made change is taken back: what is known is true still", async () => {
    await stage.apply({ auth: { jwtExpiry: "1000s" } });
    await stage.client.authConfig.update({ ref: stage.ref, body: { jwt_exp: 5000 } });
    const before = written();
    await stage.run();
    expect(written() - before).toBe(0);
    expect(reasons()).toContain("DriftCorrected");
  });
});

describe("A setting of the database that needs a restart, taken back", () => {
  it("is an edit, and restarts", async () => {
    const spec = (connections: number): object => ({ database: { settings: { maxConnections: connections } } });
    await stage.apply(spec(100));
    const fault = { kind: "reset", phase: "after" } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "postgresConfig.replace", count: 1, fault });
    declare(spec(200));
    await stage.life.runWhileTimePasses("Project", "shop");
    await stage.apply(spec(100));

    const { entries } = await stage.theatre.emulator.control.log.read({ operation: "postgresConfig.replace" });
    expect(entries.at(-1)?.body).toEqual({ max_connections: 100, restart_database: true });
    expect(stage.entry("database.settings")?.awaitsRestart).toBeUndefined();
    expect(reasons()).not.toContain("DriftCorrected");
  });
});

describe("An edit of what interrupts what is served", () => {
  it("is an edit still, though it was refused once and only observed for a while after that", async () => {
    await stage[Symbol.asyncDispose]();
    stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "pro" }] } });
    const size = (instanceSize: string, managementPolicy = "Manage"): object => ({
      driftPolicy: "Report",
      managementPolicy,
      instanceSize,
    });
    await stage.apply(size("small"));
    const fault = { kind: "status", status: 400, body: { message: "no" } } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "addons.apply", count: 1, fault });
    await stage.start(size("medium"));
    await stage.start(size("medium", "Observe"));
    await stage.run("drift");
    expect(stage.entry("instanceSize")).toMatchObject({ state: "Drifted" });

    await stage.apply(size("medium"));

    expect(stage.entry("instanceSize")).toMatchObject({ state: "InSync" });
    const { selected_addons: selected } = await stage.client.addons.list({ ref: stage.ref });
    expect(selected.map(({ variant }) => variant.id)).toContain("ci_medium");
  });
});
