import { afterEach, beforeEach, expect, it } from "vitest";
import { NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE, unready } from "../../../test/support/controllers/shop.ts";
import { WholeOperator } from "../../../test/support/controllers/whole-operator.ts";
import { projectKind } from "../../resources/project/kind.ts";
import { findCondition } from "../shared/conditions.ts";

/**
 * What an object says of a connection that does not work is what is wrong with that now: not that its Secret is being deleted once somebody made it again,
 * nor how the connection was before (engine.md §7).
 */

const API = "baas.dev/v1alpha1";

let theatre: Theatre;
let operator: WholeOperator;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE, { ownConnections: true });
  const { kubernetes, emulator } = theatre;
  kubernetes.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } });
  putToken("token");
  const spec = { baseUrl: emulator.url, token: { secretRef: { name: "token" } } };
  put("connections", "Connection", "default", spec);
  put("projects", "Project", "shop", { organization: "acme", deletionPolicy: "Delete" });
  operator = await WholeOperator.start(theatre);
  operator.look();
  await operator.advanceUntil(() => unready(theatre).length === 0);
  await pass(5);
});

afterEach(async () => {
  await operator[Symbol.asyncDispose]();
  await theatre[Symbol.asyncDispose]();
});

function put(plural: string, kind: string, name: string, spec: object): void {
  theatre.kubernetes.put(plural, { apiVersion: API, kind, metadata: { name, namespace: NAMESPACE }, spec });
}

function putToken(token: string): void {
  const metadata = { name: "token", namespace: NAMESPACE };
  const data = { token: Buffer.from(token).toString("base64") };
  theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data });
}

async function pass(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 1) {
    operator.look();
    await operator.advance(1000);
  }
}

function says(): string | undefined {
  const { conditions } = projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, "shop"));
  return findCondition(conditions, "Ready")?.message;
}

/** An edit, so that the object has to do something. */
function edit(): void {
  put("projects", "Project", "shop", { organization: "acme", deletionPolicy: "Delete", driftInterval: "1m" });
}

async function deleteSecret(): Promise<void> {
  theatre.kubernetes.delete("secrets", NAMESPACE, "token", theatre.clock.now());
  await pass(5);
  edit();
  await pass(60);
  expect(theatre.kubernetes.get("secrets", NAMESPACE, "token")).toBeUndefined();
  expect(says()).toBe("the Connection default is not ready (CredentialMissing): see its conditions");
}

it.each([
  { why: "with a token that is not accepted", token: "nobody-knows-this", is: "CredentialInvalid" },
  { why: "while the platform is down", token: "token", is: "ServerUnavailable" },
])("a Secret that was made again is not asked for once more: $why", async ({ token, is }) => {
  await deleteSecret();
  const fault = { kind: "status", status: 503 } as const;
  if (is === "ServerUnavailable") await theatre.emulator.control.faults.add({ operation: "*", count: null, fault });
  putToken(token);
  await pass(60);
  expect(says()).toBe(`the Connection default is not ready (${is}): see its conditions`);
  await theatre.emulator.control.faults.clear();
  putToken("token");
  await pass(120);
  expect(unready(theatre)).toEqual([]);
});

it("a connection that ceased to work is not called Available", async () => {
  await theatre.emulator.control.tokens.revoke({ token: "token" });
  edit();
  await pass(20);
  expect(says()).toBe("the Connection default is not ready (CredentialInvalid): see its conditions");
});

it("an object that cannot be read whole is deleted with it as its policy says, where all of the namespace goes", async () => {
  const { kubernetes, clock } = theatre;
  put("projects", "Project", "shop", { organization: "acme", deletionPolicy: "Delete", templateUrl: "none" });
  kubernetes.delete("namespaces", "", NAMESPACE, clock.now());
  kubernetes.delete("connections", NAMESPACE, "default", clock.now());
  kubernetes.delete("secrets", NAMESPACE, "token", clock.now());
  await pass(5);
  kubernetes.delete("projects", NAMESPACE, "shop", clock.now());
  await pass(60);
  const all = ["projects", "connections", "secrets"].flatMap((plural) => kubernetes.list(plural));
  const left = all.filter(({ metadata: { namespace } }) => namespace === NAMESPACE);
  // What was generated is the garbage collector's, which nobody plays.
  expect(left.map(({ metadata: { name } }) => name)).toEqual(["shop-database-password"]);
  const { projects } = await theatre.emulator.control.state.read({});
  expect(projects.filter(({ status }) => status !== "REMOVED")).toEqual([]);
});
