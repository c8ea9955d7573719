import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import { WholeOperator } from "../../../test/support/controllers/whole-operator.ts";
import { annotations } from "../../resources/annotations.ts";
import { projectKind } from "../../resources/project/kind.ts";
import type { ProjectObject } from "../environment.ts";
import type { Condition } from "../../resources/meta.ts";
import { commonStatusOf } from "../shared/common-status.ts";
import { findCondition } from "../shared/conditions.ts";

/**
 * ADR 4: to ask for a project through a connection that lets nobody in, or in a spec that is refused, is not enough to keep its name, or its ref, from who
 * may have it. What is on record, or was asked for without an answer, is another matter.
 */

const GOOD = "token";
const BOGUS = "bogus";
const REF = "unmanagedprojectrefx";
const SOON_MS = 30_000;
const acme = { organization: "acme", name: "squat" };

let theatre: Theatre;
let operator: WholeOperator;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE, { ownConnections: true });
  operator = await WholeOperator.start(theatre);
});

afterEach(async () => {
  await operator[Symbol.asyncDispose]();
  await theatre[Symbol.asyncDispose]();
});

function putToken(namespace: string, token: string | undefined): void {
  const metadata = { name: "token", namespace };
  const data = token === undefined ? {} : { token: Buffer.from(token).toString("base64") };
  theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data });
}

function putConnection(namespace: string, more: object = {}): void {
  theatre.kubernetes.put("connections", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Connection",
    metadata: { name: "default", namespace, ...more },
    spec: { baseUrl: theatre.emulator.url, token: { secretRef: { name: "token" } } },
  });
}

/** A namespace with a Connection. */
function open(namespace: string, token: string | undefined, more: object = {}): void {
  theatre.kubernetes.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  putToken(namespace, token);
  putConnection(namespace, more);
}

function putProject(namespace: string, spec: object = acme, more: object = {}): void {
  const metadata = { name: "squat", namespace, ...more };
  theatre.kubernetes.put("projects", { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata, spec });
}

async function pass(ms = SOON_MS): Promise<void> {
  operator.look();
  await operator.advance(ms);
}

function statusOf(namespace: string): ProjectObject["status"] {
  return projectKind.parseStatus(theatre.kubernetes.get("projects", namespace, "squat"));
}

function readyOf(plural: string, namespace: string, name: string): Partial<Condition> {
  const object = theatre.kubernetes.get(plural, namespace, name);
  const { conditions } = object === undefined ? {} : commonStatusOf(object);
  return findCondition(conditions, "Ready") ?? {};
}

function told(namespace: string): Partial<Condition> {
  return readyOf("projects", namespace, "squat");
}

async function names(): Promise<readonly string[]> {
  const { projects } = await theatre.emulator.control.state.read({});
  return projects.map(({ name }) => name);
}

/** The older one asks first, and has said what becomes of that; the younger one comes with a token that is let in. */
async function bothAsk(spec: object = acme): Promise<void> {
  putProject("older", spec, { creationTimestamp: "2025-01-01T00:00:00Z" });
  await pass();
  open("younger", GOOD);
  putProject("younger", spec, { creationTimestamp: "2026-01-01T00:00:00Z" });
  await pass();
}

const unanswered = { count: null, fault: { kind: "status", status: 503 } } as const;

/** The older one asks through a connection that has not been answered yet. */
async function askWhileUnreachable(token: string): Promise<void> {
  open("younger", GOOD);
  await pass();
  await theatre.emulator.control.faults.add({ ...unanswered, operation: "organizations.list" });
  open("older", token);
  await bothAsk();
}

describe("a name that an older Project merely asks for", () => {
  it.each<{ readonly through: string; readonly token?: string; readonly isPaused?: boolean }>([
    { through: "a token that is not accepted", token: BOGUS },
    { through: "a Secret without a token" },
    { through: "a paused connection that nobody was let in by", token: GOOD, isPaused: true },
    { through: "an account that reads no such organization", token: "stranger" },
  ])("through $through is another one's", async ({ token, isPaused = false }) => {
    await theatre.emulator.control.tokens.add({ token: "stranger", user: "stranger" });
    open("older", token, isPaused ? { annotations: { [annotations.paused]: "true" } } : {});
    await bothAsk();
    expect(told("younger")).toMatchObject({ reason: "Available" });
    expect(await names()).toEqual(["squat"]);
  });

  it("is another one's also just after a start", async () => {
    open("older", BOGUS);
    open("younger", GOOD);
    putProject("older", acme, { creationTimestamp: "2025-01-01T00:00:00Z" });
    await pass();
    await operator[Symbol.asyncDispose]();
    putProject("younger", acme, { creationTimestamp: "2026-01-01T00:00:00Z" });
    operator = await WholeOperator.start(theatre);
    await pass();
    expect(told("younger")).toMatchObject({ reason: "Available" });
  });

  it("is its own while its connection may come to work, and another one's once that is refused", async () => {
    await askWhileUnreachable(GOOD);
    expect(told("younger")).toMatchObject({
      reason: "Conflict",
      message: expect.stringContaining("project squat of acme is asked for by Project squat in namespace older first"),
    });
    putToken("older", BOGUS);
    await pass(); // far less than after what it would look again by itself
    expect(told("younger")).toMatchObject({ reason: "Available" });
    expect(await names()).toEqual(["squat"]);
  });

  it("is its own once its connection works, before the other one has it", async () => {
    await askWhileUnreachable(GOOD);
    await theatre.emulator.control.faults.clear();
    await pass(120_000);
    expect(told("older")).toMatchObject({ reason: "Available" });
    expect(told("younger")).toMatchObject({ reason: "Conflict" });
  });

  it.each(["Never", "IfNameMatches"])(
    "stays with who made it when the token is mended (%s)",
    async (adoptionPolicy) => {
      open("older", BOGUS);
      await bothAsk({ ...acme, adoptionPolicy, deletionPolicy: "Delete" });
      const { ref } = statusOf("younger");
      await theatre.emulator.control.log.clear();
      putToken("older", GOOD);
      await pass(1_200_000);
      expect(told("older")).toMatchObject({
        reason: "Conflict",
        message: expect.stringContaining("project squat of acme belongs to Project squat in namespace younger"),
      });
      expect(statusOf("older").ref).toBeUndefined();
      const { entries } = await theatre.emulator.control.log.read({ operation: "projects.create" });
      expect(entries).toEqual([]);
      theatre.kubernetes.delete("projects", "older", "squat", theatre.clock.now());
      await pass();
      expect(await names()).toEqual(["squat"]);
      expect(statusOf("younger").ref).toBe(ref);
    },
  );

  it("goes to another one when the platform refuses its account, which that hears at once", async () => {
    const { control } = theatre.emulator;
    await control.tokens.add({ token: "stranger", user: "stranger" });
    open("older", "stranger");
    await control.faults.add({ ...unanswered, operation: "organizations.listProjects" });
    await bothAsk();
    expect(told("younger")).toMatchObject({ reason: "Conflict" });
    await control.faults.clear();
    await pass(120_000); // far less than after what it would look again by itself
    expect(told("older")).toMatchObject({ reason: "InvalidSpec" });
    expect(told("younger")).toMatchObject({ reason: "Available" });
  });
});

describe("who was refused before", () => {
  it("has its turn when it is let in, and nobody has the name", async () => {
    const { control } = theatre.emulator;
    await control.tokens.add({ token: "stranger", user: "stranger" });
    open("older", "stranger");
    open("younger", GOOD);
    const paused = { annotations: { [annotations.paused]: "true" } };
    putProject("older", acme, { creationTimestamp: "2025-01-01T00:00:00Z" });
    putProject("younger", acme, { creationTimestamp: "2026-01-01T00:00:00Z", ...paused });
    await pass();
    expect(told("older")).toMatchObject({ reason: "InvalidSpec" });
    await control.organizations.patch({ slug: "acme", members: { stranger: "Owner" } });
    await pass(600_000);
    expect(told("older")).toMatchObject({ reason: "Available" });
  });
});

describe("a ref that an older Project merely asks for", () => {
  it.each([
    { through: "a token that is not accepted", token: BOGUS },
    { through: "an account that does not read it", token: "stranger" },
  ])("through $through is another one's to take over", async ({ token }) => {
    const { control } = theatre.emulator;
    await control.state.seed({ projects: [{ ref: REF, name: "unmanaged", organization: "acme" }] });
    await control.tokens.add({ token: "stranger", user: "stranger" });
    open("older", token);
    await bothAsk({ organization: "acme", ref: REF });
    expect(statusOf("younger")).toMatchObject({ ref: REF });
    expect(told("older")).not.toMatchObject({ reason: "Available" });
  });
});

describe("when its token is refused, an older Project keeps", () => {
  const taking = { ...acme, adoptionPolicy: "IfNameMatches" };

  /** The token ends, and somebody else asks for the name. */
  async function end(): Promise<void> {
    putToken("older", BOGUS);
    await pass();
    open("younger", GOOD);
    putProject("younger", taking, { creationTimestamp: "2026-01-01T00:00:00Z" });
    await pass();
    expect(readyOf("connections", "older", "default")).toMatchObject({ reason: "CredentialInvalid" });
    expect(statusOf("younger").ref).toBeUndefined();
  }

  it("the name of what it has, also where its status was lost", async () => {
    open("older", GOOD);
    putProject("older", acme, { creationTimestamp: "2025-01-01T00:00:00Z" });
    await pass();
    await end();
    expect(told("younger")).toMatchObject({ reason: "Conflict", message: expect.stringContaining("belongs to") });
    const older = theatre.kubernetes.get("projects", "older", "squat");
    if (older === undefined) throw new Error("it is not there");
    theatre.kubernetes.put("projects", { ...older, status: {} });
    await pass(1_200_000);
    expect(told("younger")).toMatchObject({ reason: "Conflict" });
    expect(statusOf("younger").ref).toBeUndefined();
  });

  it("the name of what it asked for and got no answer of", async () => {
    open("older", GOOD);
    const fault = { kind: "reset", phase: "after" } as const;
    await theatre.emulator.control.faults.add({ operation: "projects.create", count: 1, fault });
    putProject("older", acme, { creationTimestamp: "2025-01-01T00:00:00Z" });
    operator.look();
    await operator.advanceUntil(() => statusOf("older").intent !== undefined);
    await theatre.emulator.control.faults.add({ ...unanswered, operation: "organizations.listProjects" });
    await end();
    await theatre.emulator.control.faults.clear();
    await pass(600_000);
    expect(await names()).toEqual(["squat"]);
    expect(statusOf("younger").ref).toBeUndefined();
    putToken("older", GOOD);
    await pass(600_000);
    expect(told("older")).toMatchObject({ reason: "Available" });
  });
});

it("an older Branch that nobody lets in keeps its name from nobody", async () => {
  const putBranch = (namespace: string, spec: object, creationTimestamp: string): void => {
    const metadata = { name: "preview", namespace, creationTimestamp };
    theatre.kubernetes.put("branches", { apiVersion: "baas.dev/v1alpha1", kind: "Branch", metadata, spec });
  };
  open("younger", GOOD);
  putProject("younger");
  await pass();
  const { ref } = statusOf("younger");
  open("older", BOGUS);
  putBranch("older", { projectRef: { ref } }, "2025-01-01T00:00:00Z");
  await pass();
  putBranch("younger", { projectRef: { name: "squat" } }, "2026-01-01T00:00:00Z");
  await pass();
  expect(readyOf("branches", "younger", "preview")).toMatchObject({ reason: "Available" });
});

/** Two operators know nothing of each other: of two that found the name free, the platform's answer lets one have it. */
describe("a name that another operator had made something of between the look and the request", () => {
  it.each(["Never", "IfNameMatches"])("is not taken for its own (%s)", async (adoptionPolicy) => {
    open("younger", GOOD);
    await pass();
    const { control } = theatre.emulator;
    await control.state.seed({ projects: [{ ref: REF, name: "squat", organization: "acme" }] });
    await control.faults.add({
      operation: "organizations.listProjects",
      count: 1,
      fault: { kind: "status", status: 200, body: { projects: [], pagination: { count: 0, limit: 100, offset: 0 } } },
    });
    putProject("younger", { ...acme, adoptionPolicy });
    await pass();
    expect(told("younger")).toMatchObject({ reason: "Conflict" });
    expect(statusOf("younger")).not.toMatchObject({ intent: expect.anything() });
    expect(statusOf("younger").ref).toBeUndefined();
    const { entries } = await control.log.read({ operation: "projects.create" });
    expect(entries.map(({ status }) => status)).toEqual([409]);
  });
});
