import { beforeEach, expect, it } from "vitest";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";

/** What the platform has taken is never asked for again by itself, however little of it is seen. */

const REF = "abcdefghijklmnopqrst";
const SHOP = { organization: "acme", ref: REF, transferPolicy: "Allow" };

const asked = askedInEach();

beforeEach(async () => {
  await asked.theatre.emulator.control.state.seed({
    organizations: [{ slug: "other", members: { owner: "Owner" } }],
    projects: [{ name: "shop", ref: REF, organization: "acme", postgresVersion: "15.8.1.085" }],
  });
});

/** Has an operation answered without anything behind it. */
async function answers(operation: string, status: number, body?: object): Promise<void> {
  const fault = { kind: "status", status, phase: "before", ...(body === undefined ? {} : { body }) } as const;
  await asked.theatre.emulator.control.faults.add({ operation, count: null, fault });
}

it("an upgrade of which the platform shows nothing has failed, and is asked for again where its version is written anew", async () => {
  asked.put("Project", "shop", SHOP);
  const life = await asked.theatre.life();
  await life.settle("Project", "shop");
  await answers("upgrades.start", 201, { tracking_id: "taken" });
  await answers("upgrades.status", 200, { databaseUpgradeStatus: null });
  asked.put("Project", "shop", { ...SHOP, database: { version: "17" } });
  await life.run("Project", "shop");
  expect(asked.project("shop").upgrade).toMatchObject({ state: "Running", trackingId: "taken" });
  await asked.theatre.pass(130_000);
  expect(await life.settle("Project", "shop")).toMatchObject({
    kind: "terminal",
    reason: "UpgradeFailed",
    message: expect.stringContaining("shows nothing of it"),
  });
  await asked.theatre.pass(600_000);
  await life.settle("Project", "shop");
  expect(await asked.calls("upgrades.start")).toBe(1);
  asked.put("Project", "shop", SHOP);
  await life.settle("Project", "shop");
  await asked.theatre.emulator.control.faults.clear({});
  asked.put("Project", "shop", { ...SHOP, database: { version: "17" } });
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  expect(await asked.calls("upgrades.start")).toBe(2);
});

/** Asks for the database as it was a minute ago. */
async function takeBack(): Promise<void> {
  await asked.theatre.emulator.control.projects.patch({ ref: REF, pitr: true });
  await asked.theatre.pass(120_000);
  const time = new Date(asked.theatre.clock.now() - 60_000).toISOString().replace(/\.\d+Z$/u, "Z");
  asked.ask("Project", "shop", "restore-to", `1@${time}`);
}

it.each([
  { after: "a day", pass: () => asked.theatre.pass(86_400_000) },
  { after: "it was taken back", pass: takeBack },
])("an upgrade is over where the database has the version before it again: $after", async ({ pass }) => {
  asked.put("Project", "shop", SHOP);
  const life = await asked.theatre.life();
  await life.settle("Project", "shop");
  await answers("upgrades.start", 201, { tracking_id: "taken" });
  const seen = { initiated_at: "2026-01-31T12:00:00Z", latest_status_at: "2026-01-31T12:00:00Z", target_version: 17 };
  await answers("upgrades.status", 200, { databaseUpgradeStatus: { ...seen, status: 2 } });
  asked.put("Project", "shop", { ...SHOP, database: { version: "17" } });
  await life.run("Project", "shop");
  expect(await life.run("Project", "shop")).toMatchObject({ kind: "waiting", reason: "Upgrading" });
  expect(asked.project("shop").upgrade).toMatchObject({ state: "Succeeded" });
  await pass();
  expect(await life.settle("Project", "shop")).toMatchObject({
    kind: "terminal",
    reason: "UpgradeFailed",
    message: expect.stringContaining("has version 15 again"),
  });
  expect(await asked.calls("upgrades.start")).toBe(1);
});

it("a transfer that was taken and leaves the project where it is, is told and not asked for again", async () => {
  asked.put("Project", "shop", SHOP);
  const life = await asked.theatre.life();
  await life.settle("Project", "shop");
  await answers("transfers.create", 200);
  asked.put("Project", "shop", { ...SHOP, organization: "other" });
  expect(await life.run("Project", "shop")).toMatchObject({ kind: "waiting", reason: "Transferring" });
  await asked.theatre.pass(130_000);
  expect(await life.run("Project", "shop")).toMatchObject({
    kind: "terminal",
    reason: "TransferBlocked",
    message: expect.stringContaining("still in acme"),
    recheckAfterMs: 60_000,
  });
  await asked.theatre.pass(600_000);
  await life.run("Project", "shop", "drift");
  expect(await asked.calls("transfers.create")).toBe(1);
  // Whoever has looked asks anew.
  asked.put("Project", "shop", SHOP);
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  await asked.theatre.emulator.control.faults.clear({});
  asked.put("Project", "shop", { ...SHOP, organization: "other" });
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  expect(await asked.calls("transfers.create")).toBe(2);
});

it("what a database had before it was taken back is set again", async () => {
  const secretKeyRef = { name: "database", key: "password" };
  const data = { password: Buffer.from("good enough").toString("base64") };
  asked.theatre.kubernetes.put("secrets", {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "database", namespace: "test" },
    data,
  });
  asked.put("Project", "shop", {
    ...SHOP,
    databasePassword: { secretKeyRef },
    driftPolicy: "Report",
    database: { ssl: { enforced: true } },
  });
  const life = await asked.theatre.life();
  await asked.theatre.emulator.control.projects.patch({ ref: REF, pitr: true });
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  expect(await asked.calls("projects.updatePassword")).toBe(1);
  // A difference that is only told of, as long as it is one to what was in force before.
  const answer = await fetch(`${asked.theatre.emulator.url}/v1/projects/${REF}/ssl-enforcement`, {
    method: "PUT",
    headers: { authorization: "Bearer token", "content-type": "application/json" },
    body: JSON.stringify({ requestedConfig: { database: false } }),
  });
  expect(answer.status).toBe(200);
  await life.settle("Project", "shop");
  await life.run("Project", "shop", "drift");
  const ssl = () => asked.project("shop").sections?.find(({ name }) => name === "database.ssl");
  expect(ssl()).toMatchObject({ state: "Drifted" });
  await asked.theatre.pass(120_000);
  const time = new Date(asked.theatre.clock.now() - 60_000).toISOString().replace(/\.\d+Z$/u, "Z");
  asked.ask("Project", "shop", "restore-to", `1@${time}`);
  await asked.settle(life, "Project", "shop");
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  expect(asked.requests("Project", "shop", "restore-to")).toMatchObject([{ state: "Succeeded" }]);
  expect(await asked.calls("projects.updatePassword")).toBe(2);
  expect(ssl()).toMatchObject({ state: "InSync" });
  await life.run("Project", "shop", "drift");
  expect(await asked.calls("projects.updatePassword")).toBe(2);
});
