import { describe, expect, it } from "vitest";
import { NAMESPACE } from "../../test/support/controllers/life.ts";
import { lifeInEach } from "../../test/support/controllers/life-in-each.ts";
import { annotations, formatOwnership } from "../resources/annotations.ts";
import { commonStatusOf } from "./shared/common-status.ts";
import { findCondition } from "./shared/conditions.ts";

/**
 * A create whose answer was lost, and another object that means the same name (engine.md §4): what came of the request is told from what the
 * other one has, whatever becomes of the object that sent it.
 */

const stage = lifeInEach();

/** Longer than a request may still arrive, milliseconds. */
const BEYOND_DOUBT_MS = 130_000;

const kinds = [
  {
    kind: "Project",
    plural: "projects",
    operation: "projects.create",
    spec: (name: string) => ({ organization: "acme", name, deletionPolicy: "Delete" }),
    remote: async () => {
      const { projects } = await stage.theatre.emulator.control.state.read({});
      return projects.filter(({ branchOf }) => branchOf === undefined).map(({ name, ref }) => ({ name, ref }));
    },
    arrive: async (name: string): Promise<unknown> => {
      const body = { name, organization_slug: "acme", db_pass: "a-password-of-somebody" };
      return stage.life.client.projects.create({ body });
    },
  },
  {
    kind: "Branch",
    plural: "branches",
    operation: "branches.create",
    spec: (name: string) => ({ projectRef: { name: "shop" }, name, deletionPolicy: "Delete" }),
    remote: async () => {
      const { branches } = await stage.theatre.emulator.control.state.read({});
      return branches.filter(({ isDefault }) => !isDefault).map(({ name, projectRef: ref }) => ({ name, ref }));
    },
    arrive: async (name: string): Promise<unknown> => {
      const ref = refOf("projects", "shop");
      return stage.life.client.branches.create({ ref, body: { branch_name: name } });
    },
  },
] as const;
type Row = (typeof kinds)[number];

function put({ kind, plural, spec }: Row, object: "a" | "b", name: string, more: object = {}): void {
  // The one whose answer was lost is the younger one: that it came first gives it nothing.
  const creationTimestamp = object === "a" ? "2026-01-02T00:00:00Z" : "2026-01-01T00:00:00Z";
  const metadata = { name: object, namespace: NAMESPACE, creationTimestamp };
  stage.theatre.kubernetes.put(plural, {
    apiVersion: "baas.dev/v1alpha1",
    kind,
    metadata,
    spec: { ...spec(name), ...more },
  });
}

function refOf(plural: string, object: string): string {
  const status: unknown = stage.theatre.kubernetes.get(plural, NAMESPACE, object)?.["status"];
  const ref: unknown = typeof status === "object" && status !== null ? Reflect.get(status, "ref") : undefined;
  return typeof ref === "string" ? ref : "";
}

function readyOf({ plural }: Row, object: "a" | "b"): { readonly reason?: string; readonly message?: string } {
  const stored = stage.theatre.kubernetes.get(plural, NAMESPACE, object);
  return (stored && findCondition(commonStatusOf(stored).conditions, "Ready")) ?? {};
}

function remove({ plural }: Row, object: "a" | "b"): void {
  stage.theatre.kubernetes.delete(plural, NAMESPACE, object, stage.theatre.clock.now());
}

const isThere = ({ plural }: Row, object: "a" | "b"): boolean =>
  stage.theatre.kubernetes.get(plural, NAMESPACE, object) !== undefined;

/** A Project that has its default branch. */
async function putShop(): Promise<void> {
  const metadata = { name: "shop", namespace: NAMESPACE };
  const project = { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata, spec: { organization: "acme" } };
  stage.theatre.kubernetes.put("projects", project);
  await stage.life.settle("Project", "shop");
  await stage.life.client.branches.create({ ref: refOf("projects", "shop"), body: { branch_name: "main" } });
}

/** The object `a` asked for `x`, and its request came to nothing, which nobody knows. */
async function askInVain(row: Row, more: object = {}): Promise<void> {
  if (row.kind === "Branch") await putShop();
  await stage.theatre.emulator.control.faults.add({
    operation: row.operation,
    count: 1,
    fault: { kind: "reset", phase: "before" },
  });
  put(row, "a", "x", more);
  expect(await stage.life.run(row.kind, "a")).toMatchObject({ kind: expect.stringMatching(/transient|waiting/) });
}

const named = (things: readonly { readonly name: string }[]): readonly string[] =>
  things.map(({ name }) => name).filter((name) => ["x", "y", "z"].includes(name));

describe.each(kinds)("a $kind that was renamed while the answer to its create is lost", (row) => {
  it("keeps the name from another object until it is known what came of it, and that one is told so", async () => {
    await askInVain(row);
    put(row, "a", "y");
    await stage.life.run(row.kind, "a");
    put(row, "b", "x");
    expect(await stage.life.run(row.kind, "b")).toMatchObject({ kind: "waiting", reason: "ConfirmingAbsence" });
    expect(readyOf(row, "b").message).toContain(`${row.kind} a in namespace ${NAMESPACE} asked for it`);
    expect(named(await row.remote())).toEqual([]);
    await stage.life.settle(row.kind, "a");
    await stage.life.settle(row.kind, "b");
    expect([readyOf(row, "a").reason, readyOf(row, "b").reason]).toEqual(["Available", "Available"]);
    const remote = await row.remote();
    const refs = Object.fromEntries(remote.map(({ name, ref }) => [name, ref]));
    expect([refOf(row.plural, "a"), refOf(row.plural, "b")]).toEqual([refs["y"], refs["x"]]);
    expect(named(remote).toSorted()).toEqual(["x", "y"]);
  });

  it("has what arrives late, under its new name, and then the other one has a thing of its own", async () => {
    await askInVain(row);
    put(row, "a", "y");
    await stage.life.run(row.kind, "a");
    put(row, "b", "x");
    await stage.life.run(row.kind, "b");
    await row.arrive("x");
    expect(await stage.life.run(row.kind, "b")).toMatchObject({ kind: "waiting", reason: "ConfirmingAbsence" });
    await stage.theatre.pass(20_000);
    await stage.life.settle(row.kind, "a");
    expect(named(await row.remote())).toEqual(["y"]);
    await stage.life.settle(row.kind, "b");
    expect([readyOf(row, "a").reason, readyOf(row, "b").reason]).toEqual(["Available", "Available"]);
    expect(named(await row.remote()).toSorted()).toEqual(["x", "y"]);
    expect(refOf(row.plural, "a")).not.toBe(refOf(row.plural, "b"));
  });

  it("does not take what another object has and gave that name", async () => {
    await askInVain(row);
    put(row, "a", "y");
    put(row, "b", "z");
    await stage.life.settle(row.kind, "b");
    put(row, "b", "x");
    await stage.life.settle(row.kind, "b");
    const ref = refOf(row.plural, "b");
    await stage.theatre.pass(20_000);
    await stage.life.settle(row.kind, "a");
    expect(refOf(row.plural, "a")).not.toBe(ref);
    await stage.life.run(row.kind, "b", "drift");
    expect([readyOf(row, "a").reason, readyOf(row, "b").reason]).toEqual(["Available", "Available"]);
    expect(named(await row.remote()).toSorted()).toEqual(["x", "y"]);
  });

  it("does not resolve its doubt any later where its new name is another object's", async () => {
    await askInVain(row);
    put(row, "b", "y");
    await stage.life.settle(row.kind, "b");
    put(row, "a", "y");
    await stage.theatre.pass(BEYOND_DOUBT_MS);
    expect(await stage.life.settle(row.kind, "a")).toMatchObject({ kind: "terminal", reason: "Conflict" });
    put(row, "b", "x");
    expect(await stage.life.settle(row.kind, "b")).toMatchObject({ kind: "done" });
    expect(named(await row.remote())).toEqual(["x"]);
  });
});

describe.each(kinds)("a $kind that is deleted while the answer to its create is lost", (row) => {
  it.each([{ name: "x" }, { name: "y" }])("leaves what another object has (declared last: $name)", async ({ name }) => {
    await askInVain(row);
    put(row, "a", name);
    put(row, "b", "z");
    await stage.life.settle(row.kind, "b");
    put(row, "b", "x");
    await stage.life.settle(row.kind, "b");
    const before = await row.remote();
    remove(row, "a");
    await stage.life.settle(row.kind, "a");
    expect(isThere(row, "a")).toBe(false);
    expect(await row.remote()).toEqual(before);
    await stage.life.run(row.kind, "b", "drift");
    expect(readyOf(row, "b").reason).toBe("Available");
  });

  it("keeps the name from another object until it is gone, whichever is the older one", async () => {
    await askInVain(row);
    remove(row, "a");
    await stage.life.run(row.kind, "a");
    put(row, "b", "x");
    expect(await stage.life.run(row.kind, "b")).toMatchObject({ kind: "waiting", reason: "ConfirmingAbsence" });
    await row.arrive("x");
    await stage.life.settle(row.kind, "a");
    expect([isThere(row, "a"), named(await row.remote())]).toEqual([false, []]);
    await stage.life.settle(row.kind, "b");
    expect(readyOf(row, "b").reason).toBe("Available");
    expect(named(await row.remote())).toEqual(["x"]);
  });
});

describe.each(kinds)("a $kind that is kept, deleted while the answer to its create is lost", (row) => {
  it.each([{ deletionPolicy: "Retain" }, { managementPolicy: "Observe" }])(
    "keeps the name from another object until nothing can arrive any more (%o)",
    async (policy) => {
      await askInVain(row, policy.deletionPolicy === undefined ? {} : policy);
      if (policy.managementPolicy !== undefined) put(row, "a", "x", policy);
      remove(row, "a");
      expect(await stage.life.run(row.kind, "a")).toMatchObject({ kind: "waiting", reason: "ConfirmingAbsence" });
      put(row, "b", "x");
      expect(await stage.life.run(row.kind, "b")).toMatchObject({ kind: "waiting", reason: "ConfirmingAbsence" });
      await stage.life.settle(row.kind, "a");
      expect(isThere(row, "a")).toBe(false);
      await stage.life.settle(row.kind, "b");
      expect(named(await row.remote())).toEqual(["x"]);
    },
  );
});

describe.each(kinds)("a $kind of another namespace whose create got no answer", (row) => {
  const server = "http://127.0.0.1";

  /** It declares another name by now, and goes through another connection. */
  function putElsewhere(status: object, noted: Readonly<Record<string, string>> = {}): void {
    const place = row.kind === "Branch" ? { projectRef: { ref: refOf("projects", "shop") } } : {};
    const metadata = { name: "a", namespace: "elsewhere", uid: "of-a", annotations: noted };
    stage.theatre.kubernetes.put(row.plural, {
      apiVersion: "baas.dev/v1alpha1",
      kind: row.kind,
      metadata,
      spec: { ...row.spec("y"), ...place, connectionRef: { kind: "Connection", name: "another" } },
      status: { observedGeneration: 1, conditions: [], ...status },
    });
  }

  const connection = (of: string) => ({ kind: "Connection", name: "another", identity: "another-account", server: of });
  const intentOf = (uid: string, aheadMs = 0) => ({
    name: row.kind === "Project" ? "acme/x" : "x",
    fingerprint: "f",
    time: new Date(stage.theatre.clock.now() + aheadMs).toISOString(),
    uid,
  });
  const parentRef = (): object => (row.kind === "Branch" ? { parentRef: refOf("projects", "shop") } : {});

  it("keeps the name of its intent, by whatever connection and account it asked", async () => {
    if (row.kind === "Branch") await putShop();
    putElsewhere({ ...parentRef(), intent: intentOf("of-a"), connection: connection(server) });
    put(row, "b", "x");
    expect(await stage.life.run(row.kind, "b")).toMatchObject({ kind: "waiting", reason: "ConfirmingAbsence" });
    expect(readyOf(row, "b").message).toContain(`${row.kind} a in namespace elsewhere asked for it`);
    await stage.theatre.pass(BEYOND_DOUBT_MS);
    expect(await stage.life.settle(row.kind, "b")).toMatchObject({ kind: "done" });
  });

  it("keeps nothing by an intent of a time that is hours ahead: a clock was wrong", async () => {
    if (row.kind === "Branch") await putShop();
    putElsewhere({ ...parentRef(), intent: intentOf("of-a", 3_600_000), connection: connection(server) });
    put(row, "b", "x");
    expect(await stage.life.settle(row.kind, "b")).toMatchObject({ kind: "done" });
  });

  it("keeps nothing by an intent of another object, or one for another place", async () => {
    if (row.kind === "Branch") await putShop();
    putElsewhere({ ...parentRef(), intent: intentOf("of-another"), connection: connection(server) });
    put(row, "b", "x");
    expect(await stage.life.settle(row.kind, "b")).toMatchObject({ kind: "done" });
    const elsewhere = row.kind === "Branch" ? { parentRef: "another" } : {};
    putElsewhere({ ...elsewhere, intent: intentOf("of-a"), connection: connection("http://another.test") });
    remove(row, "b");
    await stage.life.settle(row.kind, "b");
    // as the garbage collector does
    stage.theatre.kubernetes.delete("secrets", NAMESPACE, "b-database-password");
    put(row, "b", "x");
    expect(await stage.life.settle(row.kind, "b")).toMatchObject({ kind: "done" });
  });

  /** @returns ref of what came of the request after all */
  async function askAndArrive(): Promise<string> {
    await askInVain(row);
    await row.arrive("x");
    return (await row.remote()).find(({ name }) => name === "x")?.ref ?? "";
  }

  it("has what its status says it has", async () => {
    const ref = await askAndArrive();
    putElsewhere({ ref, recordedFor: "of-a", connection: connection(server) });
    remove(row, "a");
    await stage.life.settle(row.kind, "a");
    expect(isThere(row, "a")).toBe(false);
    expect(named(await row.remote())).toEqual(["x"]);
  });

  describe("by an annotation that it was made with", () => {
    const noteElsewhere = (ref: string, cluster: string): void => {
      const ownership = { ref, identity: "another-account", object: "elsewhere/a", cluster };
      putElsewhere({}, { [annotations.ref]: formatOwnership(ownership) });
    };

    it.each(["another-cluster", "this one"])("of %s keeps nothing from who is found to have made it", async (of) => {
      const ref = await askAndArrive();
      noteElsewhere(ref, of === "this one" ? stage.life.environment.cluster : of);
      await stage.theatre.pass(16_000);
      // its edit to another name was in vain meanwhile, too
      put(row, "a", "x");
      expect(await stage.life.settle(row.kind, "a")).toMatchObject({ kind: "done" });
      remove(row, "a");
      await stage.life.settle(row.kind, "a");
      expect(named(await row.remote())).toEqual([]);
    });

    it("keeps nothing from who deletes what it asked for", async () => {
      noteElsewhere(await askAndArrive(), stage.life.environment.cluster);
      remove(row, "a");
      await stage.life.settle(row.kind, "a");
      expect(named(await row.remote())).toEqual([]);
    });
  });
});
