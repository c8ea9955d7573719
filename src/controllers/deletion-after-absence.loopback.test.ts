import { describe, expect, it } from "vitest";
import { NAMESPACE, openTheatre, type Theatre } from "../../test/support/controllers/life.ts";
import { AT_ONCE, unready } from "../../test/support/controllers/shop.ts";
import { WholeOperator } from "../../test/support/controllers/whole-operator.ts";
import { RELEASES_NAME } from "./shared/releases.ts";

/**
 * The bound of a deletion (engine.md §5) ends what was tried in vain: not what nobody tried, as no operator ran, and not by a clock that is wrong. The
 * Secret with the token stays until then, or until the token is in memory.
 */

type Fault = Parameters<Theatre["emulator"]["control"]["faults"]["add"]>[0]["fault"];

const API = "baas.dev/v1alpha1";
const NAMES = ["a", "b", "c"];
const MINUTE_MS = 60_000;

function metadata(name: string): { readonly name: string; readonly namespace: string } {
  return { name, namespace: NAMESPACE };
}

/** Projects that go with their objects, all Ready, in a namespace with all that they need; the operator that made them has ended. */
async function made(theatre: Theatre): Promise<void> {
  const { kubernetes, emulator } = theatre;
  const namespace = { name: NAMESPACE, finalizers: ["kubernetes"] };
  kubernetes.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: namespace });
  await using operator = await WholeOperator.start(theatre);
  const stringData = { token: "token" };
  kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata: metadata("token"), stringData });
  const token = { secretRef: { name: "token" } };
  const connection = { apiVersion: API, kind: "Connection", metadata: metadata("default") };
  kubernetes.put("connections", { ...connection, spec: { baseUrl: emulator.url, token } });
  for (const name of NAMES) {
    const spec = { organization: "acme", deletionPolicy: "Delete" };
    kubernetes.put("projects", { apiVersion: API, kind: "Project", metadata: metadata(name), spec });
  }
  operator.look();
  await operator.advanceUntil(() => unready(theatre).length === 0);
  await operator.advance(2000);
}

function namespaceDeleted(theatre: Theatre): void {
  theatre.kubernetes.delete("namespaces", "", NAMESPACE);
  allDeleted(theatre);
}

/** As `helm uninstall` does it: the Secret first, in a namespace that stays. */
function allDeleted({ kubernetes }: Theatre): void {
  kubernetes.delete("secrets", NAMESPACE, "token");
  for (const name of NAMES) kubernetes.delete("projects", NAMESPACE, name);
  kubernetes.delete("connections", NAMESPACE, "default");
}

function objectsLeft({ kubernetes }: Theatre): readonly string[] {
  return NAMES.filter((name) => kubernetes.get("projects", NAMESPACE, name) !== undefined);
}

/** Names of the projects that the platform has, and what is told of those that were let go. */
async function outcome({ kubernetes, emulator }: Theatre): Promise<object> {
  const { projects } = await emulator.control.state.read({});
  const told = kubernetes.get("configmaps", "baas-system", RELEASES_NAME)?.["data"] ?? {};
  return { left: projects.map(({ name }) => name).toSorted(), told: Object.keys(told).length };
}

async function lookFor(theatre: Theatre, operator: WholeOperator, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds && objectsLeft(theatre).length > 0; passed += 1) {
    operator.look();
    await operator.advance(1000);
  }
}

it.each([
  { away: "longer than deletionTimeout", minutes: 20 },
  { away: "for a day", minutes: 24 * 60 },
])(
  "a namespace that was deleted while no operator ran is taken down by the next one: away $away",
  async ({ minutes }) => {
    await using theatre = await openTheatre(AT_ONCE, { ownConnections: true });
    await made(theatre);
    namespaceDeleted(theatre);
    theatre.clock.advance(minutes * MINUTE_MS);
    await using next = await WholeOperator.start(theatre);
    await lookFor(theatre, next, 200);
    expect(objectsLeft(theatre)).toEqual([]);
    expect(await outcome(theatre)).toEqual({ left: [], told: 0 });
  },
);

it("what fails once after an absence is tried again", async () => {
  await using theatre = await openTheatre(AT_ONCE, { ownConnections: true });
  await made(theatre);
  namespaceDeleted(theatre);
  theatre.clock.advance(20 * MINUTE_MS);
  const fault = { kind: "status", status: 400 } as const;
  await theatre.emulator.control.faults.add({ operation: "projects.delete", count: NAMES.length, fault });
  await using next = await WholeOperator.start(theatre);
  await lookFor(theatre, next, 200);
  expect(objectsLeft(theatre)).toEqual([]);
  expect(await outcome(theatre)).toEqual({ left: [], told: 0 });
});

it.each([
  { clock: "an hour ahead", apiserverAheadMs: -60 * MINUTE_MS },
  { clock: "an hour behind", apiserverAheadMs: 60 * MINUTE_MS },
])(
  "what is refused for ever goes at its bound by the apiserver's clock: ours is $clock",
  async ({ apiserverAheadMs }) => {
    await using theatre = await openTheatre(AT_ONCE, { ownConnections: true, apiserverAheadMs });
    await made(theatre);
    const fault = { kind: "status", status: 400 } as const;
    await theatre.emulator.control.faults.add({ operation: "projects.delete", count: null, fault });
    await using operator = await WholeOperator.start(theatre);
    namespaceDeleted(theatre);
    await lookFor(theatre, operator, 14 * 60);
    expect(objectsLeft(theatre)).toEqual(NAMES);
    await lookFor(theatre, operator, 2 * 60);
    expect(objectsLeft(theatre)).toEqual([]);
    expect(await outcome(theatre)).toEqual({ left: NAMES, told: NAMES.length });
  },
);

describe("a Secret that was deleted first, a minute before the next operator starts", () => {
  const toAll = (theatre: Theatre, fault: Fault): Promise<unknown> =>
    theatre.emulator.control.faults.add({ operation: "*", count: null, fault });
  const tokenIsThere = ({ kubernetes }: Theatre): boolean =>
    kubernetes.get("secrets", NAMESPACE, "token") !== undefined;

  it.each<{ readonly why: string; readonly fault: Fault }>([
    { why: "it is down", fault: { kind: "status", status: 503 } },
    { why: "the connection is cut", fault: { kind: "reset" } },
    { why: "somebody else has spent the account's budget", fault: { kind: "status", status: 429 } },
    { why: "it lets nobody in", fault: { kind: "status", status: 401 } },
    { why: "a gateway before it forbids everything", fault: { kind: "status", status: 403 } },
    { why: "a proxy before it takes no request", fault: { kind: "status", status: 400 } },
    { why: "it knows no path", fault: { kind: "status", status: 404 } },
    { why: "it takes no method", fault: { kind: "status", status: 405 } },
  ])("is held until the platform has let the token in: $why", async ({ fault }) => {
    await using theatre = await openTheatre(AT_ONCE, { ownConnections: true });
    await made(theatre);
    allDeleted(theatre);
    theatre.clock.advance(MINUTE_MS);
    await toAll(theatre, fault);
    await using next = await WholeOperator.start(theatre);
    await lookFor(theatre, next, 15);
    expect([objectsLeft(theatre), tokenIsThere(theatre)]).toEqual([NAMES, true]);
    await theatre.emulator.control.faults.clear();
    await lookFor(theatre, next, 200);
    expect([objectsLeft(theatre), tokenIsThere(theatre)]).toEqual([[], false]);
    expect(await outcome(theatre)).toEqual({ left: [], told: 0 });
  });

  it("is held no longer than what needs it may be tried", async () => {
    await using theatre = await openTheatre(AT_ONCE, { ownConnections: true });
    await made(theatre);
    allDeleted(theatre);
    theatre.clock.advance(20 * MINUTE_MS);
    await toAll(theatre, { kind: "status", status: 503 });
    await using next = await WholeOperator.start(theatre);
    await lookFor(theatre, next, 110);
    expect([objectsLeft(theatre), tokenIsThere(theatre)]).toEqual([NAMES, true]);
    await lookFor(theatre, next, 120);
    expect([objectsLeft(theatre), tokenIsThere(theatre)]).toEqual([[], false]);
    expect(await outcome(theatre)).toEqual({ left: NAMES, told: NAMES.length });
  });
});
