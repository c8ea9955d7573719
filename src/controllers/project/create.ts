import type { OrgProjectItem } from "../../api/contract/organizations.ts";
import type { Project } from "../../api/contract/projects.ts";
import { isApiError } from "../../api/errors.ts";
import type { Intent } from "../../resources/status.ts";
import type { ProjectObject } from "../environment.ts";
import { REF_INDEX } from "../indexes.ts";
import { attempt } from "../shared/attempt.ts";
import { createdSince, createOnce, type CreateOnceResult, fingerprintOf, mayHaveMade } from "../shared/create-once.ts";
import { ownIntent } from "../shared/doubt.ts";
import { declaredIn, nameFrom } from "../shared/asked-for-by.ts";
import { calling, explain, terminal } from "../shared/failures.ts";
import { findIntended } from "../shared/find-intended.ts";
import { isOthers } from "../shared/ownership.ts";
import { isHidden } from "../shared/readable.ts";
import { noteFound, requireAbsence } from "../shared/require-absence.ts";
import { nameOf, type Sought } from "../shared/sought.ts";
import { summarizeCreating } from "../shared/ready.ts";
import { connectionInUse, type Session } from "../shared/sessions.ts";
import { createdWith, aboutToCreateWith, passwordForCreate, type PasswordRecord } from "./password.ts";
import { CREATE_DEADLINE_MS, requireProjectName } from "./claimants.ts";
import type { ProjectRun } from "./context.ts";

interface FoundProject {
  readonly ref: string;
  readonly region: string;
  readonly createdMs: number | undefined;
  readonly others: boolean;
}

/** How an object came to its project. */
export type CreatedProject =
  | { readonly ref: string; readonly how: "created" | "recovered" }
  | { readonly ref: string; readonly how: "adopted"; readonly region: string };

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

/** What an object asked for before. */
interface FormerName {
  /** as the intent has it */
  readonly former: string;
  readonly isOver: boolean;
  /** the organization that is asked for now */
  readonly organization: string;
}

/**
 * As `projectsNamed`. An organization that the spec names no more, and that the token does not read for a minute, keeps nobody once nothing can arrive there
 * any more: what may be there is told of.
 */
async function projectsNamedBefore(
  run: ProjectRun,
  session: Session,
  { former, isOver, organization }: FormerName,
): Promise<readonly FoundProject[]> {
  const placed = placeOfName(former);
  const sought = { kind: "intended", what: "project", name: former } as const;
  const looked = await attempt(() => projectsNamed(run, session, placed));
  if (looked.ok) {
    noteFound(run, sought); // the token reads where it would be
    return looked.value;
  }
  const { failure } = looked;
  if (placed.organization === organization || !isHidden(failure)) throw failure;
  if (!isOver) return []; // it is waited for like any other
  requireAbsence(run, sought, "end");
  noteFound(run, sought); // nobody looks for it any more
  tellGivenUp(run, sought);
  return [];
}

/** Somebody who reads that organization may have to see to it. */
function tellGivenUp({ environment, raw: regarding, log }: ProjectRun, sought: Sought): void {
  const remote = nameOf(sought);
  const note = `the request for ${remote} got no answer, and the token does not read its organization: if it was made, it stays there`;
  environment.events.event({ regarding, type: "Warning", reason: "Released", action: "Reconcile", note });
  log.warn({ remote }, "what a request made that got no answer, if it did, stays where the token does not read");
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
  { ref, region, inserted_at: insertedAt }: OrgProjectItem,
): Promise<FoundProject> {
  const time =
    insertedAt ?? (await calling("read the project", () => session.client.projects.get({ ref }, run.call))).created_at;
  const createdMs = Date.parse(time);
  const { uid } = run.raw.metadata;
  const others = isOthers(run.environment.objects.projects.recordsByIndex(REF_INDEX, ref), { uid, ref, session });
  return { ref, region, createdMs: Number.isNaN(createdMs) ? undefined : createdMs, others };
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

/** What gives it its members: paths in the object. A password that is generated is nobody's choice. */
function fieldsOf({ spec }: ProjectObject): readonly string[] {
  const chosen = declaredIn(spec, ["organization", "region", "instanceSize", "highAvailability", "templateUrl"]);
  return [
    nameFrom(spec, "name"),
    ...chosen,
    ...(spec.databasePassword?.secretKeyRef === undefined ? [] : ["spec.databasePassword"]),
  ];
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
  const asking = (): Promise<AskedCreation> => ask(run, { object, session, name });
  const { result, record } = await calling("create the project", asking, fieldsOf(object));
  switch (result.kind) {
    case "created":
      if (record !== undefined) run.status.update({ databasePassword: record });
      return { ref: result.value.ref, how: "created" };
    case "recovered":
      return { ref: result.found.ref, how: "recovered" };
    case "adopted":
      // The password of one that it takes the place of is not known to be this one's.
      run.status.update({ databasePassword: undefined });
      return { ref: result.found.ref, how: "adopted", region: result.found.region };
    default:
      return result satisfies never;
  }
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
  const { databasePassword: passwordBefore } = run.status.current;
  let record: PasswordRecord | undefined;
  let databasePassword: PasswordRecord | undefined;
  const result = await createOnce<FoundProject, Project>({
    uid: object.metadata.uid,
    name: `${organization}/${name}`,
    fingerprint: fingerprintOf(wanted),
    intent: run.status.current.intent,
    uniqueNames: true,
    requestDeadlineMs: CREATE_DEADLINE_MS,
    adopt: object.spec.adoptionPolicy === "IfNameMatches",
    serverNow: () => client.serverNow() ?? run.environment.clock.now(),
    requireName: () => requireProjectName(run, object, session, name),
    lookup: () => projectsNamed(run, session, { organization, name }),
    lookupFormer: (former, isOver) => projectsNamedBefore(run, session, { former, isOver, organization }),
    recordIntent: (intent) =>
      run.lockStatus(() => {
        run.status.update({ intent, databasePassword, connection: connectionInUse(session) });
        summarizeCreating(run.status, `creating the project ${name} in ${organization}`);
      }),
    restoreIntent: (intent) =>
      run.status.update({ intent, databasePassword: intent === undefined ? undefined : passwordBefore }),
    create: async (beforeSending) => {
      const password = await passwordForCreate(run, object);
      record = await createdWith(run, password);
      databasePassword = await aboutToCreateWith(run, { password, record }, ownIntent(run) !== undefined);
      const body = { ...wanted, db_pass: password.secret.value };
      return client.projects.create({ body }, { ...run.call, deadlineMs: CREATE_DEADLINE_MS, beforeSending });
    },
    provesNoEffect: (error) => isApiError(error) && error.effect === "none",
    saysNameTaken: (error) => isApiError(error, "CONFLICT"),
    conflictMessage: () =>
      `the organization ${organization} has a project named ${name} already, which this object did not create: ` +
      "choose another spec.name, or set spec.ref or adoptionPolicy: IfNameMatches to take it over",
  });
  return { result, record };
}

/**
 * The project that an intent made, as one look finds it.
 *
 * @param of.besides ref of one that it is known not to be
 * @returns "perhaps" where something has the name that it may have made
 */
export async function projectMadeBy(
  run: ProjectRun,
  session: Session,
  { intent, besides }: { readonly intent: Intent; readonly besides: string | undefined },
): Promise<FoundProject | "perhaps" | undefined> {
  const nowMs = session.client.serverNow() ?? run.environment.clock.now();
  const found = await projectsNamed(run, session, placeOfName(intent.name));
  const others = found.filter(({ ref }) => ref !== besides);
  const made = createdSince(intent, found, CREATE_DEADLINE_MS);
  return made === undefined && mayHaveMade(intent, others, nowMs) ? "perhaps" : made;
}

/** The project that an intent made, if it did. Returns and throws as `findIntended`. */
export async function intendedProject(
  run: ProjectRun,
  session: Session,
  { intent, sought }: { readonly intent: Intent; readonly sought: Sought },
): Promise<FoundProject | "released" | undefined> {
  const nowMs = session.client.serverNow() ?? run.environment.clock.now();
  const look = (): Promise<readonly FoundProject[]> => projectsNamed(run, session, placeOfName(intent.name));
  return findIntended(run, { intent, sought, requestDeadlineMs: CREATE_DEADLINE_MS, nowMs, look });
}
