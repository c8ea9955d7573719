import type { ProjectDetail } from "../../api/contract/projects.ts";
import { awaited, known, type Finding, withheld } from "../outputs/looked.ts";
import { publishOutputs } from "../outputs/publish.ts";
import type { Login } from "../outputs/values.ts";
import { readSecret, textOf } from "../shared/core-objects.ts";
import { driftIntervalMs } from "../shared/policies.ts";
import { isUp } from "../shared/project-states.ts";
import type { ProjectContext, ProjectRun } from "./context.ts";

/** Port and user of the database of every project, as those of its branches tell them. */
const PORT = 5432;
const USERNAME = "postgres";

/** A project as it is now. */
interface FoundProject {
  readonly remote: ProjectDetail;
  /** it is known to be well */
  readonly isWell: boolean;
}

/**
 * The outputs of a project that is up, well or not; one that is paused serves nothing, so that they stay as they are.
 *
 * @returns how the run is to end because of them; undefined: nothing is left to do
 */
export async function publishProject(
  run: ProjectRun,
  { object, session, policies }: ProjectContext,
  { remote, isWell }: FoundProject,
): Promise<Error | undefined> {
  const { ref, status: state, database, created_at: createdAt } = remote;
  if (!isUp(state)) {
    run.status.underway(undefined);
    return undefined;
  }
  return publishOutputs(run, object, {
    session,
    ref,
    createdAt,
    host: database === undefined ? awaited("the platform names no host of the database yet") : known(database.host),
    login: async ({ password }) =>
      known<Login>({ port: PORT, username: USERNAME, password: await passwordOf(run, { wanted: password }) }),
    driftIntervalMs: driftIntervalMs(policies),
    isUnwell: !isWell,
  });
}

/** The password, where this object set it and it still lies where it was taken from: the platform shows it to nobody. */
async function passwordOf(run: ProjectRun, { wanted }: { readonly wanted: boolean }): Promise<Finding<string>> {
  const { environment, key: object, signal, status } = run;
  const { databasePassword: noted } = status.current;
  if (!wanted || noted?.sent === undefined) {
    const why =
      noted === undefined
        ? "this object did not set the database password"
        : "no answer told whether the database password that was sent last is in force, and a declared one is sent again";
    return withheld(
      "PasswordUnknown",
      `${why}: name a Secret in spec.databasePassword.secretKeyRef to have its password set`,
    );
  }
  const { secretName: name, key, sent } = noted;
  const secret = await readSecret(environment.kube, { namespace: object.namespace, name }, signal);
  const bytes = secret?.data[key];
  const value = bytes === undefined ? undefined : textOf(bytes);
  if (secret === undefined || value === undefined) {
    const why = `the database password is not in the Secret ${name} any more`;
    const advice = "put it back, or name another one in spec.databasePassword.secretKeyRef to have its password set";
    return withheld("PasswordUnknown", `${why}: ${advice}`);
  }
  const { uid, resourceVersion } = secret.metadata;
  const verdict = await environment.keyRing.compare(sent, { value, uid, resourceVersion }, signal);
  if (verdict.kind !== "changed") return known(value);
  const why = `the key ${key} of the Secret ${name} is not the database password that was set`;
  // What was generated is sent once, as the project is created: nothing else tells somebody who edits it.
  const advice = `to have it set, write spec.databasePassword.secretKeyRef.name: ${name}`;
  return withheld("PasswordUnknown", noted.generated ? `${why}: ${advice}` : why);
}
