import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runOf, testEnvironment } from "../../../test/support/controllers/environment.ts";
import { type Keeping, startKeeping } from "../../../test/support/kube-server/keeping-client.ts";
import { edgeFunctionKind } from "../../resources/edge-function/kind.ts";
import type { ParentSpec } from "../../resources/references.ts";
import { type ParentVerdict, parentVerdict } from "./child-deletion.ts";

/** What a child's parent means for its deletion: `kubectl delete ns prod` takes neither the database nor what lives in it (engine.md §5). */

let kept: Keeping;

beforeEach(async () => {
  kept = await startKeeping();
});

afterEach(() => kept[Symbol.asyncDispose]());

const held = ["test/holds-it"];
const PROJECT = "projectprojectprojec";
const BRANCH = "branchbranchbranchbr";

interface Situation {
  /** the namespace is Terminating, or gone already */
  readonly namespace?: "terminating" | "gone";
  /** the definition of the child's kind is being deleted, and all objects of the kind with it */
  readonly withdrawn?: boolean;
  readonly project?:
    | {
        readonly policy: "Retain" | "Delete";
        readonly deleting?: boolean;
        readonly observed?: boolean;
        readonly ref?: string;
      }
    | "gone"
    | "unreadable";
  readonly branch?: { readonly spec?: object; readonly status?: object; readonly deleting?: boolean };
}

function projectSpec({ policy, observed = false }: { readonly policy: string; readonly observed?: boolean }): object {
  return { organization: "acme", deletionPolicy: policy, ...(observed ? { managementPolicy: "Observe" } : {}) };
}

function place({ namespace, withdrawn = false, project = { policy: "Delete" }, branch }: Situation): void {
  const { server } = kept;
  const ours = (kind: string, name: string): object => ({
    apiVersion: "baas.dev/v1alpha1",
    kind,
    metadata: { name, namespace: "ns", finalizers: held },
  });
  if (namespace !== "gone") {
    server.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "ns", finalizers: held } });
  }
  if (namespace === "terminating") server.delete("namespaces", "", "ns");
  if (withdrawn) server.withdraw("edgefunctions");
  if (project !== "gone") {
    const spec = project === "unreadable" ? {} : projectSpec(project);
    const status = typeof project === "object" ? { ref: project.ref ?? PROJECT } : {};
    server.put("projects", { ...(ours("Project", "shop") as Parameters<typeof server.put>[1]), spec, status });
    if (project !== "unreadable" && project.deleting === true) server.delete("projects", "ns", "shop");
  }
  if (branch !== undefined) {
    const spec = { projectRef: { name: "shop" }, ...branch.spec };
    const manifest = {
      ...(ours("Branch", "preview") as Parameters<typeof server.put>[1]),
      spec,
      status: { ref: BRANCH, parentRef: PROJECT, ...branch.status },
    };
    server.put("branches", manifest);
    if (branch.deleting === true) server.delete("branches", "ns", "preview");
  }
}

function verdict(spec: ParentSpec, ref?: string): Promise<ParentVerdict> {
  const environment = testEnvironment({ clock: kept.clock, kube: kept.kube });
  const metadata = { name: "hello", namespace: "ns", uid: "uid", resourceVersion: "1" };
  return parentVerdict(
    runOf(environment, edgeFunctionKind, { apiVersion: "baas.dev/v1alpha1", kind: "EdgeFunction", metadata }),
    { spec, ref },
  );
}

interface Case extends Situation {
  readonly why: string;
  readonly is: ParentVerdict;
}

describe("a child of a Project", () => {
  it.each<Case>([
    { why: "deleted alone, whatever its Project's policy", project: { policy: "Retain" }, is: "delete" },
    { why: "deleted with its Project", project: { policy: "Delete", deleting: true }, is: "delete" },
    { why: "its Project is let go and kept", project: { policy: "Retain", deleting: true }, is: "keep" },
    {
      why: "its namespace goes, and the project is kept",
      namespace: "terminating",
      project: { policy: "Retain" },
      is: "keep",
    },
    { why: "its definition goes, and the project is kept", withdrawn: true, project: { policy: "Retain" }, is: "keep" },
    {
      why: "its definition goes, and the project with it",
      withdrawn: true,
      project: { policy: "Delete" },
      is: "delete",
    },
    { why: "its definition goes, and its Project went first", withdrawn: true, project: "gone", is: "gone" },
    {
      why: "its namespace goes, and the project with it",
      namespace: "terminating",
      project: { policy: "Delete" },
      is: "delete",
    },
    {
      why: "its Project is let go, and only observed what is there",
      project: { policy: "Delete", observed: true, deleting: true },
      is: "keep",
    },
    {
      why: "its namespace goes, and the project is only observed",
      namespace: "terminating",
      project: { policy: "Delete", observed: true },
      is: "keep",
    },
    { why: "deleted alone from what is only observed", project: { policy: "Delete", observed: true }, is: "delete" },
    { why: "its namespace is gone already", namespace: "gone", project: { policy: "Retain" }, is: "keep" },
    { why: "its Project is gone, and what that meant for its children has been done", project: "gone", is: "gone" },
    {
      why: "its Project is gone, and another one has the name",
      project: { policy: "Delete", ref: "anotheranotheranothe" },
      is: "gone",
    },
    { why: "its namespace goes, and its Project went first", namespace: "terminating", project: "gone", is: "gone" },
    {
      why: "a Project that cannot be read is kept rather than not",
      namespace: "terminating",
      project: "unreadable",
      is: "keep",
    },
  ])("is to $is: $why", async ({ is, ...situation }) => {
    place(situation);
    expect(await verdict({ projectRef: { name: "shop" } }, PROJECT)).toBe(is);
  });
});

describe("a child of a Branch", () => {
  it.each<Case>([
    { why: "deleted alone", branch: {}, is: "delete" },
    { why: "deleted with its branch", branch: { deleting: true }, is: "delete" },
    {
      why: "its branch is let go and kept",
      branch: { spec: { deletionPolicy: "Retain" }, deleting: true },
      is: "keep",
    },
    {
      why: "a persistent branch is kept by default",
      branch: { spec: { persistent: true }, deleting: true },
      is: "keep",
    },
    {
      why: "also one that was made persistent on the platform",
      branch: { status: { persistent: true }, deleting: true },
      is: "keep",
    },
    {
      why: "the default branch goes only with its project",
      branch: { spec: { deletionPolicy: "Delete" }, status: { isDefault: true }, deleting: true },
      is: "keep",
    },
    {
      why: "its branch is let go, and only observed what is there",
      branch: { spec: { managementPolicy: "Observe" }, deleting: true },
      is: "keep",
    },
    {
      why: "its definition goes, and the Project of the branch is kept",
      withdrawn: true,
      branch: {},
      project: { policy: "Retain" },
      is: "keep",
    },
    {
      why: "the branch would go, but its Project is kept",
      branch: { deleting: true },
      project: { policy: "Retain", deleting: true },
      is: "keep",
    },
    {
      why: "the namespace goes, and the Project of the branch is kept",
      namespace: "terminating",
      branch: {},
      project: { policy: "Retain" },
      is: "keep",
    },
    { why: "the namespace goes, and all with it", namespace: "terminating", branch: {}, is: "delete" },
    {
      why: "a Branch that cannot be read is kept rather than not",
      branch: { spec: { projectRef: 7 }, deleting: true },
      is: "keep",
    },
    { why: "its branch is gone", is: "gone" },
    {
      why: "its branch is gone, and another one has the name",
      branch: { status: { ref: "anotheranotheranothe" } },
      is: "gone",
    },
    {
      why: "the Project of its branch is gone, and another one has the name",
      branch: {},
      project: { policy: "Delete", ref: "anotheranotheranothe" },
      is: "gone",
    },
  ])("is to $is: $why", async ({ is, ...situation }) => {
    place(situation);
    expect(await verdict({ branchRef: { name: "preview" } }, BRANCH)).toBe(is);
  });
});

describe("a child of a project that no object manages", () => {
  it.each<Case>([
    { why: "deleted alone", is: "delete" },
    {
      why: "its namespace goes: nobody said that the project's part of it should",
      namespace: "terminating",
      is: "keep",
    },
  ])("is to $is: $why", async ({ is, ...situation }) => {
    place(situation);
    expect(await verdict({ projectRef: { ref: "projectprojectprojec" } })).toBe(is);
  });
});
