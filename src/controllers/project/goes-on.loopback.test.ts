import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { secretData } from "../../../test/support/controllers/outputs.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** A part of a Project that fails holds up neither its settings nor its outputs, and is told of all the same. */

let stage: SectionStage;

beforeEach(async () => {
  const member = { owner: "Owner" } as const;
  const organizations = [
    { slug: "acme", name: "Acme", plan: "pro" as const, members: member },
    { slug: "other", name: "Other", plan: "pro" as const, members: member },
  ];
  stage = await openSectionStage({ seed: { organizations } });
});

afterEach(() => stage[Symbol.asyncDispose]());

const REST = { dataApi: { maxRows: 77 }, writeConnectionSecretToRef: { name: "out", keys: [{ key: "url" }] } };

async function refuse(operation: string, status: number, message: string): Promise<void> {
  const fault = { kind: "status", status, body: { message }, phase: "before" } as const;
  await stage.theatre.emulator.control.faults.add({ operation, count: null, fault });
}

async function maxRows(): Promise<number> {
  return (await stage.client.dataApi.get({ ref: stage.ref })).max_rows;
}

function putProject(spec: object): void {
  stage.theatre.kubernetes.put("projects", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: { name: "shop", namespace: NAMESPACE },
    spec: { organization: "acme", ...spec },
  });
}

interface Case {
  readonly why: string;
  readonly spec: object;
  readonly arrange?: () => Promise<void> | void;
  /** as soon as the platform takes it */
  readonly heals?: boolean;
  readonly ready: { readonly status: string; readonly reason: string; readonly says: string };
}

const cases: readonly Case[] = [
  {
    why: "a name that the platform refuses",
    spec: { name: "taken" },
    heals: true,
    arrange: () => refuse("projects.update", 409, "the name is taken"),
    ready: { status: "False", reason: "Rejected", says: "could not rename the project" },
  },
  {
    why: "a name that the platform fails over",
    spec: { name: "another" },
    heals: true,
    arrange: () => refuse("projects.update", 500, "oops"),
    ready: { status: "Unknown", reason: "ServerUnavailable", says: "could not rename the project" },
  },
  {
    why: "a Secret of the password that is not there",
    spec: { databasePassword: { secretKeyRef: { name: "nowhere" } } },
    ready: { status: "Unknown", reason: "ReferenceNotFound", says: "there is no Secret nowhere" },
  },
  {
    why: "a password that is no text",
    spec: { databasePassword: { secretKeyRef: { name: "db" } } },
    arrange: () => stage.putSecret("db", { password: "" }),
    ready: { status: "False", reason: "InvalidSpec", says: "the key password of the Secret db is empty" },
  },
  {
    why: "a password that the platform refuses",
    spec: { databasePassword: { secretKeyRef: { name: "db" } } },
    arrange: async () => {
      stage.putSecret("db", { password: "short" });
      await refuse("projects.updatePassword", 400, "too short");
    },
    heals: true,
    ready: { status: "False", reason: "Rejected", says: "could not set the database password" },
  },
  {
    why: "an upgrade of which the token may not read whether it can be",
    spec: { database: { version: "17-oriole" } },
    arrange: () => refuse("upgrades.eligibility", 403, "not allowed"),
    ready: { status: "False", reason: "Forbidden", says: "could not read whether the database can be upgraded" },
  },
  {
    why: "an upgrade of which the platform does not tell that",
    spec: { database: { version: "17-oriole" } },
    arrange: () => refuse("upgrades.eligibility", 500, "oops"),
    ready: {
      status: "Unknown",
      reason: "ServerUnavailable",
      says: "could not read whether the database can be upgraded",
    },
  },
  {
    why: "a pause that the platform refuses",
    spec: { state: "Paused" },
    arrange: () => refuse("projects.pause", 400, "not of this plan"),
    ready: { status: "False", reason: "Rejected", says: "could not pause the project" },
  },
  {
    why: "another organization, without leave to be moved there",
    spec: { organization: "other" },
    ready: { status: "False", reason: "InvalidSpec", says: "transferPolicy is Never" },
  },
  {
    why: "a transfer of which the preview may not be read",
    spec: { organization: "other", transferPolicy: "Allow" },
    heals: true,
    arrange: () => refuse("transfers.preview", 403, "not allowed"),
    ready: { status: "False", reason: "Forbidden", says: "could not preview the transfer" },
  },
  {
    why: "a transfer that the platform refuses",
    spec: { organization: "other", transferPolicy: "Allow" },
    heals: true,
    arrange: () => refuse("transfers.create", 422, "in use"),
    ready: { status: "False", reason: "TransferBlocked", says: "in use" },
  },
];

describe("settings and outputs go on beside", () => {
  it.each(cases)("$why", async ({ spec, arrange, ready: { status, reason, says } }) => {
    await arrange?.();
    putProject({ ...REST, ...spec });
    await stage.life.runWhileTimePasses("Project", "shop");
    expect(await maxRows()).toBe(77);
    expect(stage.entry("dataApi")).toMatchObject({ state: "InSync" });
    expect(secretData(stage.theatre, "out")).toHaveProperty("url");
    expect(stage.condition("Ready")).toMatchObject({ status, reason, message: expect.stringContaining(says) });
  });

  it.each(cases.filter(({ heals }) => heals))(
    "$why, which is in force once it is put right",
    async ({ spec, arrange }) => {
      await arrange?.();
      putProject({ ...REST, ...spec });
      await stage.life.runWhileTimePasses("Project", "shop");
      await stage.theatre.emulator.control.faults.clear({});
      await stage.theatre.pass(600_000);
      expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
      expect(stage.condition("Ready")).toMatchObject({ status: "True" });
    },
  );
});

it("a name that is refused keeps neither a password from being set nor a pause from being asked for", async () => {
  await refuse("projects.update", 409, "the name is taken");
  stage.putSecret("db", { password: "a password of some length" });
  await stage.calls();
  const spec = { name: "taken", databasePassword: { secretKeyRef: { name: "db" } }, state: "Paused" };
  await stage.start(spec);
  expect(await stage.calls()).toEqual(expect.arrayContaining(["projects.updatePassword", "projects.pause"]));
  expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "terminal", reason: "Rejected" });
  expect(stage.stored().state).toBe("INACTIVE");
});

it("a pause of which no answer came keeps settings from being written to what may be on its way", async () => {
  await stage.apply(REST);
  await stage.calls();
  await stage.theatre.emulator.control.faults.add({
    operation: "projects.pause",
    count: null,
    fault: { kind: "reset", phase: "after" },
  });
  putProject({ ...REST, dataApi: { maxRows: 88 }, state: "Paused" });
  await stage.life.runWhileTimePasses("Project", "shop");
  expect((await stage.calls()).filter((operation) => operation.startsWith("dataApi."))).toEqual([]);
  await stage.theatre.pass(600_000);
  expect(await stage.run()).toMatchObject({ kind: "waiting", reason: "Updating" });
  expect(stage.stored().state).toBe("INACTIVE");
});

it("a spec that could not be made so is no drift, but done as soon as it can be", async () => {
  await refuse("projects.update", 409, "the name is taken");
  await stage.apply({ ...REST, name: "taken", driftPolicy: "Report" });
  await stage.theatre.emulator.control.faults.clear({});
  expect(await stage.run()).toMatchObject({ kind: "done" });
  expect(stage.stored().name).toBe("taken");
  expect(stage.condition("Drifted")).toBeUndefined();
});

it("what a name and a section are refused for is told together", async () => {
  await refuse("projects.update", 409, "the name is taken");
  await refuse("dataApi.update", 400, "not so many");
  await stage.apply({ ...REST, name: "taken" });
  const message = stage.condition("Ready")?.message ?? "";
  expect(["the name is taken", "not so many"].filter((words) => !message.includes(words))).toEqual([]);
});

it("a password that cannot be had puts off no drift check", async () => {
  await stage.start({ ...REST, databasePassword: { secretKeyRef: { name: "db" } }, driftInterval: "5m" });
  await stage.client.dataApi.update({ ref: stage.ref, body: { max_rows: 5 } });
  const outcome = await stage.run("change");
  expect(outcome).toMatchObject({ kind: "waiting", reason: "ReferenceNotFound" });
  expect(outcome.kind === "waiting" && outcome.retryAfterMs <= 300_000).toBe(true);
  await stage.theatre.pass(300_000);
  await stage.run("progress");
  expect(await maxRows()).toBe(77);
});
