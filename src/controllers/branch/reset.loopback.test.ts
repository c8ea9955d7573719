import { expect, it } from "vitest";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import type { Life } from "../../../test/support/controllers/life.ts";

const asked = askedInEach();

/** A life in which somebody has changed a setting of the branch's database, which is left as it is. */
async function withDrift(): Promise<Life> {
  const life = await asked.withShop();
  const database = { ssl: { enforced: true } };
  asked.put("Branch", "preview", { projectRef: { name: "shop" }, driftPolicy: "Report", database });
  expect(await life.settle("Branch", "preview")).toMatchObject({ kind: "done" });
  const answer = await fetch(
    `${asked.theatre.emulator.url}/v1/projects/${asked.branch("preview").ref}/ssl-enforcement`,
    {
      method: "PUT",
      headers: { authorization: "Bearer token", "content-type": "application/json" },
      body: JSON.stringify({ requestedConfig: { database: false } }),
    },
  );
  expect(answer.status).toBe(200);
  await life.settle("Branch", "preview");
  await life.run("Branch", "preview", "drift");
  expect(ssl()).toMatchObject({ state: "Drifted" });
  return life;
}

function ssl() {
  return asked.branch("preview").sections?.find(({ name }) => name === "database.ssl");
}

async function reset(life: Life): Promise<void> {
  asked.ask("Branch", "preview", "reset", "1");
  await asked.settle(life, "Branch", "preview");
  await life.settle("Branch", "preview");
  await life.run("Branch", "preview", "drift");
}

it("a branch that was reset has its database configured anew: what was in force before is no drift any more", async () => {
  await reset(await withDrift());
  expect(asked.requests("Branch", "preview", "reset")).toMatchObject([{ state: "Succeeded" }]);
  expect(ssl()).toMatchObject({ state: "InSync" });
});

it("so has one of which nobody knows whether it was", async () => {
  const life = await withDrift();
  const fault = { kind: "reset", phase: "before" } as const;
  await asked.theatre.emulator.control.faults.add({ operation: "branches.reset", fault });
  await reset(life);
  expect(asked.requests("Branch", "preview", "reset")).toMatchObject([{ state: "Unknown" }]);
  expect(ssl()).toMatchObject({ state: "InSync" });
});

it("so has one whose reset failed on the way", async () => {
  const life = await withDrift();
  await asked.theatre.emulator.control.actions.failStep({ step: "seed", message: "no room" });
  await reset(life);
  expect(asked.requests("Branch", "preview", "reset")).toMatchObject([
    { state: "Failed", message: expect.stringContaining("the step seed") },
  ]);
  // Looked at once the branch is well again.
  expect(ssl()).toMatchObject({ name: "database.ssl" });
  expect(ssl()).not.toHaveProperty("applied");
});

it("so has one whose project was not found for a minute meanwhile", async () => {
  const life = await withDrift();
  asked.ask("Branch", "preview", "reset", "1");
  await life.run("Branch", "preview");
  const { faults } = asked.theatre.emulator.control;
  const fault = { kind: "status", status: 404, phase: "before" } as const;
  await faults.add({ operation: "projects.get", count: null, fault });
  await life.run("Project", "shop");
  await asked.theatre.pass(60_000);
  await life.run("Project", "shop");
  await life.run("Branch", "preview");
  expect(asked.requests("Branch", "preview", "reset")).toMatchObject([{ state: "Unknown" }]);
  await faults.clear();
  await asked.theatre.pass(600_000);
  await life.settle("Project", "shop");
  await life.settle("Branch", "preview");
  await life.run("Branch", "preview", "drift");
  expect(ssl()).toMatchObject({ state: "InSync" });
});

it("one whose reset was refused is as it was: what somebody changed is drift", async () => {
  const life = await withDrift();
  const fault = { kind: "status", status: 422, body: { message: "no" } } as const;
  await asked.theatre.emulator.control.faults.add({ operation: "branches.reset", fault });
  await reset(life);
  expect(asked.requests("Branch", "preview", "reset")).toMatchObject([{ state: "Failed" }]);
  expect(ssl()).toMatchObject({ state: "Drifted" });
});
