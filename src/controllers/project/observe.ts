import type { ProjectDetail } from "../../api/contract/projects.ts";
import { unlessGone } from "../shared/failures.ts";
import type { Run } from "../shared/run.ts";
import type { Session } from "../shared/sessions.ts";
import type { CommonStatus } from "../shared/status-draft.ts";

/** The project, or undefined when the platform says that there is none. */
export function readProject<Status extends CommonStatus>(
  run: Run<Status>,
  session: Session,
  ref: string,
): Promise<ProjectDetail | undefined> {
  return unlessGone("read the project", () => session.client.projects.get({ ref }, run.call));
}
