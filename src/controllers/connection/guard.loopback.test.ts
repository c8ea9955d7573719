import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openConnectionBench } from "../../../test/support/controllers/connection-bench.ts";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { annotations, finalizers } from "../../resources/annotations.ts";

/** A connection is marked as in use before anything is recorded that needs it for its deletion, whether it is made or taken over. */

const API = "baas.dev/v1alpha1";
const project = { organization: "acme", deletionPolicy: "Delete" };

let theatre: Theatre;

beforeEach(async () => {
  theatre = await openTheatre();
});

afterEach(() => theatre[Symbol.asyncDispose]());

function put(kind: "Project" | "Branch", name: string, spec: object): void {
  const metadata = { name, namespace: NAMESPACE };
  theatre.kubernetes.put(kind === "Project" ? "projects" : "branches", { apiVersion: API, kind, metadata, spec });
}

function forget(plural: "projects" | "branches", name: string): void {
  const kind = plural === "projects" ? "Project" : "Branch";
  const metadata = { name, namespace: NAMESPACE, finalizers: [] };
  theatre.kubernetes.put(plural, { apiVersion: API, kind, metadata });
  theatre.kubernetes.delete(plural, NAMESPACE, name);
}

function markConnection(marked: boolean): void {
  const metadata = { name: "default", namespace: NAMESPACE, finalizers: marked ? [finalizers.connectionInUse] : [] };
  theatre.kubernetes.put("connections", { apiVersion: API, kind: "Connection", metadata });
}

/** A life with a project `shop` and a branch `preview` on the platform, and the ref of the project. */
async function withRemote(): Promise<{ readonly life: Life; readonly ref: string }> {
  put("Project", "shop", project);
  put("Branch", "preview", { projectRef: { name: "shop" } });
  const life = await theatre.life();
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  expect(await life.settle("Branch", "preview")).toMatchObject({ kind: "done" });
  const { projects } = await theatre.emulator.control.state.read({});
  return { life, ref: projects.find(({ branchOf }) => branchOf === undefined)?.ref ?? "" };
}

interface Row {
  readonly why: string;
  readonly kind: "Project" | "Branch";
  readonly plural: "projects" | "branches";
  readonly spec: (ref: string) => object;
}

const rows: readonly Row[] = [
  { why: "a project is made", kind: "Project", plural: "projects", spec: () => ({ ...project, name: "new" }) },
  {
    why: "a project is taken over by its ref",
    kind: "Project",
    plural: "projects",
    spec: (ref) => ({ ...project, ref }),
  },
  {
    why: "a project is taken over by its name",
    kind: "Project",
    plural: "projects",
    spec: () => ({ ...project, name: "shop", adoptionPolicy: "IfNameMatches" }),
  },
  {
    why: "a branch is made",
    kind: "Branch",
    plural: "branches",
    spec: () => ({ projectRef: { name: "shop" }, name: "new" }),
  },
  {
    why: "a branch is taken over by its name",
    kind: "Branch",
    plural: "branches",
    spec: () => ({ projectRef: { name: "shop" }, name: "preview", adoptionPolicy: "IfNameMatches" }),
  },
];

describe("a connection that is not marked as in use yet", () => {
  it.each(rows)("is asked for that first, and nothing is recorded: $why", async ({ kind, plural, spec }) => {
    const { life, ref } = await withRemote();
    if (kind === "Project") forget("projects", "shop");
    forget("branches", "preview");
    markConnection(false);
    put(kind, "object", spec(ref));
    const { last: after } = await theatre.emulator.control.log.read({});
    expect(await life.run(kind, "object")).toMatchObject({ kind: "waiting", reason: "ConnectionNotReady" });
    const waiting = theatre.kubernetes.get(plural, NAMESPACE, "object");
    expect(waiting?.metadata.annotations?.[annotations.ref]).toBeUndefined();
    expect(waiting?.["status"]).not.toHaveProperty("ref");
    const { entries } = await theatre.emulator.control.log.read({ after });
    expect(entries.filter(({ method }) => method !== "GET")).toEqual([]);
    expect(life.asked.map(({ key }) => key.kind)).toContain("Connection");
    markConnection(true);
    expect(await life.settle(kind, "object")).toMatchObject({ kind: "done" });
    const recorded = theatre.kubernetes.get(plural, NAMESPACE, "object");
    expect(recorded?.metadata.annotations?.[annotations.ref]).toBeDefined();
  });

  it("may stay so where a project is only observed, whose deletion needs nothing", async () => {
    const { life, ref } = await withRemote();
    forget("projects", "shop");
    markConnection(false);
    put("Project", "object", { ...project, ref, managementPolicy: "Observe" });
    expect(await life.settle("Project", "object")).toMatchObject({ kind: "done" });
  });
});

it.each([
  {
    why: "counts as tried where it cannot be marked, so that what waits for it says so",
    fault: "refused",
    tried: true,
  },
  { why: "does not yet where that is tried again at once, as its object had changed", fault: "lost", tried: false },
] as const)("$why", async ({ fault, tried }) => {
  await using bench = await openConnectionBench();
  bench.putSecret("token");
  bench.putConnection("default");
  const metadata = { name: "default", namespace: "ns", finalizers: [] };
  bench.server.put("connections", { apiVersion: API, kind: "Connection", metadata });
  bench.putDependent("15m");
  bench.server.failWrite(0, fault);
  const { outcome, environment } = await bench.look();
  expect([outcome.kind === "conflict", environment.sessions.wasTried("Connection/ns/default")]).toEqual([
    !tried,
    tried,
  ]);
});
