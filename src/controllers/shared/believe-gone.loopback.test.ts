import { beforeEach, expect, it } from "vitest";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import { type Life, NAMESPACE } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import { projectKind } from "../../resources/project/kind.ts";

/** What another account's token does not find is not gone, whether the status says whose it is, or the annotation alone (engine.md §4). */

const asked = askedInEach(AT_ONCE);
let life: Life;

beforeEach(async () => {
  life = await asked.withShop();
});

const projectRef = { name: "shop" };

const KINDS = [
  { kind: "Project", plural: "projects", spec: { organization: "acme", deletionPolicy: "Delete" } },
  { kind: "Branch", plural: "branches", spec: { projectRef, deletionPolicy: "Delete" } },
  {
    kind: "EdgeFunction",
    plural: "edgefunctions",
    spec: { projectRef, source: { inline: { files: { "index.ts": "// nothing" } } } },
  },
] as const;

const rows = KINDS.flatMap((of) => [
  { ...of, status: "is there" as const },
  { ...of, status: "was lost" as const },
]);

/** As where somebody deleted the project by hand, and with it what lived in it. */
async function hide(): Promise<void> {
  const hidden = { kind: "status", status: 404 } as const;
  for (const operation of ["projects.get", "functions.delete", "functions.list", "branches.list"]) {
    await asked.theatre.emulator.control.faults.add({ operation, count: null, fault: hidden });
  }
}

it.each(KINDS)("a $kind that its own account does not find, while it reads the organization, is done", async (of) => {
  const { kind, plural, spec } = of;
  const { kubernetes, clock } = asked.theatre;
  kubernetes.put(plural, {
    apiVersion: "baas.dev/v1alpha1",
    kind,
    metadata: { name: "x", namespace: NAMESPACE },
    spec,
  });
  await life.settle(kind, "x");
  await hide();
  kubernetes.delete(plural, NAMESPACE, "x");
  for (let looks = 0; looks < 5 && kubernetes.get(plural, NAMESPACE, "x") !== undefined; looks += 1) {
    await life.run(kind, "x");
    clock.advance(60_000);
  }
  expect(kubernetes.get(plural, NAMESPACE, "x")).toBeUndefined();
});

it.each([
  { ...KINDS[0], deleting: "projects.delete" },
  { ...KINDS[1], deleting: "branches.delete" },
])("a $kind that somebody deletes after it was looked at fails nothing", async ({ kind, plural, spec, deleting }) => {
  const { kubernetes, emulator } = asked.theatre;
  const metadata = { name: "x", namespace: NAMESPACE };
  kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
  await life.settle(kind, "x");
  const fault = { kind: "status", status: 404, phase: "after" } as const;
  await emulator.control.faults.add({ operation: deleting, fault });
  kubernetes.delete(plural, NAMESPACE, "x");
  expect(await life.run(kind, "x")).toMatchObject({ kind: "waiting", reason: "Deleting" });
});

it.each(rows)(
  "a $kind whose status $status waits for a token of its account",
  async ({ kind, plural, spec, status }) => {
    asked.theatre.kubernetes.put(plural, {
      apiVersion: "baas.dev/v1alpha1",
      kind,
      metadata: { name: "x", namespace: NAMESPACE },
      spec,
    });
    await life.settle(kind, "x");
    const { sessions } = life.environment;
    const session = sessions.get(`Connection/${NAMESPACE}/default`);
    if (session === undefined) throw new Error("the connection is closed");
    sessions.set({ ...session, account: "somebody-else" });
    await hide();
    if (status === "was lost") asked.theatre.kubernetes.restate(plural, NAMESPACE, "x", () => undefined);
    asked.theatre.kubernetes.delete(plural, NAMESPACE, "x");
    expect(JSON.stringify(await life.run(kind, "x"))).toContain("belongs to another account");
    expect(asked.theatre.kubernetes.get(plural, NAMESPACE, "x")).toBeDefined();
  },
);

it.each([
  {
    kind: "Project",
    plural: "projects",
    spec: { organization: "acme", deletionPolicy: "Delete" },
    lost: { operation: "projects.create" },
    // As of one whose role is in other projects of the organization alone.
    unseen: {
      operation: "organizations.listProjects",
      fault: { kind: "status", status: 200, body: { projects: [], pagination: { count: 0, limit: 100, offset: 0 } } },
    },
    left: { projects: ["shop"], branches: [] },
  },
  {
    kind: "Branch",
    plural: "branches",
    spec: { projectRef, deletionPolicy: "Delete" },
    lost: { operation: "branches.create", skip: 1 }, // the default one comes first
    unseen: { operation: "branches.list", fault: { kind: "status", status: 404 } },
    left: { projects: ["shop"], branches: ["main"] },
  },
] as const)(
  "a $kind that may have been made waits for a token of the account that asked for it",
  async ({ kind, plural, spec, lost, unseen, left }) => {
    const { kubernetes, emulator } = asked.theatre;
    const { faults, state } = emulator.control;
    await faults.add({ ...lost, fault: { kind: "reset", phase: "after" } });
    const metadata = { name: "x", namespace: NAMESPACE };
    kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
    const isMade = async (): Promise<boolean> => (await state.read({}))[plural].some(({ name }) => name === "x");
    for (let run = 0; run < 3 && !(await isMade()); run += 1) await life.run(kind, "x");
    expect(projectKind.parseStatus(kubernetes.get(plural, NAMESPACE, "x")).ref).toBeUndefined();
    const { sessions } = life.environment;
    const session = sessions.get(`Connection/${NAMESPACE}/default`);
    if (session === undefined) throw new Error("the connection is closed");
    sessions.set({ ...session, account: "somebody-else" });
    await faults.add({ ...unseen, count: null });
    kubernetes.delete(plural, NAMESPACE, "x");
    for (let minute = 0; minute < 10; minute += 1) {
      await life.run(kind, "x");
      await asked.theatre.pass(60_000);
    }
    expect(JSON.stringify(await life.run(kind, "x"))).toContain("belongs to another account");
    await faults.clear();
    sessions.set(session);
    await life.settle(kind, "x");
    expect(kubernetes.get(plural, NAMESPACE, "x")).toBeUndefined();
    const { projects, branches } = await state.read({});
    const names = { projects: projects.map(({ name }) => name), branches: branches.map(({ name }) => name) };
    expect(names).toEqual(left);
  },
);
