import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { request } from "undici";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { createLogger } from "../../src/cli/logger.ts";
import { operate } from "../../src/cli/operator.ts";
import { type Emulator, startEmulator } from "../../src/emulator/emulator.ts";
import type { FaultRuleInput } from "../../src/emulator/http/faults.ts";
import { acquireCluster } from "../support/control-plane/cluster.ts";
import type { Cluster } from "../support/control-plane/existing.ts";
import { freePort } from "../support/control-plane/ports.ts";
import { runFlagsOf } from "../support/operator/run-flags.ts";
import { applyDefinitions } from "../support/programs/definitions.ts";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";
import { branchOf } from "../support/stage/branches.ts";
import { eventually } from "../support/stage/eventually.ts";
import { coreSecret, functionOf, secretOf } from "../support/stage/functions.ts";
import { type Manifest, Room, conditionOf } from "../support/stage/room.ts";
import { forwardClock } from "../support/stage/forward-clock.ts";

/**
 * A deletion that the platform refuses for ever (engine.md §5). The operator runs in this process, whose time the tests put forward past
 * deletionTimeout.
 */

const OPERATOR_NAMESPACE = "default";
const PAST_TIMEOUT_MS = 90_000;
/** The least that a spec may say. */
const deletionTimeout = "1m";
const crds = fileURLToPath(new URL("../../crds", import.meta.url));

const clock = forwardClock(systemClock);
const stop = new AbortController();
let cluster: Cluster;
let emulator: Emulator;
let health: string;
let logs = "";
let operator: Promise<number>;

beforeAll(async () => {
  cluster = await acquireCluster();
  await applyDefinitions(cluster, crds);
  emulator = await startEmulator({ tokens: ["bound-owner"], speed: 100 });
  health = `127.0.0.1:${await freePort()}`;
  const flags = runFlagsOf({
    kubeconfig: cluster.kubeconfigPath,
    "operator-namespace": OPERATOR_NAMESPACE,
    "health-address": health,
    "no-leader-elect": true,
  });
  const lines = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      logs += chunk.toString("utf8");
      done();
    },
  });
  operator = operate({ flags, proxy: {}, log: createLogger("info", lines), signal: stop.signal, clock });
});

afterAll(async () => {
  stop.abort();
  await operator;
  await emulator.stop();
  await cluster.stop();
});

afterEach(() => emulator.control.faults.clear({}));

/** A room with a Project `shop` and what else is given, all Ready. */
async function openRoom(namespace: string, more: (room: Room) => readonly Manifest[] = () => []): Promise<Room> {
  const user = `user-of-${namespace}`;
  const token = `token-of-${namespace}`;
  await emulator.control.state.seed({
    users: [{ username: user }],
    tokens: [{ token, user }],
    organizations: [{ slug: namespace, plan: "enterprise", members: { [user]: "Owner" } }],
  });
  succeeded(await kubectl(cluster, ["create", "namespace", namespace]));
  const room = new Room({ cluster, emulator, namespace, token });
  const objects = more(room);
  const project = room.project("shop", { deletionPolicy: "Delete", deletionTimeout });
  await room.apply([...room.connection(), project, ...objects]);
  await room.ready("Project", "shop");
  for (const { kind, metadata, apiVersion } of objects) {
    if (apiVersion === "v1") continue;
    await room.ready(String(kind), (metadata as { readonly name: string }).name);
  }
  return room;
}

/** What the platform still has of the kind in the room. */
async function whatIsLeft(room: Room, kind: string): Promise<readonly unknown[]> {
  const projects = await room.projects();
  if (kind === "Project") return projects;
  if (kind === "EdgeFunction") return projects.flatMap(({ functions }) => functions);
  if (kind === "Secret") return projects.flatMap(({ secrets }) => secrets.filter(({ platform }) => !platform));
  const { branches } = await emulator.control.state.read({});
  return branches.filter(({ parentRef, isDefault }) => !isDefault && projects.some(({ ref }) => ref === parentRef));
}

function resource(kind: string): string {
  return `${kind.toLowerCase()}.baas.dev`;
}

async function annotate(room: Room, object: { readonly kind: string; readonly name: string }, text: string) {
  await room.kubectl("annotate", "--overwrite", resource(object.kind), object.name, text);
}

const look = (): string => `baas.dev/reconcile-at=at-${process.hrtime.bigint()}`;

/** Asks for the look that ends it. Whoever looks by itself may be quicker: a run that is under way, or one that comes again. */
async function lookOnceMore(room: Room, object: { readonly kind: string; readonly name: string }): Promise<void> {
  await annotate(room, object, look()).catch((error: unknown) => {
    if (!String(error).includes("(NotFound)")) throw error;
  });
}

/** What the ConfigMap of releases says of a namespace. */
async function releasesOf(namespace: string): Promise<readonly unknown[]> {
  const args = ["--namespace", OPERATOR_NAMESPACE, "get", "configmap", "baas-operator-released", "--ignore-not-found"];
  const text = succeeded(await kubectl(cluster, [...args, "--output=jsonpath={.data}"]));
  const data = JSON.parse(text === "" ? "{}" : text) as Readonly<Record<string, string>>;
  return Object.values(data)
    .map((line) => JSON.parse(line) as { readonly object: string })
    .filter(({ object }) => object.startsWith(`${namespace}/`));
}

/** Notes of the events in `default` about a namespace. */
async function notesAbout(namespace: string): Promise<readonly string[]> {
  const args = ["--namespace", "default", "get", "events.events.k8s.io", "--output=json"];
  const { items } = JSON.parse(succeeded(await kubectl(cluster, args))) as {
    readonly items: readonly {
      readonly type: string;
      readonly note: string;
      readonly regarding: { readonly kind: string; readonly name: string };
    }[];
  };
  return items
    .filter(({ regarding }) => regarding.kind === "Namespace" && regarding.name === namespace)
    .map(({ type, note }) => `${type}: ${note}`);
}

/** How many releases of a Project were counted for a cause. */
async function counted(cause: string): Promise<number> {
  const answer = await request(`http://${health}/metrics`);
  const line = new RegExp(`^baas_released_total\\{kind="Project",cause="${cause}"\\} (\\d+)$`, "mu");
  return Number(line.exec(await answer.body.text())?.[1] ?? 0);
}

const refused: FaultRuleInput["fault"] = { kind: "status", status: 400, body: { message: "it is being upgraded" } };
const broken: FaultRuleInput["fault"] = { kind: "status", status: 500, body: { message: "something went wrong" } };

const rows: readonly {
  readonly name: string;
  readonly kind: string;
  readonly object: string;
  readonly operation: string;
  readonly fault: FaultRuleInput["fault"];
  readonly cause: RegExp;
  readonly more?: (room: Room) => readonly Manifest[];
}[] = [
  {
    name: "a project refused with 400",
    kind: "Project",
    object: "shop",
    operation: "projects.delete",
    fault: refused,
    cause: /it is being upgraded/u,
  },
  {
    name: "a project answered with 500",
    kind: "Project",
    object: "shop",
    operation: "projects.delete",
    fault: broken,
    cause: /could not delete the project: something went wrong/u,
  },
  {
    name: "a project that nobody answers for",
    kind: "Project",
    object: "shop",
    operation: "*",
    fault: { kind: "reset" },
    cause: /could not read the project/u,
  },
  {
    name: "a function answered with 500",
    kind: "EdgeFunction",
    object: "hello",
    operation: "functions.delete",
    fault: broken,
    cause: /could not delete the function hello: something went wrong/u,
    more: (room) => [functionOf(room, "hello", { deletionTimeout })],
  },
  {
    name: "secrets refused with 400",
    kind: "Secret",
    object: "env",
    operation: "secrets.delete",
    fault: refused,
    cause: /it is being upgraded/u,
    more: (room) => [
      coreSecret(room, "values", { A: "1" }),
      secretOf(room, "env", [{ secretRef: { name: "values" } }], { deletionTimeout }),
    ],
  },
  {
    name: "a branch refused with 400",
    kind: "Branch",
    object: "preview",
    operation: "branches.delete",
    fault: refused,
    cause: /it is being upgraded/u,
    more: (room) => [branchOf(room, "shop", "preview", { deletionTimeout })],
  },
];

describe("a deletion that the platform refuses for ever", () => {
  it.each(rows.map((row, index) => ({ ...row, namespace: `bound-${index}` })))(
    "is Stalled with its cause and the way out past its timeout, and goes on when it can: $name",
    async ({ kind, object: name, operation, fault, cause, more, namespace }) => {
      const room = await openRoom(namespace, more);
      const { status } = await room.get(kind, name);
      const { ref } = await room.remoteProject("shop");
      const inProject = operation === "*" ? { pathContains: ref } : {};
      await emulator.control.faults.add({ operation, ...inProject, count: null, fault });
      await room.kubectl("delete", resource(kind), name, "--wait=false");
      await room.until(kind, name, (seen) => conditionOf(seen, "Ready")?.status !== "True");
      clock.putForward(PAST_TIMEOUT_MS);
      await annotate(room, { kind, name }, look());
      const stalled = await room.stalled(kind, name, "DeletionBlocked");
      const message = conditionOf(stalled, "Stalled")?.message ?? "";
      expect(message).toMatch(cause);
      expect(message).toContain(`baas.dev/release: ${String(status["ref"])}`);
      await emulator.control.faults.clear({});
      await lookOnceMore(room, { kind, name });
      const left = (): Promise<readonly unknown[]> => whatIsLeft(room, kind);
      await eventually("it is gone", async () => ((await left()).length === 0 ? true : undefined));
      await lookOnceMore(room, { kind, name });
      await room.gone(kind, name);
      expect(await releasesOf(namespace)).toEqual([]);
      expect(await room.projects()).toHaveLength(kind === "Project" ? 0 : 1);
    },
  );

  it("is let go by the annotation with its ref, by no other, which is told where it lasts", async () => {
    const room = await openRoom("bound-by-hand");
    const project = { kind: "Project", name: "shop" };
    const { ref } = await room.remoteProject("shop");
    await emulator.control.faults.add({ operation: "projects.delete", count: null, fault: refused });
    await room.kubectl("delete", "project", "shop", "--wait=false");
    await annotate(room, project, "baas.dev/release=anotherprojectsrefxx");
    const handled = look();
    await annotate(room, project, handled);
    await room.until("Project", "shop", ({ status }) =>
      handled.endsWith(`=${String(status["lastHandledReconcileAt"])}`),
    );
    const before = await counted("ByHand");
    await annotate(room, project, `baas.dev/release=${ref}`);
    await room.gone("Project", "shop");
    expect((await room.projects()).map((left) => left.ref)).toEqual([ref]);
    const told = { object: "bound-by-hand/shop", kind: "Project", remote: `project ${ref}`, cause: "ByHand" };
    expect(await releasesOf("bound-by-hand")).toMatchObject([told]);
    await eventually("the event is there", async () => {
      const notes = await notesAbout("bound-by-hand");
      return notes.some((note) => note.startsWith("Warning: ") && note.includes(ref)) ? true : undefined;
    });
    expect(await counted("ByHand")).toBe(before + 1);
    const line = logs.split("\n").find((text) => text.includes(`project ${ref}`) && text.includes('"ByHand"'));
    expect(line).toContain('"level":"warn"');
  });
});

describe("a deletion refused for ever in a namespace that is being deleted", () => {
  it.each([
    { name: "bound-ns-400", operation: "projects.delete", fault: refused },
    { name: "bound-ns-500", operation: "projects.delete", fault: broken },
    { name: "bound-ns-down", operation: "*", fault: { kind: "reset" } as const },
  ])("ends at deletionTimeout and not before, and is told: $name", async ({ name, operation, fault }) => {
    const room = await openRoom(name);
    const { ref } = await room.remoteProject("shop");
    const before = await counted("DeletionTimeout");
    await emulator.control.faults.add({ operation, pathContains: ref, count: null, fault });
    await room.kubectl("delete", "namespace", name, "--wait=false");
    await room.until("Project", "shop", (seen) => conditionOf(seen, "Ready")?.status !== "True");
    await annotate(room, { kind: "Project", name: "shop" }, look());
    const early = await room.get("Project", "shop");
    expect(early.metadata.finalizers).toContain("baas.dev/finalizer");
    expect(conditionOf(early, "Stalled")).toBeUndefined();
    clock.putForward(PAST_TIMEOUT_MS);
    await lookOnceMore(room, { kind: "Project", name: "shop" });
    await room.kubectl("wait", "--for=delete", `namespace/${name}`, "--timeout=60s");
    expect((await room.projects()).map((left) => left.ref)).toEqual([ref]);
    expect(await releasesOf(name)).toMatchObject([{ kind: "Project", cause: "DeletionTimeout" }]);
    expect(await counted("DeletionTimeout")).toBe(before + 1);
    await eventually("the event is there", async () => {
      const notes = await notesAbout(name);
      return notes.some((note) => note.startsWith("Warning: ") && note.includes(ref)) ? true : undefined;
    });
  });
});
