import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { isReason, reasonMeanings, type Reason, waitsForSomebody } from "../../resources/conditions.ts";

/** Events are warnings where somebody must act, whether the object waits for that or was refused; what goes on by itself is told as normal. */

let theatre: Theatre;
let life: Life;

beforeEach(async () => {
  theatre = await openTheatre();
  life = await theatre.life();
});

afterEach(() => theatre[Symbol.asyncDispose]());

const KINDS = { Project: "projects", Branch: "branches", EdgeFunction: "edgefunctions", Secret: "secrets" } as const;
const projectRef = { name: "shop" };
const secretKeyRef = { name: "nowhere", key: "password" };
const source = { inline: { files: { "index.ts": "1" } } };
const other = { kind: "Connection", name: "nowhere" };

function put(kind: keyof typeof KINDS, name: string, spec: object): void {
  const metadata = { name, namespace: NAMESPACE };
  theatre.kubernetes.put(KINDS[kind], { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
}

/** Types of the events of an object with that reason. */
async function eventsOf(kind: keyof typeof KINDS, spec: object, reason: Reason): Promise<readonly string[]> {
  put(kind, "object", spec);
  for (let n = 0; n < 3; n += 1) {
    await life.run(kind, "object");
    await theatre.pass(10_000);
  }
  return life.events.filter((event) => event.reason === reason).map(({ type }) => type);
}

describe("somebody must act", () => {
  const missing = "ReferenceNotFound";
  const unconnected = "ConnectionNotFound";

  it.each([
    { kind: "Project", spec: { organization: "acme", databasePassword: { secretKeyRef } }, reason: missing },
    { kind: "Project", spec: { organization: "acme", connectionRef: other }, reason: unconnected },
    { kind: "Branch", spec: { projectRef }, reason: missing },
    { kind: "EdgeFunction", spec: { projectRef, source }, reason: missing },
    { kind: "EdgeFunction", spec: { branchRef: projectRef, source }, reason: missing },
    { kind: "Secret", spec: { projectRef, from: [{ secretRef: { name: "nowhere" } }] }, reason: missing },
  ] as const)("$kind: $reason, told once as a warning ($spec)", async ({ kind, spec, reason }) => {
    expect(await eventsOf(kind, spec, reason)).toEqual(["Warning"]);
  });

  it.each([
    { kind: "EdgeFunction", spec: { source: { configMapRef: { name: "nowhere" } } } },
    { kind: "Secret", spec: { from: [{ secretRef: { name: "nowhere" } }] } },
    { kind: "Branch", spec: { auth: { smtp: { password: { secretKeyRef } } } } },
  ] as const)("$kind in a project that is up: what it is made of is missing ($spec)", async ({ kind, spec }) => {
    put("Project", "shop", { organization: "acme" });
    await life.settle("Project", "shop");
    put(kind, "object", { projectRef, ...spec });
    await life.settle(kind, "object").catch(() => undefined);
    const told = life.events.filter(({ reason, regarding }) => reason === missing && regarding.kind === kind);
    expect(told.map(({ type }) => type)).toEqual(["Warning"]);
  });
});

it("what goes on by itself is told as normal: a parent that is not up yet", async () => {
  put("Project", "shop", { organization: "acme" });
  expect(await eventsOf("Secret", { projectRef, from: [{ secretRef: { name: "v" } }] }, "ReferenceNotReady")).toEqual([
    "Normal",
  ]);
});

it("only words that there are tell that somebody must act", () => {
  const waiting = Object.keys(reasonMeanings).filter((reason) => isReason(reason) && waitsForSomebody(reason));
  expect(waiting.toSorted()).toEqual([
    "ConnectionNotFound",
    "CredentialTerminating",
    "DnsPending",
    "ReferenceNotFound",
  ]);
});
