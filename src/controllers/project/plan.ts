import type { ProjectDetail } from "../../api/contract/projects.ts";
import type { PlannedChange } from "../shared/drift.ts";
import { isUp } from "../shared/project-states.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import type { ProjectSpec } from "../../resources/project/spec.ts";

/** What a Project declares and what there is. */
export interface ProjectPlanInput {
  /** the declared name; undefined leaves it as it is, metadata.name being only what a project is created with */
  readonly name: string | undefined;
  readonly state: DeepReadonly<ProjectSpec>["state"];
  readonly remote: Pick<ProjectDetail, "name" | "status">;
  /** whether the password's Secret holds something else than was last sent */
  readonly passwordChanged: boolean;
}

/** One request that brings the project closer to what is declared. */
export type ProjectChange = PlannedChange &
  (
    | { readonly kind: "rename"; readonly name: string }
    | { readonly kind: "setPassword" }
    | { readonly kind: "pause" }
    | { readonly kind: "resume" }
  );

/**
 * The requests that are due, in the order in which they are made. Pure.
 *
 * Only declared fields are compared (engine.md §6). While the project moves from one state to another nothing but its name is written:
 * a pause under way is waited out and not turned round (K-03).
 */
export function planProject(input: ProjectPlanInput): readonly ProjectChange[] {
  const { name, state, remote, passwordChanged } = input;
  const changes: ProjectChange[] = [];
  if (name !== undefined && remote.name !== name) {
    changes.push({ kind: "rename", field: "spec.name", name, cause: "declared", difference: `${remote.name} ${name}` });
  }
  if (passwordChanged && isUp(remote.status)) {
    const edited = { cause: "edit", difference: "", remembered: true } as const;
    changes.push({ kind: "setPassword", field: "spec.databasePassword", ...edited });
  }
  if (state === "Paused" && isUp(remote.status)) {
    changes.push({ kind: "pause", field: "spec.state", cause: "declared", difference: remote.status });
  }
  if (state === "Running" && remote.status === "INACTIVE") {
    changes.push({ kind: "resume", field: "spec.state", cause: "declared", difference: remote.status });
  }
  return changes;
}

/**
 * Whether the declared state cannot be asked for yet, since the project is on its way elsewhere: the spec is then not in force, and what is still
 * to be done is no drift. Pure.
 */
export function awaitsState({ state, remote: { status } }: Pick<ProjectPlanInput, "state" | "remote">): boolean {
  switch (state) {
    case "Running":
      return status === "PAUSING";
    case "Paused":
      return !isUp(status) && status !== "PAUSING" && status !== "INACTIVE";
    case undefined:
      return false;
    default:
      return state satisfies never;
  }
}
