import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import { projectKind } from "../../resources/project/kind.ts";
import { RELEASES_NAME } from "./releases.ts";

/** An object under deletion whose spec cannot be read whole: what says how that is to be is enough, and nothing is deleted for a guess (engine.md §5). */

let theatre: Theatre;
let life: Life;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  life = await theatre.life();
  put("Project", SHOP);
  await life.settle("Project", "shop");
});

afterEach(() => theatre[Symbol.asyncDispose]());

const SHOP = { organization: "acme" };
const PREVIEW = { projectRef: { name: "shop" } };
const KINDS = {
  Project: { plural: "projects", name: "shop", deletion: "projects.delete" },
  Branch: { plural: "branches", name: "preview", deletion: "branches.delete" },
  EdgeFunction: { plural: "edgefunctions", name: "hello", deletion: "functions.delete" },
  Secret: { plural: "secrets", name: "env", deletion: "secrets.delete" },
} as const;
type Kind = keyof typeof KINDS;

function put(kind: Kind, spec: object): void {
  const { plural, name } = KINDS[kind];
  const metadata = { name, namespace: NAMESPACE };
  theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
}

function listed(): readonly unknown[] {
  const data = theatre.kubernetes.get("configmaps", "baas-system", RELEASES_NAME)?.["data"] ?? {};
  return Object.values(data).map((line) => JSON.parse(String(line)) as unknown);
}

/** Stores another spec and deletes the object. @returns whether what it has remotely was deleted with it */
async function removeAs(kind: Kind, spec: object): Promise<boolean> {
  const { plural, name, deletion } = KINDS[kind];
  put(kind, spec);
  theatre.kubernetes.delete(plural, NAMESPACE, name, theatre.clock.now());
  await life.settle(kind, name);
  expect(theatre.kubernetes.get(plural, NAMESPACE, name)).toBeUndefined();
  const { entries } = await theatre.emulator.control.log.read();
  return entries.some(({ operation, status }) => operation === deletion && (status ?? 500) < 300);
}

const notes = (): readonly string[] =>
  life.events.filter(({ reason }) => reason === "Retained").map(({ note }) => note);

describe("a Project", () => {
  it.each([
    { what: "a section", wrong: { storage: { fileSizeLimit: "1Ti" } } },
    { what: "another member", wrong: { templateUrl: "none" } },
    { what: "several", wrong: { auth: 7, region: {}, driftInterval: "1 s" } },
  ])("is deleted as its policy says, whatever is wrong of $what", async ({ wrong }) => {
    expect(await removeAs("Project", { ...SHOP, ...wrong, deletionPolicy: "Delete" })).toBe(true);
    expect(listed()).toEqual([]);
  });

  it("is kept as its policy says", async () => {
    expect(await removeAs("Project", { ...SHOP, templateUrl: "none", deletionPolicy: "Retain" })).toBe(false);
    expect(listed()).toMatchObject([{ kind: "Project", cause: "Retained" }]);
  });

  it.each([
    { why: "it names no policy", wrong: { templateUrl: "none" }, says: "is kept" },
    { why: "nobody knows its policy", wrong: { deletionPolicy: "Remove" }, says: "spec.deletionPolicy" },
    {
      why: "nobody knows what it observes",
      wrong: { managementPolicy: "Look", deletionPolicy: "Delete" },
      says: "spec.managementPolicy",
    },
    {
      why: "nobody knows whose it is",
      wrong: { organization: "", deletionPolicy: "Delete" },
      says: "spec.organization",
    },
  ])("is kept and listed where $why", async ({ wrong, says }) => {
    expect(await removeAs("Project", { ...SHOP, ...wrong })).toBe(false);
    expect(listed()).toMatchObject([{ kind: "Project", cause: "Retained" }]);
    expect(notes()).toEqual([expect.stringContaining(says)]);
  });
});

describe("a Branch", () => {
  beforeEach(async () => {
    put("Branch", PREVIEW);
    await life.settle("Branch", "preview");
  });

  it.each([
    { what: "a section, and is a preview", wrong: { realtime: { maxPayloadSize: "50Ki" } } },
    { what: "another member, and says Delete", wrong: { gitBranch: "~", deletionPolicy: "Delete" } },
  ])("is deleted where something is wrong of $what", async ({ wrong }) => {
    expect(await removeAs("Branch", { ...PREVIEW, ...wrong })).toBe(true);
    expect(notes()).toEqual([]);
  });

  it.each([
    { why: "something is wrong and it says no policy", wrong: { gitBranch: "~" }, says: "spec.gitBranch" },
    {
      why: "nobody knows whether it lasts",
      wrong: { persistent: "perhaps", deletionPolicy: "Delete" },
      says: "spec.persistent",
    },
  ])("is kept and listed where $why", async ({ wrong, says }) => {
    expect(await removeAs("Branch", { ...PREVIEW, ...wrong })).toBe(false);
    expect(listed()).toMatchObject([{ kind: "Branch", cause: "Retained" }]);
    expect(notes()).toEqual([expect.stringContaining(says)]);
    expect(notes()[0]).not.toContain("does not manage");
  });
});

/** Names of what is in the project. */
async function inProject(kind: "functions" | "secrets"): Promise<readonly string[]> {
  const [project] = (await theatre.emulator.control.state.read({})).projects;
  const ref = project?.ref ?? "";
  if (kind === "secrets") return (await life.client.secrets.list({ ref })).map(({ name }) => name);
  return (await life.client.functions.list({ ref })).map(({ slug }) => slug);
}

describe("an EdgeFunction", () => {
  const SOURCE = { inline: { files: { "index.ts": "// ours" } } };
  const HELLO = { ...PREVIEW, source: SOURCE, slug: "old" };

  beforeEach(async () => {
    put("EdgeFunction", HELLO);
    await life.settle("EdgeFunction", "hello");
    const [project] = (await theatre.emulator.control.state.read({})).projects;
    const files = [{ path: "index.ts", content: "// theirs" }];
    const body = { metadata: { entrypoint_path: "index.ts" }, files };
    await life.client.functions.deploy({ ref: project?.ref ?? "", slug: "hello", body });
  });

  it.each([
    { what: "its slug", wrong: { slug: "-" } },
    { what: "its source", wrong: { source: {} } },
    { what: "a member of its source", wrong: { source: { inline: { files: { "../up.ts": "" } } } } },
    { what: "its entrypoint", wrong: { entrypoint: "main.ts" } },
    { what: "its import map", wrong: { importMap: "none.json" } },
  ])("is deleted by the slug that is recorded where $what is wrong, and no other is", async ({ wrong }) => {
    expect(await removeAs("EdgeFunction", { ...HELLO, ...wrong, deletionPolicy: "Delete" })).toBe(true);
    expect(await inProject("functions")).toEqual(["hello"]);
    expect(notes()).toEqual([]);
  });

  it("is deleted though another object asks for it, whose it is not", async () => {
    const metadata = { name: "other", namespace: NAMESPACE };
    const other = { apiVersion: "baas.dev/v1alpha1", kind: "EdgeFunction", metadata, spec: HELLO };
    theatre.kubernetes.put("edgefunctions", other);
    await life.settle("EdgeFunction", "other");
    expect(await removeAs("EdgeFunction", { ...HELLO, source: {}, deletionPolicy: "Delete" })).toBe(true);
    expect(await inProject("functions")).toEqual(["hello"]);
  });

  it("is kept where none is recorded", async () => {
    theatre.kubernetes.restate("edgefunctions", NAMESPACE, "hello", () => ({}));
    expect(await removeAs("EdgeFunction", { ...HELLO, slug: "-", deletionPolicy: "Delete" })).toBe(false);
    expect(notes()).toEqual([expect.stringContaining("spec.slug")]);
  });
});

describe("a Secret object", () => {
  const ENV = { ...PREVIEW, from: [{ secretRef: { name: "values" } }] };

  beforeEach(async () => {
    const metadata = { name: "values", namespace: NAMESPACE };
    theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data: { OURS: btoa("1") } });
    put("Secret", ENV);
    await life.settle("Secret", "env");
  });

  it.each([
    { what: "all of from", wrong: { from: [] } },
    { what: "an entry of it", wrong: { from: [...ENV.from, { secretRef: { name: "values" }, prefix: "1-" }] } },
  ])("has what it set deleted where $what is wrong", async ({ wrong }) => {
    expect(await removeAs("Secret", { ...ENV, ...wrong, deletionPolicy: "Delete" })).toBe(true);
    expect(await inProject("secrets")).not.toContain("OURS");
    expect(notes()).toEqual([]);
  });
});

describe("what an object has that cannot be read any more", () => {
  const files = { "index.ts": "// ours" };
  const FUNCTION = { ...PREVIEW, slug: "old", source: { inline: { files } } };
  const ENV = { ...PREVIEW, from: [{ secretRef: { name: "values" } }] };
  const rows = [
    { kind: "Project", spec: SHOP, wrong: { templateUrl: "none" } },
    { kind: "Branch", spec: { ...PREVIEW, name: "preview" }, wrong: { gitBranch: "~" } },
    { kind: "EdgeFunction", spec: FUNCTION, wrong: { source: {} } },
    { kind: "Secret", spec: ENV, wrong: { from: [] } },
  ] as const;
  type Row = (typeof rows)[number];

  beforeEach(() => {
    const metadata = { name: "values", namespace: NAMESPACE };
    theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data: { OURS: btoa("1") } });
  });

  /** An object that would take over what the first one has; younger, so that of two on record the first one goes before it. */
  function putOther(kind: Kind, spec: object): void {
    const { ref } = projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, "shop"));
    const metadata = { name: "other", namespace: NAMESPACE, creationTimestamp: "2026-01-02T00:00:00Z" };
    const takes = kind === "Project" ? { ref } : { adoptionPolicy: "IfNameMatches" };
    const object = { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec: { ...spec, ...takes } };
    theatre.kubernetes.put(KINDS[kind].plural, object);
  }

  async function made({ kind, spec, wrong }: Row): Promise<void> {
    put(kind, spec);
    await life.settle(kind, KINDS[kind].name);
    put(kind, { ...spec, ...wrong });
    expect(await life.settle(kind, KINDS[kind].name)).toMatchObject({ kind: "terminal", reason: "InvalidSpec" });
  }

  it.each(rows)("$kind: is not another one's, and goes with it", async (row) => {
    const { kind, spec, wrong } = row;
    await made(row);
    putOther(kind, spec);
    await theatre.pass(5000);
    const outcome = await life.settle(kind, "other");
    expect(outcome).toMatchObject({ kind: "terminal", reason: "Conflict" });
    expect(outcome).toMatchObject({ message: expect.stringContaining(` ${KINDS[kind].name} in namespace `) });
    expect(await removeAs(kind, { ...spec, ...wrong, deletionPolicy: "Delete" })).toBe(true);
  });

  it("is not made a second time by the name that it declared no more: a Project that is called otherwise there", async () => {
    await made(rows[0]);
    const { ref = "" } = projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, "shop"));
    await life.client.projects.update({ ref, body: { name: "otherwise" } });
    const metadata = { name: "other", namespace: NAMESPACE, creationTimestamp: "2026-01-02T00:00:00Z" };
    const spec = { ...SHOP, name: "shop" };
    theatre.kubernetes.put("projects", { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata, spec });
    expect(await life.settle("Project", "other")).toMatchObject({ kind: "terminal", reason: "Conflict" });
    expect((await theatre.emulator.control.state.read({})).projects).toHaveLength(1);
  });

  // An operator that did not see what such an object has let another one take it over.
  it.each(rows)("$kind: stays with who has it on record as well", async (row) => {
    const { kind, spec, wrong } = row;
    const { plural, name } = KINDS[kind];
    await made(row);
    putOther(kind, spec);
    const { uid } = theatre.kubernetes.get(plural, NAMESPACE, "other")?.metadata ?? {};
    const status = theatre.kubernetes.get(plural, NAMESPACE, name)?.["status"];
    theatre.kubernetes.restate(plural, NAMESPACE, "other", () => ({ ...(status as object), recordedFor: uid }));
    await theatre.pass(5000);
    expect(await life.settle(kind, "other")).toMatchObject({ kind: "done" });
    expect(await removeAs(kind, { ...spec, ...wrong, deletionPolicy: "Delete" })).toBe(false);
  });
});

describe("what an object asked for that cannot be read any more", () => {
  it.each([
    { kind: "Project", plural: "projects", create: "projects.create", spec: SHOP, wrong: { templateUrl: "none" } },
    { kind: "Branch", plural: "branches", create: "branches.create", spec: PREVIEW, wrong: { gitBranch: "~" } },
  ] as const)("is nobody else's until it is known what came of it: a $kind", async (row) => {
    const { kind, plural, create: operation, wrong } = row;
    const spec = { ...row.spec, name: "asked" };
    const putAs = (name: string, of: object): void => {
      const metadata = { name, namespace: NAMESPACE };
      theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec: of });
    };
    const { ref = "" } = projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, "shop"));
    await life.client.branches.create({ ref, body: { branch_name: "main" } }); // the first one is the default branch
    await theatre.emulator.control.faults.add({ operation, count: 1, fault: { kind: "reset", phase: "before" } });
    putAs("first", spec);
    await life.run(kind, "first");
    putAs("first", { ...spec, ...wrong });
    expect(await life.settle(kind, "first")).toMatchObject({ kind: "terminal", reason: "InvalidSpec" });
    putAs("other", spec);
    expect(await life.run(kind, "other")).toMatchObject({ kind: "waiting", reason: "ConfirmingAbsence" });
  });
});
