import { describe, expect, it } from "vitest";
import { storesWith, testEnvironment } from "../../../test/support/controllers/environment.ts";
import { connectionOf } from "../../../test/support/controllers/connection.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { classify } from "../../runtime/outcome.ts";
import type { Environment } from "../environment.ts";
import { childGroups, type ChildSpec, parentPlace, parentRefIfKnown } from "./parents.ts";
import { placeGone } from "./place-gone.ts";

const PROJECT = "projectprojectprojec";
const BRANCH = "branchbranchbranchbr";

function object(
  kind: string,
  name: string,
  parts: { readonly spec: object; readonly status?: object; readonly deleting?: boolean },
): KubeObject {
  const deletion = parts.deleting === true ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {};
  const metadata = { name, namespace: "ns", uid: `uid-${name}`, resourceVersion: "1", generation: 1, ...deletion };
  const status = { observedGeneration: 1, conditions: [], recordedFor: `uid-${name}`, ...parts.status };
  return { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec: parts.spec, status };
}

function project(status: object = {}, deleting = false): KubeObject {
  return object("Project", "shop", {
    spec: { organization: "acme" },
    status: { ref: PROJECT, state: "ACTIVE_HEALTHY", ...status },
    deleting,
  });
}

function branch(status: object = {}, deleting = false): KubeObject {
  const spec = { projectRef: { name: "shop" } };
  return object("Branch", "preview", {
    spec,
    status: { ref: BRANCH, projectState: "ACTIVE_HEALTHY", ...status },
    deleting,
  });
}

const connection = object("Connection", "default", {
  spec: { baseUrl: "https://api.example.com", token: { secretRef: { name: "token" } } },
});

function environmentWith(objects: readonly KubeObject[], allowedRefs?: readonly string[]): Environment {
  const environment = testEnvironment({ clock: new ManualClock(), stores: storesWith([connection, ...objects]) });
  environment.sessions.set(connectionOf("ns", { allowedRefs }));
  return environment;
}

const inProject: ChildSpec = { projectRef: { name: "shop" } };
const inBranch: ChildSpec = { branchRef: { name: "preview" } };
const inUnmanaged: ChildSpec = { projectRef: { ref: PROJECT } };

function stalled(reason: string): object {
  return {
    conditions: [{ type: "Stalled", status: "True", reason, message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
  };
}

/** Where a child lives, or why it has to wait. */
function place(environment: Environment, spec: ChildSpec): string {
  try {
    const { ref, projectRef } = parentPlace(environment, "ns", spec);
    return `${ref} in ${projectRef}`;
  } catch (error) {
    const outcome = classify(error);
    return "reason" in outcome ? `${outcome.kind} ${outcome.reason}` : outcome.kind;
  }
}

describe("what waits for a Project whose connection leads to another platform than the one that it is on", () => {
  it.each([
    { paused: undefined, says: /has not gone over [^.;]* yet$/u },
    { paused: "true", says: /has not gone over .* yet.* it is paused: remove its annotation baas\.dev\/paused$/u },
  ])("is told so, paused: $paused", ({ paused, says }) => {
    const connection = { kind: "Connection", name: "default", identity: "account", server: "https://far.example.com" };
    const made = project({ connection });
    const annotations = paused === undefined ? {} : { "baas.dev/paused": paused };
    const environment = environmentWith([{ ...made, metadata: { ...made.metadata, annotations } }]);
    expect(() => parentPlace(environment, "ns", inProject)).toThrow(says);
  });
});

describe("parentPlace", () => {
  it.each<{
    readonly why: string;
    readonly objects: readonly KubeObject[];
    readonly spec: ChildSpec;
    readonly is: string;
  }>([
    { why: "the Project is up", objects: [project()], spec: inProject, is: `${PROJECT} in ${PROJECT}` },
    {
      why: "up, well or not",
      objects: [project({ state: "ACTIVE_UNHEALTHY" })],
      spec: inProject,
      is: `${PROJECT} in ${PROJECT}`,
    },
    { why: "the Project is to be applied yet", objects: [], spec: inProject, is: "waiting ReferenceNotFound" },
    {
      why: "it is coming up",
      objects: [project({ state: "COMING_UP" })],
      spec: inProject,
      is: "waiting ReferenceNotReady",
    },
    {
      why: "it is paused",
      objects: [project({ state: "INACTIVE" })],
      spec: inProject,
      is: "waiting ReferenceNotReady",
    },
    {
      why: "nothing is known of it yet",
      objects: [project({ ref: undefined, state: undefined })],
      spec: inProject,
      is: "waiting ReferenceNotReady",
    },
    { why: "it is being deleted", objects: [project({}, true)], spec: inProject, is: "waiting ReferenceNotReady" },
    {
      why: "its status was recorded for another object (a restored backup)",
      objects: [project({ recordedFor: "before" })],
      spec: inProject,
      is: "waiting ReferenceNotReady",
    },
    {
      why: "no write to the children of a project that is missing",
      objects: [project(stalled("RemoteMissing"))],
      spec: inProject,
      is: "waiting ParentStalled",
    },
    {
      why: "nor of one that another object owns",
      objects: [project(stalled("Conflict"))],
      spec: inProject,
      is: "waiting ParentStalled",
    },
    {
      why: "nor of a copied manifest",
      objects: [project(stalled("OwnedElsewhere"))],
      spec: inProject,
      is: "waiting ParentStalled",
    },
    {
      why: "nor of one that another account recorded",
      objects: [project(stalled("CredentialChanged"))],
      spec: inProject,
      is: "waiting ParentStalled",
    },
    {
      why: "a Project that is stalled over something of its own serves its children all the same",
      objects: [project(stalled("PlanLimit"))],
      spec: inProject,
      is: `${PROJECT} in ${PROJECT}`,
    },
    { why: "a Branch in a Project", objects: [project(), branch()], spec: inBranch, is: `${BRANCH} in ${PROJECT}` },
    { why: "the Branch is to be applied yet", objects: [project()], spec: inBranch, is: "waiting ReferenceNotFound" },
    {
      why: "the Branch is coming up",
      objects: [project(), branch({ projectState: "COMING_UP" })],
      spec: inBranch,
      is: "waiting ReferenceNotReady",
    },
    {
      why: "the ttl of the Branch has ended",
      objects: [project(), branch({ ref: undefined, projectState: undefined })],
      spec: inBranch,
      is: "waiting ReferenceNotReady",
    },
    {
      why: "the Branch is up, its Project is not",
      objects: [project({ state: "INACTIVE" }), branch()],
      spec: inBranch,
      is: "waiting ReferenceNotReady",
    },
    { why: "a project that no object manages", objects: [], spec: inUnmanaged, is: `${PROJECT} in ${PROJECT}` },
  ])("is $is: $why", ({ objects, spec, is }) => {
    expect(place(environmentWith(objects), spec)).toBe(is);
  });

  it("reaches no project of somebody else's by its ref, unless the connection allows it", () => {
    expect(place(environmentWith([], []), inUnmanaged)).toBe("terminal NotAllowed");
    expect(place(environmentWith([], [PROJECT]), inUnmanaged)).toBe(`${PROJECT} in ${PROJECT}`);
  });

  it("waits for the connection like everybody", () => {
    const environment = environmentWith([project()]);
    environment.sessions.drop("Connection/ns/default");
    expect(place(environment, inProject)).toBe("waiting ConnectionNotReady");
  });
});

describe("parentRefIfKnown", () => {
  it.each<{
    readonly spec: ChildSpec;
    readonly ref: string | undefined;
    readonly objects: readonly KubeObject[];
    readonly why: string;
  }>([
    { spec: inProject, objects: [project({ state: "INACTIVE" })], ref: PROJECT, why: "whatever its state" },
    { spec: inProject, objects: [], ref: undefined, why: "there is no Project" },
    { spec: inBranch, objects: [branch()], ref: BRANCH, why: "the branch's own" },
    { spec: inUnmanaged, objects: [], ref: PROJECT, why: "the spec says it" },
  ])("is $ref: $why", ({ spec, objects, ref }) => {
    expect(parentRefIfKnown(environmentWith(objects), "ns", spec)).toBe(ref);
  });
});

describe("childGroups", () => {
  const child = (spec: object): KubeObject => object("EdgeFunction", "hello", { spec });
  const source = { source: { inline: { files: { "index.ts": "x" } } } };

  it.each([
    { spec: { ...inProject, ...source }, group: "ns/shop", why: "its Project's" },
    { spec: { ...inBranch, ...source }, group: "ns/shop", why: "that of its Branch's Project" },
    { spec: { ...inUnmanaged, ...source }, group: PROJECT, why: "the ref of a project that no object manages" },
    { spec: { branchRef: { name: "gone" }, ...source }, group: "ns", why: "its Branch is not there" },
    { spec: {}, group: "ns/hello", why: "a spec that cannot be read takes turns alone" },
  ])("takes turns in $group: $why", ({ spec, group }) => {
    const environment = environmentWith([project(), branch()]);
    expect(childGroups(environment, environment.objects.functions)(child(spec))).toBe(group);
  });
});

describe("placeGone", () => {
  it("tells who wrote a ref which one to write, and leaves a managed place to its own object", () => {
    expect(placeGone(inUnmanaged)).toMatchObject({ code: "TERMINAL", message: expect.stringContaining(PROJECT) });
    expect(placeGone(inProject)).toMatchObject({ code: "WAITING", reason: "ReferenceNotReady" });
  });
});
