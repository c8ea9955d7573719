import { describe, expect, it } from "vitest";
import { z } from "zod";
import { leftBehind } from "../../test/support/controllers/left-behind.ts";
import { NAMESPACE } from "../../test/support/controllers/life.ts";
import { lifeInEach } from "../../test/support/controllers/life-in-each.ts";

/**
 * A request without an answer whose time is hours ahead, as a clock was wrong: nothing tells whether it made what has the name by now. Under deletion that is
 * not taken for its own, and told like whatever else is left (engine.md §5).
 */

const stage = lifeInEach();

const apiVersion = "baas.dev/v1alpha1";
const PLURALS = { Project: "projects", Branch: "branches" } as const;

function put(kind: keyof typeof PLURALS, name: string, spec: object): void {
  stage.theatre.kubernetes.put(PLURALS[kind], { apiVersion, kind, metadata: { name, namespace: NAMESPACE }, spec });
}

/** The object `a` asks for something, which does not arrive, and goes. */
async function askAheadAndGo(kind: keyof typeof PLURALS, spec: object): Promise<void> {
  const { emulator, kubernetes, clock } = stage.theatre;
  const plural = PLURALS[kind];
  const fault = { kind: "reset", phase: "before" } as const;
  await emulator.control.faults.add({ operation: `${plural}.create`, count: 1, fault });
  put(kind, "a", { name: "x", ...spec });
  await stage.life.run(kind, "a");
  const time = new Date(clock.now() + 86_400_000).toISOString();
  kubernetes.restate(plural, NAMESPACE, "a", (status) => {
    const known = z.looseObject({ intent: z.looseObject({}) }).parse(status);
    return { ...known, intent: { ...known.intent, time } };
  });
  kubernetes.delete(plural, NAMESPACE, "a", clock.now());
}

async function end(kind: keyof typeof PLURALS): Promise<void> {
  await stage.life.run(kind, "a");
  expect(leftBehind(stage)).toEqual({ listed: [], events: [] }); // a clock may be put right
  await stage.life.settle(kind, "a");
  expect(stage.theatre.kubernetes.get(PLURALS[kind], NAMESPACE, "a")).toBeUndefined();
}

describe("a Project under deletion", () => {
  const spec = { organization: "acme", deletionPolicy: "Delete" };

  const owners = (): readonly unknown[] =>
    stage.theatre.kubernetes
      .list("secrets")
      .filter(({ metadata }) => metadata.annotations?.["baas.dev/generated-for"] !== undefined)
      .map(({ metadata }) => metadata.ownerReferences ?? []);

  it("leaves what has the name, tells of it, and keeps the password that it may have", async () => {
    await askAheadAndGo("Project", spec);
    const body = { name: "x", organization_slug: "acme", db_pass: "a-password-of-somebody" };
    const { ref } = await stage.life.client.projects.create({ body });
    await end("Project");
    const { projects } = await stage.theatre.emulator.control.state.read({});
    expect(projects.map((project) => project.ref)).toContain(ref);
    expect(leftBehind(stage)).toEqual({ listed: ["project acme/x: Unconfirmed"], events: ["project acme/x"] });
    expect(owners()).toEqual([[]]);
  });

  it("tells of nothing where nothing has the name", async () => {
    await askAheadAndGo("Project", spec);
    await end("Project");
    expect(leftBehind(stage)).toEqual({ listed: [], events: [] });
    expect(owners()).toEqual([[expect.objectContaining({ kind: "Project" })]]);
  });
});

/** An object that is up. @returns its ref */
async function open(kind: keyof typeof PLURALS, name: string, spec: object): Promise<string> {
  put(kind, name, spec);
  await stage.life.settle(kind, name);
  const status: unknown = stage.theatre.kubernetes.get(PLURALS[kind], NAMESPACE, name)?.["status"];
  return z.looseObject({ ref: z.string() }).parse(status).ref;
}

async function openShop(): Promise<string> {
  const ref = await open("Project", "shop", { organization: "acme" });
  await stage.life.client.branches.create({ ref, body: { branch_name: "main" } });
  return ref;
}

describe("beside what an object keeps, what has the name that it asked for so is listed as kept, too", () => {
  /** The object `a` has something, and a request without an answer for another one. @returns what is listed once it is gone */
  async function keptBeside(kind: keyof typeof PLURALS, name: string): Promise<readonly string[]> {
    const { kubernetes, clock } = stage.theatre;
    const time = new Date(clock.now() + 86_400_000).toISOString();
    const uid = kubernetes.get(PLURALS[kind], NAMESPACE, "a")?.metadata.uid;
    kubernetes.restate(PLURALS[kind], NAMESPACE, "a", (status) => ({
      ...(status as object),
      intent: { name, uid, time, fingerprint: "f" },
    }));
    kubernetes.delete(PLURALS[kind], NAMESPACE, "a", clock.now());
    await stage.life.settle(kind, "a");
    return leftBehind(stage).listed;
  }

  it.each([{ made: ["x"] }, { made: [] }])("Project: $made", async ({ made }) => {
    const ref = await open("Project", "a", { organization: "acme", name: "elder" });
    for (const name of made) {
      const body = { name, organization_slug: "acme", db_pass: "a-password-of-somebody" };
      await stage.life.client.projects.create({ body });
    }
    const all = [`project ${ref}: Retained`, ...made.map((name) => `project acme/${name}: Retained`)];
    expect(await keptBeside("Project", "acme/x")).toEqual(all.toSorted());
  });

  it.each([{ made: ["x"] }, { made: [] }])("Branch: $made", async ({ made }) => {
    const parent = await openShop();
    const spec = { projectRef: { name: "shop" }, name: "elder", deletionPolicy: "Retain" };
    const ref = await open("Branch", "a", spec);
    for (const name of made) await stage.life.client.branches.create({ ref: parent, body: { branch_name: name } });
    const all = [`branch ${ref}: Retained`, ...made.map((name) => `branch ${name}: Retained`)];
    expect(await keptBeside("Branch", "x")).toEqual(all.toSorted());
  });

  it("what it is recorded to have is not that, whatever its name is", async () => {
    const ref = await open("Project", "a", { organization: "acme", name: "x" });
    expect(await keptBeside("Project", "acme/x")).toEqual([`project ${ref}: Retained`]);
  });
});

describe("a Branch under deletion", () => {
  it.each([
    { made: ["x"], listed: ["branch x: Unconfirmed"], events: ["branch x"] },
    { made: [], listed: [], events: [] },
  ])("leaves $made of the name, and tells of $events", async ({ made, ...left }) => {
    const ref = await openShop();
    await askAheadAndGo("Branch", { projectRef: { name: "shop" }, deletionPolicy: "Delete" });
    for (const name of made) await stage.life.client.branches.create({ ref, body: { branch_name: name } });
    await end("Branch");
    const names = (await stage.life.client.branches.list({ ref })).map(({ name }) => name);
    expect(names).toEqual(["main", ...made]);
    expect(leftBehind(stage)).toEqual(left);
  });
});
