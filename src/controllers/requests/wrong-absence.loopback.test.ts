import { beforeEach, describe, expect, it } from "vitest";
import { SHOP } from "../../../test/support/controllers/asked.ts";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import { type Life, NAMESPACE } from "../../../test/support/controllers/life.ts";
import { annotations } from "../../resources/annotations.ts";

/** One wrong answer that does not find what is there: no request comes to its end for it, since from there it has no way back. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const inShop = { projectRef: { name: "shop" } };

const asked = askedInEach({ timings: { runningMigrationsMs: 10 * MINUTE_MS } });
let life: Life;

beforeEach(async () => {
  life = await asked.withShop();
});

type Kind = "Project" | "Branch";

/** Answers a look wrongly, once after so many right ones. */
async function answerWrongly(operation: string, skip = 0): Promise<void> {
  const list = operation.endsWith(".list");
  const fault = list
    ? ({ kind: "status", status: 200, body: [], phase: "before" } as const)
    : ({ kind: "status", status: 404, phase: "before" } as const);
  await asked.theatre.emulator.control.faults.add({ operation, skip, fault });
}

async function withPreview(spec: object = {}): Promise<void> {
  asked.put("Branch", "preview", { ...inShop, ...spec });
  expect(await life.settle("Branch", "preview")).toMatchObject({ kind: "done" });
}

const stateOf = (kind: Kind, name: string, verb: string): string | undefined =>
  asked.requests(kind, name, verb).at(-1)?.state;

/** Begins what was asked for, which goes on. */
async function begin(kind: Kind, name: string, verb: string): Promise<void> {
  asked.ask(kind, name, verb, "1");
  await life.run(kind, name);
  expect(stateOf(kind, name, verb)).toBe("Running");
}

it("what a run wrote beside a request that is not found once is not written again", async () => {
  const put = (password: string): void => {
    const data = { password: Buffer.from(password).toString("base64") };
    const metadata = { name: "password", namespace: NAMESPACE };
    asked.theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data });
  };
  put("the-first-password");
  asked.put("Project", "shop", {
    ...SHOP,
    databasePassword: { secretKeyRef: { name: "password", key: "password" } },
  });
  await asked.settle(life, "Project", "shop");
  const calls = await asked.calls("projects.updatePassword");
  put("the-second-password");
  await answerWrongly("projects.restart");
  asked.ask("Project", "shop", "restart", "1");
  await asked.settle(life, "Project", "shop");
  expect(stateOf("Project", "shop", "restart")).toBe("Succeeded");
  expect(await asked.calls("projects.restart")).toBe(2);
  expect((await asked.calls("projects.updatePassword")) - calls).toBe(1);
});

describe("what is under way is followed to its end", () => {
  it("where the project is not found once", async () => {
    await begin("Project", "shop", "restart");
    await answerWrongly("projects.get");
    await life.run("Project", "shop", "progress");
    expect(stateOf("Project", "shop", "restart")).toBe("Running");
    await asked.settle(life, "Project", "shop");
    expect(stateOf("Project", "shop", "restart")).toBe("Succeeded");
  });

  it("where the project is not found once, of the branches in it, too", async () => {
    await withPreview();
    await begin("Branch", "preview", "merge");
    await answerWrongly("projects.get");
    await life.run("Project", "shop", "progress");
    await life.run("Branch", "preview", "progress");
    expect(stateOf("Branch", "preview", "merge")).toBe("Running");
  });

  it("where the project is not found for some seconds after its Project lost its status, of the branches in it, too", async () => {
    await withPreview();
    await begin("Branch", "preview", "merge");
    asked.theatre.kubernetes.restate("projects", NAMESPACE, "shop", () => undefined);
    const { faults } = asked.theatre.emulator.control;
    await faults.add({ operation: "projects.get", count: null, fault: { kind: "status", status: 404 } });
    const look = async (): Promise<void> => {
      await life.run("Project", "shop", "progress");
      await life.run("Branch", "preview", "progress");
    };
    for (let seconds = 0; seconds < 60; seconds += 15) {
      await look();
      expect(asked.condition("Project", "shop", "Stalled")).toBeUndefined();
      expect(stateOf("Branch", "preview", "merge")).toBe("Running");
      await asked.theatre.pass(15_000);
    }
    await look();
    expect(asked.condition("Project", "shop", "Stalled")).toMatchObject({ reason: "RemoteMissing" });
    expect(stateOf("Branch", "preview", "merge")).toBe("Unknown");
  });

  it.each([{ persistent: true }, {}])("where the branch is listed once no more: %j", async (spec) => {
    await withPreview(spec);
    const { ref } = asked.branch("preview");
    await begin("Branch", "preview", "merge");
    for (const skip of [0, 0]) await answerWrongly("branches.list", skip);
    await asked.theatre.pass(3000);
    await life.run("Branch", "preview", "progress");
    expect(stateOf("Branch", "preview", "merge")).toBe("Running");
    await asked.theatre.pass(11 * MINUTE_MS);
    await asked.settle(life, "Branch", "preview");
    expect(stateOf("Branch", "preview", "merge")).toBe("Succeeded");
    expect(asked.branch("preview").ref).toBe(ref);
  });

  it("where its action run is not found once", async () => {
    await withPreview();
    await begin("Branch", "preview", "merge");
    await asked.theatre.pass(2 * MINUTE_MS);
    await answerWrongly("actions.get");
    await life.run("Branch", "preview", "progress");
    expect(stateOf("Branch", "preview", "merge")).toBe("Running");
    await asked.theatre.pass(11 * MINUTE_MS);
    await asked.settle(life, "Branch", "preview");
    expect(stateOf("Branch", "preview", "merge")).toBe("Succeeded");
  });
});

describe("what was sent and not heard of is looked for once more", () => {
  it("where the branch that is to be kept is listed once no more", async () => {
    await asked.theatre.emulator.control.projects.patch({ ref: asked.shopRef(), softBranchDeletion: true });
    await withPreview();
    const { ref = "" } = asked.branch("preview");
    await fetch(`${asked.theatre.emulator.url}/v1/branches/${ref}?force=false`, {
      method: "DELETE",
      headers: { authorization: "Bearer token" },
    });
    await asked.theatre.pass(20_000);
    const { faults } = asked.theatre.emulator.control;
    await faults.add({ operation: "branches.restore", fault: { kind: "reset", phase: "after" } });
    await answerWrongly("branches.list", 1);
    asked.ask("Branch", "preview", "restore", "1");
    await life.run("Branch", "preview");
    expect(asked.requests("Branch", "preview", "restore")).toMatchObject([{ state: "Sending" }]);
    await asked.settle(life, "Branch", "preview");
    expect(stateOf("Branch", "preview", "restore")).toBe("Succeeded");
  });
});

it.each([
  { kind: "Project", name: "shop", verb: "restart", operation: "projects.restart" },
  { kind: "Branch", name: "preview", verb: "reset", operation: "branches.reset" },
] as const)("a $verb that is answered 404 once is sent once more", async ({ kind, name, verb, operation }) => {
  await withPreview();
  await answerWrongly(operation);
  asked.ask(kind, name, verb, "1");
  await life.run(kind, name);
  expect(stateOf(kind, name, verb)).toBe("Waiting");
  await asked.settle(life, kind, name);
  expect(stateOf(kind, name, verb)).toBe("Succeeded");
  expect(await asked.calls(operation)).toBe(2);
});

it("a restart that is answered 404 again and again has failed, in the platform's words", async () => {
  const fault = { kind: "status", status: 404, body: { message: "no such thing" }, phase: "before" } as const;
  await asked.theatre.emulator.control.faults.add({ operation: "projects.restart", count: null, fault });
  asked.ask("Project", "shop", "restart", "1");
  for (let looks = 0; looks < 2; looks += 1) {
    await life.run("Project", "shop");
    expect(stateOf("Project", "shop", "restart")).not.toBe("Failed");
    expect(life.asked.at(-1)?.options).toMatchObject({ lane: "progress", afterMs: MINUTE_MS - looks * 30_000 });
    await asked.theatre.pass(30_000);
  }
  await life.run("Project", "shop");
  expect(asked.requests("Project", "shop", "restart")).toMatchObject([
    { state: "Failed", message: expect.stringContaining("no such thing") },
  ]);
});

describe("what has no way back either", () => {
  it("no second project is made where one that is there is not found once", async () => {
    asked.put("Project", "shop", SHOP, { [annotations.recreate]: asked.shopRef() });
    await answerWrongly("projects.get");
    await life.settle("Project", "shop");
    expect(await asked.calls("projects.create")).toBe(1);
  });

  it("a branch whose ttl is over and which is listed once no more is deleted, not forgotten", async () => {
    await withPreview({ ttl: "1h" });
    await asked.theatre.pass(2 * HOUR_MS);
    for (const skip of [0, 0]) await answerWrongly("branches.list", skip);
    await life.settle("Branch", "preview");
    expect(asked.condition("Branch", "preview", "Expired")).toMatchObject({ status: "True" });
    const { branches } = await asked.theatre.emulator.control.state.read({});
    expect(branches.map(({ name }) => name)).not.toContain("preview");
  });

  it("a branch that ended softly and is listed once no more is had back all the same", async () => {
    await asked.theatre.emulator.control.projects.patch({ ref: asked.shopRef(), softBranchDeletion: true });
    await withPreview({ ttl: "1h", softDelete: true });
    await asked.theatre.pass(HOUR_MS);
    await life.settle("Branch", "preview");
    asked.ask("Branch", "preview", "restore", "1");
    await answerWrongly("branches.list");
    await asked.settle(life, "Branch", "preview");
    expect(stateOf("Branch", "preview", "restore")).toBe("Succeeded");
  });

  it("a branch that was just deleted softly, and whose project is not found once then, can be had back", async () => {
    await asked.theatre.emulator.control.projects.patch({ ref: asked.shopRef(), softBranchDeletion: true });
    await withPreview({ ttl: "1h", softDelete: true });
    await asked.theatre.pass(HOUR_MS);
    const fault = { kind: "status", status: 404, phase: "before" } as const;
    await asked.theatre.emulator.control.faults.add({ operation: "branches.list", skip: 1, fault });
    await life.settle("Branch", "preview");
    expect(asked.branch("preview").id).toBeDefined();
    expect(asked.condition("Branch", "preview", "Expired")).toMatchObject({
      message: expect.stringContaining("baas.dev/restore"),
    });
  });
});
