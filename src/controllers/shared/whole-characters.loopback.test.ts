import { expect, it } from "vitest";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";

/** Texts whose bound comes in the middle of a character, or that come with half of one: the apiserver puts U+FFFD in the place of a half. */

const asked = askedInEach();

it("a request whose 256th character is half of one is known again by every run", async () => {
  const life = await asked.withShop();
  asked.ask("Project", "shop", "restart", "1");
  await asked.settle(life, "Project", "shop");
  asked.ask("Project", "shop", "restart", `${"x".repeat(255)}😀`);
  await life.settle("Project", "shop");
  const before = asked.theatre.kubernetes.writes;
  for (let run = 0; run < 12; run += 1) await life.run("Project", "shop", "drift");
  expect(asked.theatre.kubernetes.writes).toBe(before);
  expect(asked.requests("Project", "shop", "restart")).toMatchObject([{ state: "Succeeded" }, { state: "Refused" }]);
});

it("what the platform answers with half of a character is written once", async () => {
  const life = await asked.withShop();
  const body = [{ name: "auth", healthy: true, status: "half of a \uD83D" }];
  const fault = { kind: "status", status: 200, body } as const;
  await asked.theatre.emulator.control.faults.add({ operation: "projects.health", count: null, fault });
  await life.run("Project", "shop", "drift");
  expect(asked.project("shop").services).toMatchObject([{ state: "half of a \uFFFD" }]);
  const before = asked.theatre.kubernetes.writes;
  for (let run = 0; run < 3; run += 1) await life.run("Project", "shop", "drift");
  expect(asked.theatre.kubernetes.writes).toBe(before);
});

it("a name of the platform's with half of a character is written once", async () => {
  const life = await asked.withShop({
    driftPolicy: "Report",
    database: { settingsMode: "Replace", settings: { statementTimeout: "30s" } },
  });
  const fault = { kind: "status", status: 200, body: { statement_timeout: "30s", "half\uD83D": "1" } } as const;
  await asked.theatre.emulator.control.faults.add({ operation: "postgresConfig.get", count: null, fault });
  await life.run("Project", "shop", "drift");
  expect(JSON.stringify(asked.project("shop").sections)).toContain("half\uFFFD");
  const before = asked.theatre.kubernetes.writes;
  for (let run = 0; run < 3; run += 1) await life.run("Project", "shop", "drift");
  expect(asked.theatre.kubernetes.writes).toBe(before);
});

it("what a hostile platform answers at length leaves a status that an apiserver takes", async () => {
  await asked.theatre.emulator.control.state.seed({ organizations: [{ slug: "other", members: { owner: "Owner" } }] });
  const life = await asked.withShop({ transferPolicy: "Allow" });
  const long = Array.from({ length: 20 }, (_, n) => ({ key: "k", message: `${n}`.repeat(100_000) }));
  const lists = { warnings: long, errors: long, info: [], members_exceeding_free_project_limit: [] };
  const plans = { source_subscription_plan: "pro", target_subscription_plan: "pro" };
  const attributes = { valid: false, ...lists, has_access: true, target_organization_slug: "other", ...plans };
  const fault = { kind: "status", status: 200, body: { data: { type: "x", id: "x", attributes } } } as const;
  await asked.theatre.emulator.control.faults.add({ operation: "transfers.preview", count: null, fault });
  asked.put("Project", "shop", { organization: "other", deletionPolicy: "Retain", transferPolicy: "Allow" });
  await life.settle("Project", "shop");
  const { transfer } = asked.project("shop");
  expect(transfer?.errors).toHaveLength(20);
  expect(JSON.stringify(transfer).length).toBeLessThan(50_000);
});

it("names of a hostile platform's, many and long, leave a status that an apiserver takes, and are written once", async () => {
  const life = await asked.withShop({
    driftPolicy: "Report",
    database: { settingsMode: "Replace", settings: { statementTimeout: "30s" } },
  });
  const foreign = Array.from({ length: 600 }, (_, n) => [`x${n}${"y".repeat(6000)}`, "1"] as const);
  const body = { statement_timeout: "30s", ...Object.fromEntries(foreign) };
  const fault = { kind: "status", status: 200, body } as const;
  await asked.theatre.emulator.control.faults.add({ operation: "postgresConfig.get", count: null, fault });
  await life.run("Project", "shop", "drift");
  const { sections } = asked.project("shop");
  expect(sections).toMatchObject([{ name: "database.settings", state: "Drifted" }]);
  expect(JSON.stringify(sections).length).toBeLessThan(512 * 1024);
  const before = asked.theatre.kubernetes.writes;
  for (let run = 0; run < 3; run += 1) await life.run("Project", "shop", "drift");
  expect(asked.theatre.kubernetes.writes).toBe(before);
});
