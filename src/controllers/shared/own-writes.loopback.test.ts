import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import type { ApiClient } from "../../api/client.ts";
import { projectKind } from "../../resources/project/kind.ts";
import type { ProjectSnapshot } from "./snapshot.ts";

/**
 * engine.md §3: our writes update the shared list from their response, and drop it where the response does not tell. Whoever looks within the drift
 * interval decides on that list, so it must be as the platform's own after each of them, whatever became of the look that follows the write.
 */

const INTERVAL_MS = 600_000;
const projectRef = { name: "shop" };

let theatre: Theatre;
let life: Life;

/** A Ready project with a function, a secret and a branch, all of them in lists that were just read. */
beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  life = await theatre.life();
  put("Project", "projects", "shop", { organization: "acme", deletionPolicy: "Delete" });
  putValues({ A: "1", B: "1" });
  await life.settle("Project", "shop");
  for (const { kind, plural, name, spec } of Object.values(objects)) {
    put(kind, plural, name, spec);
    await life.settle(kind, name);
  }
  for (const list of ["functions", "secrets", "branches"] as const) await shown(list);
  await theatre.emulator.control.log.clear();
});

afterEach(() => theatre[Symbol.asyncDispose]());

const source = (text: string): object => ({ inline: { files: { "index.ts": text } } });
const from = (...keys: readonly string[]): object => ({
  from: [{ secretRef: { name: "values" }, keys: keys.map((key) => ({ key })) }],
});

const objects = {
  function: {
    kind: "EdgeFunction",
    plural: "edgefunctions",
    name: "hello",
    spec: { projectRef, source: source("// 1") },
  },
  secret: { kind: "Secret", plural: "secrets", name: "env", spec: { projectRef, ...from("A", "B") } },
  branch: { kind: "Branch", plural: "branches", name: "preview", spec: { projectRef, gitBranch: "one" } },
} as const;

function put(kind: string, plural: string, name: string, spec: object): void {
  const metadata = { name, namespace: NAMESPACE };
  theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
}

function edit(of: keyof typeof objects, spec: object, name: string = objects[of].name): void {
  const { kind, plural } = objects[of];
  put(kind, plural, name, { projectRef, ...spec });
}

function putValues(values: Readonly<Record<string, string>>): void {
  const metadata = { name: "values", namespace: NAMESPACE };
  const data = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  );
  theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data });
}

function remove(of: keyof typeof objects): void {
  const { plural, name } = objects[of];
  theatre.kubernetes.delete(plural, NAMESPACE, name, theatre.clock.now());
}

/** The lists that objects write to; the others are only read. */
type ListName = Exclude<keyof ProjectSnapshot, "revealedKeys" | "poolers" | "branchConfig">;

function place(): { readonly client: ApiClient; readonly ref: string } {
  const { ref } = projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, "shop"));
  if (ref === undefined) throw new Error("the project is not there");
  return { client: life.client, ref };
}

type Named = readonly { readonly name: string }[];

/** What an object would decide on that looks within its drift interval. */
async function shown(list: ListName): Promise<Named> {
  const { client, ref } = place();
  const { signal } = new AbortController();
  return byName(await life.environment.snapshots.of(client, ref)[list].get(INTERVAL_MS, { lane: "drift", signal }));
}

/** What the platform has. */
async function there(list: ListName): Promise<Named> {
  const { client, ref } = place();
  return byName(await client[list].list({ ref }));
}

function byName(items: Named): Named {
  return items.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function timesRead(list: ListName): Promise<number> {
  return (await theatre.emulator.control.log.read({ operation: `${list}.list` })).entries.length;
}

interface Write {
  readonly what: string;
  readonly list: ListName;
  readonly object: { readonly kind: string; readonly name: string };
  readonly act: () => void;
}

const writes: readonly Write[] = [
  {
    what: "a function that is deployed for the first time",
    list: "functions",
    object: { kind: "EdgeFunction", name: "other" },
    act: () => edit("function", { source: source("// other") }, "other"),
  },
  {
    what: "a function that is deployed again",
    list: "functions",
    object: objects.function,
    act: () => edit("function", { source: source("// 2") }),
  },
  {
    what: "a function whose setting is changed",
    list: "functions",
    object: objects.function,
    act: () => edit("function", { source: source("// 1"), verifyJwt: false }),
  },
  { what: "a function that is deleted", list: "functions", object: objects.function, act: () => remove("function") },
  {
    what: "a secret that is set to another value",
    list: "secrets",
    object: objects.secret,
    act: () => putValues({ A: "2", B: "1" }),
  },
  {
    what: "a secret that is declared no more",
    list: "secrets",
    object: objects.secret,
    act: () => edit("secret", from("A")),
  },
  { what: "secrets that are deleted", list: "secrets", object: objects.secret, act: () => remove("secret") },
  {
    what: "a branch that is created",
    list: "branches",
    object: { kind: "Branch", name: "other" },
    act: () => edit("branch", { gitBranch: "other" }, "other"),
  },
  {
    what: "a branch that is changed",
    list: "branches",
    object: objects.branch,
    act: () => edit("branch", { gitBranch: "two" }),
  },
  { what: "a branch that is deleted", list: "branches", object: objects.branch, act: () => remove("branch") },
];

describe("the shared list, after our own write", () => {
  it.each(writes)("is as the platform's, without another read: $what", async ({ list, object, act }) => {
    const before = await there(list);
    act();
    await life.settle(object.kind, object.name);
    const reads = await timesRead(list);
    const after = await shown(list);
    expect(await timesRead(list)).toBe(reads);
    expect(after).not.toEqual(before);
    expect(after).toEqual(await there(list));
  });

  // The answers of these writes tell nothing, and the list is read after them. A run that ends in between must leave no list from before.
  it.each([
    { what: "a secret that is set to another value", skip: 0 },
    { what: "a secret that is declared no more", skip: 0 },
    { what: "secrets that are deleted", skip: 1 },
    { what: "a branch that is deleted", skip: 1 },
  ])("is as the platform's also where the look that follows fails: $what", async ({ what, skip }) => {
    const write = writes.find((one) => one.what === what);
    if (write === undefined) throw new RangeError(`no write ${what}`);
    const { list, object, act } = write;
    const { control } = theatre.emulator;
    const before = await there(list);
    await control.faults.add({ operation: `${list}.list`, skip, fault: { kind: "status", status: 500 } });
    act();
    expect(await life.run(object.kind, object.name)).toMatchObject({ kind: "transient", reason: "ServerUnavailable" });
    expect(await shown(list)).toEqual(await there(list));
    expect(await there(list)).not.toEqual(before);
  });
});

describe("what must not be decided on an old list", () => {
  it("is read live: a branch that somebody made since the last look is not made a second time", async () => {
    const { client, ref } = place();
    await client.branches.create({ ref, body: { branch_name: "other" } });
    edit("branch", { gitBranch: "other" }, "other");
    await theatre.emulator.control.log.clear();
    expect(await life.settle("Branch", "other")).toMatchObject({ kind: "terminal", reason: "Conflict" });
    // That the platform would have refused it is no look.
    expect((await theatre.emulator.control.log.read({ operation: "branches.create" })).entries).toEqual([]);
    expect(await there("branches")).toMatchObject([{ name: "main" }, { name: "other" }, { name: "preview" }]);
  });

  it("is read live: a function that somebody deployed since the last look is not deployed over", async () => {
    const { client, ref } = place();
    const files = [{ path: "index.ts", content: "// theirs" }];
    await client.functions.deploy({ ref, slug: "other", body: { metadata: { entrypoint_path: "index.ts" }, files } });
    const before = await there("functions");
    edit("function", { source: source("// ours") }, "other");
    expect(await life.settle("EdgeFunction", "other")).toMatchObject({ kind: "terminal", reason: "Conflict" });
    expect(await there("functions")).toEqual(before);
  });

  it("is read live: a branch that somebody made last since the last look is kept", async () => {
    const { client, ref: parentRef } = place();
    const branch = (await client.branches.list({ ref: parentRef })).find(({ name }) => name === "preview");
    if (branch === undefined) throw new Error("there is no branch");
    await client.branches.update({ branch_id_or_ref: branch.project_ref, body: { persistent: true } }, { parentRef });
    remove("branch");
    await life.settle("Branch", "preview");
    expect(theatre.kubernetes.get("branches", NAMESPACE, "preview")).toBeUndefined();
    expect(await there("branches")).toMatchObject([{ name: "main" }, { name: "preview", persistent: true }]);
  });
});
