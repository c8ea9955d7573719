import { annotations, isPaused } from "../../resources/annotations.ts";
import type { Reason } from "../../resources/conditions.ts";
import type { Condition, KubeObject } from "../../resources/meta.ts";
import type { ConnectionKind } from "../../resources/policies.ts";
import { type ParentSpec, parentOf } from "../../resources/references.ts";
import type { BranchObject, Environment, ProjectObject } from "../environment.ts";
import { ancestors } from "./ancestors.ts";
import { findCondition } from "./conditions.ts";
import { requireAllowedRef, sessionFor } from "./connection-lookup.ts";
import { waitingForObject } from "./failures.ts";
import { followedBy } from "./followed-by.ts";
import type { ObjectStore } from "./object-store.ts";
import { objectNameOf } from "./ownership.ts";
import { isUp } from "./project-states.ts";
import { isElsewhere, type Session } from "./sessions.ts";

/** What a child says of where it lives. */
export interface ChildSpec extends ParentSpec {
  readonly connectionRef?: { readonly kind: ConnectionKind; readonly name: string } | undefined;
}

/** Where a child lives: reachable and up. */
export interface ParentPlace {
  readonly session: Session;
  /** ref of the project or branch that the child's calls address */
  readonly ref: string;
  /** ref of the project that the place belongs to; the same as `ref` but for a branch */
  readonly projectRef: string;
}

/** Reasons for which nothing may be written to a project or branch or its children (engine.md §4). */
const NO_WRITES: ReadonlySet<string> = new Set<Reason>([
  "RemoteMissing",
  "OwnedElsewhere",
  "Conflict",
  "CredentialChanged",
  "ReferenceNotFound", // of a Branch, whose project the token does not read
]);

/** Why nothing may be written to what lives in an object, as its conditions say; undefined where it may. Pure. */
export function standstill(conditions: readonly Condition[] | undefined): string | undefined {
  const stalled = findCondition(conditions, "Stalled");
  return stalled?.status === "True" && NO_WRITES.has(stalled.reason) ? stalled.reason : undefined;
}

/**
 * Where a child lives, once that is up.
 *
 * @throws WaitingError ReferenceNotFound, ReferenceNotReady or ParentStalled, and as `sessionFor`; each is woken by the parent's change
 */
export function parentPlace(environment: Environment, namespace: string, spec: ChildSpec): ParentPlace {
  const parent = parentOf(spec);
  switch (parent.kind) {
    case "Project":
      return projectPlace(environment, namespace, parent.name);
    case "Branch":
      return branchPlace(environment, namespace, parent.name);
    case "UnmanagedProject": {
      const session = sessionFor(environment, { namespace, connectionRef: spec.connectionRef });
      requireAllowedRef(session, parent.ref);
      return { session, ref: parent.ref, projectRef: parent.ref };
    }
    default:
      return parent satisfies never;
  }
}

/** Whether the Project that a child lives in is known to have lost its project for good: it says RemoteMissing, and no state any more (project/missing.ts). */
export function projectIsGone(environment: Environment, namespace: string, spec: ParentSpec): boolean {
  const [parent] = ancestors(environment, namespace, spec);
  if (parent.kind !== "Project") return false;
  const { conditions, state } = parent.object?.status ?? {};
  return standstill(conditions) === ("RemoteMissing" satisfies Reason) && state === undefined;
}

function requireLive(kind: "Project" | "Branch", object: ProjectObject | BranchObject): string {
  const { name, deletionTimestamp } = object.metadata;
  const { conditions, ref } = object.status;
  if (deletionTimestamp !== undefined) {
    throw waitingForObject("ReferenceNotReady", `the ${kind} ${name} is being deleted`);
  }
  const why = standstill(conditions);
  if (why !== undefined) {
    throw waitingForObject("ParentStalled", `the ${kind} ${name} cannot go on (${why}): see its conditions`);
  }
  if (ref === undefined || object.status.recordedFor !== object.metadata.uid) {
    throw waitingForObject("ReferenceNotReady", `the ${kind} ${name} is not known to exist remotely yet`);
  }
  return ref;
}

function projectPlace(environment: Environment, namespace: string, name: string): ParentPlace {
  const project = environment.objects.projects.get(namespace, name);
  if (project === undefined) {
    throw waitingForObject("ReferenceNotFound", `there is no Project ${name} in this namespace`);
  }
  const ref = requireLive("Project", project);
  const { state } = project.status;
  if (state === undefined || !isUp(state)) {
    throw waitingForObject("ReferenceNotReady", `the Project ${name} is ${state ?? "not up yet"}`);
  }
  const session = sessionFor(environment, { namespace, connectionRef: project.spec.connectionRef });
  // What has its ref there may be another one's: the Project itself looks first.
  if (isElsewhere(project.status.connection, session)) {
    const message = `the Project ${name} has not gone over to the platform of its connection yet`;
    // Nothing goes on by itself before somebody takes that away.
    const held = isPaused(project.metadata) ? `it is paused: remove its annotation ${annotations.paused}` : undefined;
    throw waitingForObject("ReferenceNotReady", held === undefined ? message : followedBy(message, held));
  }
  return { session, ref, projectRef: ref };
}

function branchPlace(environment: Environment, namespace: string, name: string): ParentPlace {
  const branch = environment.objects.branches.get(namespace, name);
  if (branch === undefined) throw waitingForObject("ReferenceNotFound", `there is no Branch ${name} in this namespace`);
  const ref = requireLive("Branch", branch);
  const { projectState } = branch.status;
  if (projectState === undefined || !isUp(projectState)) {
    throw waitingForObject("ReferenceNotReady", `the Branch ${name} is ${projectState ?? "not up yet"}`);
  }
  const { session, ref: projectRef } = parentPlace(environment, namespace, branch.spec);
  return { session, ref, projectRef };
}

/**
 * The ref of the place that a child names, as far as it is known without asking: to find who claims the same remote thing. Undefined while the
 * parent has none.
 */
export function parentRefIfKnown(environment: Environment, namespace: string, spec: ChildSpec): string | undefined {
  const [parent] = ancestors(environment, namespace, spec);
  return parent.kind === "UnmanagedProject" ? parent.ref : parent.object?.status.ref;
}

/** The group whose turns an object of a kind of children takes; one whose spec cannot be read takes turns alone. */
export function childGroups<Spec extends ChildSpec>(
  environment: Environment,
  store: Pick<ObjectStore<Spec, unknown>, "parse">,
): (object: KubeObject) => string {
  return (object) => {
    const parsed = store.parse(object);
    const { namespace = "" } = object.metadata;
    return parsed.ok ? groupOfChild(environment, namespace, parsed.object.spec) : objectNameOf(object.metadata);
  };
}

/** Its Project's group (engine.md §1); the ref of a project that no object manages; the namespace while its Branch is not there. */
function groupOfChild(environment: Environment, namespace: string, spec: ChildSpec): string {
  const project = ancestors(environment, namespace, spec).find((one) => one.kind !== "Branch");
  if (project === undefined) return namespace;
  return project.kind === "Project" ? `${namespace}/${project.name}` : project.ref;
}
