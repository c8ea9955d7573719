import type { DeepReadonly } from "../../resources/kind.ts";
import type { ProjectStatus } from "../../resources/project/status.ts";
import type { ProjectObject } from "../environment.ts";
import type { EffectivePolicies } from "../shared/policies.ts";
import type { Run } from "../shared/run.ts";
import type { Session } from "../shared/sessions.ts";

/** A run of a Project. */
export type ProjectRun = Run<DeepReadonly<ProjectStatus>>;

/** What the steps of one run share. */
export interface ProjectContext {
  readonly object: ProjectObject;
  readonly session: Session;
  readonly policies: EffectivePolicies;
  /** the declared name */
  readonly name: string;
}
