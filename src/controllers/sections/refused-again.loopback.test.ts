import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SectionEntry } from "../../resources/settings/status.ts";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** An edit that is refused again and again: the status says of it what the first refusal said, so that an operator that starts knows what is in force. */

let stage: SectionStage;

let isOpen = false;
let watched: string;

/** What the status said of the section when a request began. */
const told: Pick<SectionEntry, "applied" | "sending">[] = [];

beforeEach(async () => {
  const seed = { organizations: [{ slug: "acme", name: "Acme", plan: "pro" as const }] };
  stage = await openSectionStage({ seed }, { onRequest: note });
  isOpen = true;
  watched = "realtime";
});

function note(): void {
  if (!isOpen) return;
  const { applied, sending } = stage.entry(watched) ?? {};
  told.push({ ...(applied === undefined ? {} : { applied }), ...(sending === undefined ? {} : { sending }) });
}

afterEach(() => {
  isOpen = false;
  return stage[Symbol.asyncDispose]();
});

type Refusing = 400 | 403 | 429;

async function refuse(operation: string, status: Refusing): Promise<void> {
  const fault = { kind: "status", status, phase: "before", body: { message: "no" } } as const;
  await stage.theatre.emulator.control.faults.add({ operation, count: null, fault });
}

const heal = (): Promise<unknown> => stage.theatre.emulator.control.faults.clear({});

/** Longer than what was refused rests, milliseconds. */
const AGAIN_MS = 3_700_000;

/** Further tries, each of which has to come to the platform. @returns writes to the apiserver */
async function tryAgain(operation: string, times: number): Promise<number> {
  const before = stage.theatre.kubernetes.writes;
  for (let n = 0; n < times; n += 1) {
    await stage.theatre.pass(AGAIN_MS);
    await stage.calls();
    await stage.run("drift");
    expect(await stage.calls()).toContain(operation);
  }
  return stage.theatre.kubernetes.writes - before;
}

function declare(spec: object): void {
  stage.theatre.kubernetes.put("projects", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: { name: "shop", namespace: NAMESPACE },
    spec: { organization: "acme", ...spec },
  });
}

/** Declares it in the eyes of an operator that has just started. */
async function applyAnew(spec: object): Promise<void> {
  declare(spec);
  await (await stage.theatre.life()).settle("Project", "shop");
}

describe.each([400, 403] as const)("an edit that was answered %i three times", (status) => {
  const size = (instanceSize: string): object => ({ instanceSize });
  const realtime = (count: number): object => ({ driftPolicy: "Report", realtime: { maxConcurrentUsers: count } });
  const users = async (): Promise<unknown> =>
    (await stage.client.realtime.get({ ref: stage.ref })).max_concurrent_users;

  it("tells as much as after the first, in no write of the status", async () => {
    await stage.apply(size("small"));
    await refuse("addons.apply", status);
    await stage.start(size("large"));
    const first = stage.entry("instanceSize");
    expect(first).toMatchObject({ state: "Failed", applied: expect.any(String) });

    expect(await tryAgain("addons.apply", 2)).toBe(0);
    expect(stage.entry("instanceSize")).toEqual(first);
  });

  it("leaves what a hand did meanwhile, taken back under an operator that starts", async () => {
    await stage.apply(size("small"));
    await refuse("addons.apply", status);
    await stage.start(size("large"));
    await tryAgain("addons.apply", 2);
    await heal();
    const body = { addon_type: "compute_instance", addon_variant: "ci_medium" } as const;
    await stage.client.addons.apply({ ref: stage.ref, body });
    await stage.theatre.pass(600_000);
    await stage.calls();

    await applyAnew(size("small"));

    expect(await stage.calls()).not.toContain("addons.apply");
    expect(stage.entry("instanceSize")).toMatchObject({ state: "Drifted" });
  });

  it("is nothing to wait for, taken back under an operator that starts", async () => {
    await stage.apply(realtime(100));
    const before = stage.entry("realtime");
    await refuse("realtime.update", status);
    await stage.start(realtime(200));
    await tryAgain("realtime.update", 2);
    await heal();

    declare(realtime(100));
    const life = await stage.theatre.life();
    expect(await life.run("Project", "shop")).toMatchObject({ kind: "done" });

    expect(stage.entry("realtime")).toEqual(before);
  });

  it("is in doubt once an answer is lost: taken back it is sent", async () => {
    await stage.apply(realtime(100));
    await refuse("realtime.update", status);
    await stage.start(realtime(200));
    await tryAgain("realtime.update", 2);
    await heal();
    const fault = { kind: "reset", phase: "after" } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "realtime.update", count: 1, fault });
    await stage.theatre.pass(AGAIN_MS);
    await stage.run("drift");
    expect(stage.entry("realtime")).toMatchObject({ sending: expect.any(String), sentAt: expect.any(String) });
    expect(stage.entry("realtime")?.applied).toBeUndefined();

    await applyAnew(realtime(100));

    expect(await users()).toBe(100);
  });

  it("is in doubt as another edit, of which nothing was refused yet", async () => {
    await stage.apply(realtime(100));
    await refuse("realtime.update", status);
    await stage.start(realtime(200));
    await tryAgain("realtime.update", 2);
    told.length = 0;
    await stage.start(realtime(300));

    expect(told).toContainEqual({ sending: expect.any(String) });
    expect(stage.entry("realtime")).toMatchObject({ state: "Failed", applied: expect.any(String) });
  });

  it("is in doubt as one whose last answer was lost, declared once more", async () => {
    const { faults } = stage.theatre.emulator.control;
    await stage.apply(realtime(100));
    await refuse("realtime.update", status);
    await stage.start(realtime(200));
    await heal();
    await faults.add({ operation: "realtime.update", count: 1, fault: { kind: "reset", phase: "before" } });
    await stage.theatre.pass(AGAIN_MS);
    await stage.run("drift");
    await heal();
    await stage.theatre.pass(AGAIN_MS);
    await stage.apply(realtime(100));
    told.length = 0;
    await stage.start(realtime(200));

    expect(told).toContainEqual({ sending: expect.any(String) });
  });

  it("gives up what was sent of a secret all the same, which no read tells", async () => {
    const spec = { auth: { smtp: { password: { secretKeyRef: { name: "smtp", key: "password" } } } } };
    stage.putSecret("smtp", { password: "the-first-password" });
    await stage.apply(spec);
    const { applied } = stage.entry("auth") ?? {};
    await refuse("authConfig.update", status);
    stage.putSecret("smtp", { password: "the-second-password" });
    await stage.run("change");
    expect(stage.entry("auth")?.secrets).toHaveLength(1);

    expect(await tryAgain("authConfig.update", 3)).toBe(1);
    expect(stage.entry("auth")).toMatchObject({ state: "Failed", applied });
    expect(stage.entry("auth")?.secrets ?? []).toEqual([]);
  });
});

it("what is refused since the platform is busy is in doubt when it is sent again: it may be taken any time", async () => {
  await stage.apply({ realtime: { maxConcurrentUsers: 100 } });
  await refuse("realtime.update", 429);
  await stage.start({ realtime: { maxConcurrentUsers: 200 } });
  await stage.theatre.pass(AGAIN_MS);
  told.length = 0;
  await stage.run("drift");

  expect(told).toContainEqual({ sending: expect.any(String) });
});

it("what was taken at last of an edit is recorded before the next request of it", async () => {
  watched = "customHostname";
  const hostname = (name: string): object => ({ addons: { customDomain: true }, customHostname: { hostname: name } });
  await stage.start(hostname("api.example.com"));
  for (const { name, value } of stage.stored().customHostname?.records ?? []) {
    await stage.theatre.emulator.control.dns.set({ name, texts: [value] });
  }
  await stage.settle();
  await refuse("customHostname.delete", 403);
  await stage.start(hostname("api.example.org"));
  await tryAgain("customHostname.delete", 2);
  expect(stage.entry(watched)).toMatchObject({ state: "Failed", applied: expect.any(String) });
  await heal();
  await stage.theatre.pass(AGAIN_MS);
  told.length = 0;
  await stage.run("drift");

  expect(await stage.calls()).toContain("customHostname.initialize");
  expect(told).toContainEqual({ sending: expect.any(String) });
});
