import type { OrgProjectItem } from "../../api/contract/organizations.ts";
import type { Project } from "../../api/contract/projects.ts";
import { isApiError } from "../../api/errors.ts";
import type { Intent } from "../../resources/status.ts";
import type { ProjectObject } from "../environment.ts";
import { createdSince, createOnce, type CreateOnceResult, fingerprintOf, inDoubtForMs } from "../shared/create-once.ts";
import { deletingForMs } from "../shared/deletion.ts";
import { calling, explain, terminal, waiting } from "../shared/failures.ts";
import { pollDelayMs } from "../shared/polling.ts";
import { noteFound, noteMissed, requireAbsence } from "../shared/require-absence.ts";
import type { Sought } from "../shared/sought.ts";
import { summarizeCreating } from "../shared/ready.ts";
import { connectionInUse, type Session } from "../shared/sessions.ts";
import { createdWith, aboutToCreateWith, passwordForCreate, type PasswordRecord } from "./password.ts";
import { CREATE_DEADLINE_MS, isOthers, requireProjectName } from "./claimants.ts";
import type { ProjectRun } from "./context.ts";

interface FoundProject {
  readonly ref: string;
  readonly createdMs: number | undefined;
  readonly others: boolean;
}

/** How an object came to its project. */
export interface CreatedProject {
  readonly ref: string;
  readonly how: "created" | "recovered" | "adopted";
}

interface PlacedName {
  readonly organization: string;
  readonly name: string;
}

/** An intent's name taken apart again; a slug holds no slash. */
function placeOfName(text: string): PlacedName {
  const at = text.indexOf("/");
  return { organization: text.slice(0, at), name: text.slice(at + 1) };
}

/** Every project of the organization with exactly that name; `search` is the platform's own, perhaps by parts. Always live. */
async function projectsNamed(
  run: ProjectRun,
  session: Session,
  { organization, name }: PlacedName,
): Promise<readonly FoundProject[]> {
  const { client } = session;
  const matches: OrgProjectItem[] = [];
  try {
    for await (const item of client.organizations.listProjects.each({ slug: organization, search: name }, run.call)) {
      if (item.name === name && !item.is_branch) matches.push(item);
    }
  } catch (error) {
    throw isApiError(error, "GONE")
      ? unknownOrganization(organization, error)
      : explain(error, "look the project up by name");
  }
  return Promise.all(matches.map((item) => withCreationTime(run, session, item)));
}

/** A slug that nobody knows, in the platform's words; often the organization's id or display name was written (K-05). */
function unknownOrganization(organization: string, error: Error): Error {
  return terminal(
    "InvalidSpec",
    `spec.organization: the token reads no organization with the slug ${organization} (${error.message}): ` +
      "write the slug as in the organization's URL, neither its id nor its display name",
    { cause: error, recheckAfterMs: 600_000 },
  );
}

async function withCreationTime(
  run: ProjectRun,
  session: Session,
  { ref, inserted_at: insertedAt }: OrgProjectItem,
): Promise<FoundProject> {
  const time =
    insertedAt ?? (await calling("read the project", () => session.client.projects.get({ ref }, run.call))).created_at;
  const createdMs = Date.parse(time);
  return { ref, createdMs: Number.isNaN(createdMs) ? undefined : createdMs, others: isOthers(run, session, ref) };
}

type CreateBody = Parameters<Session["client"]["projects"]["create"]>[0]["body"];

/** What is asked for, without its secret. */
function bodyOf({ spec }: ProjectObject, name: string): Omit<CreateBody, "db_pass"> {
  const { region, instanceSize, highAvailability, templateUrl } = spec;
  return {
    name,
    organization_slug: spec.organization,
    ...(region?.code === undefined ? {} : { region_selection: { type: "specific", code: region.code } }),
    ...(region?.group === undefined ? {} : { region_selection: { type: "smartGroup", code: region.group } }),
    ...(instanceSize === undefined ? {} : { desired_instance_size: instanceSize }),
    ...(highAvailability === undefined ? {} : { high_availability: highAvailability }),
    ...(templateUrl === undefined ? {} : { template_url: templateUrl }),
  };
}

/**
 * Creates the project exactly once (create-once.ts), with the password stored in its Secret, and a keyed hash of it in the status, right before the
 * request: one that is found later has what the status says.
 */
export async function createProject(
  run: ProjectRun,
  object: ProjectObject,
  session: Session,
  name: string,
): Promise<CreatedProject> {
  const { result, record } = await calling("create the project", () => ask(run, { object, session, name }));
  switch (result.kind) {
    case "created":
      if (record !== undefined) run.status.update({ databasePassword: record });
      return { ref: result.value.ref, how: "created" };
    case "recovered":
      return { ref: result.found.ref, how: "recovered" };
    case "adopted":
      // The password of one that it takes the place of is not known to be this one's.
      run.status.update({ databasePassword: undefined });
      return { ref: result.found.ref, how: "adopted" };
    default:
      return result satisfies never;
  }
}

/** Whether an earlier request of this very object may have made the project. */
export function mayHaveCreated({ metadata, status }: ProjectObject): boolean {
  return status.intent?.uid === metadata.uid;
}

interface WantedProject {
  readonly object: ProjectObject;
  readonly session: Session;
  readonly name: string;
}

interface AskedCreation {
  readonly result: CreateOnceResult<FoundProject, Project>;
  /** of the password that the request was sent with, if one was */
  readonly record: PasswordRecord | undefined;
}

async function ask(run: ProjectRun, { object, session, name }: WantedProject): Promise<AskedCreation> {
  const { organization } = object.spec;
  const { client } = session;
  const wanted = bodyOf(object, name);
  let record: PasswordRecord | undefined;
  let databasePassword: PasswordRecord | undefined;
  const result = await createOnce<FoundProject, Project>({
    uid: object.metadata.uid,
    name: `${organization}/${name}`,
    fingerprint: fingerprintOf(wanted),
    intent: object.status.intent,
    uniqueNames: true,
    requestDeadlineMs: CREATE_DEADLINE_MS,
    adopt: object.spec.adoptionPolicy === "IfNameMatches",
    serverNow: () => client.serverNow() ?? run.environment.clock.now(),
    requireName: () => requireProjectName(run, object, session, name),
    lookup: (placed) => projectsNamed(run, session, placeOfName(placed)),
    recordIntent: (intent) =>
      run.lockStatus(() => {
        run.status.update({ intent, databasePassword, connection: connectionInUse(session) });
        summarizeCreating(run.status, `creating the project ${name} in ${organization}`);
      }),
    clearIntent: () => run.status.update({ intent: undefined, databasePassword: undefined }),
    create: async (beforeSending) => {
      const password = await passwordForCreate(run, object);
      record = await createdWith(run, password);
      databasePassword = await aboutToCreateWith(run, { password, record }, mayHaveCreated(object));
      const body = { ...wanted, db_pass: password.secret.value };
      return client.projects.create({ body }, { ...run.call, deadlineMs: CREATE_DEADLINE_MS, beforeSending });
    },
    provesNoEffect: (error) => isApiError(error) && error.effect === "none",
    saysNameTaken: (error) => isApiError(error, "CONFLICT"),
    conflictMessage:
      `the organization ${organization} has a project named ${name} already, which this object did not create: ` +
      "choose another spec.name, or set spec.ref or adoptionPolicy: IfNameMatches to take it over",
  });
  return { result, record };
}

/**
 * The project that an intent made, if it did: what is to be deleted when the answer was lost and the object deleted.
 *
 * @throws WaitingError ConfirmingAbsence while the request for it may still take effect; as `requireAbsence`
 */
export async function findIntended(run: ProjectRun, intent: Intent, session: Session): Promise<string | undefined> {
  const sought: Sought = { kind: "intended", what: "project", name: intent.name };
  const found = createdSince(intent, await projectsNamed(run, session, placeOfName(intent.name)), CREATE_DEADLINE_MS);
  if (found !== undefined) {
    noteFound(run, sought);
    return found.ref;
  }
  noteMissed(run, sought); // from the first look on, also while it is in doubt
  const nowMs = session.client.serverNow() ?? run.environment.clock.now();
  const doubtMs = inDoubtForMs(intent, CREATE_DEADLINE_MS, nowMs);
  if (doubtMs <= 0) {
    requireAbsence(run, sought, "letGo");
    return undefined;
  }
  const message = "a create request got no answer: waiting until it is certain that nothing was created";
  throw waiting("ConfirmingAbsence", message, Math.min(doubtMs, pollDelayMs(deletingForMs(run))));
}
