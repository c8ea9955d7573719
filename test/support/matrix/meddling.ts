import { annotations, formatOwnership, parseOwnership } from "../../../src/resources/annotations.ts";
import { isKubeError } from "../../../src/kube/errors.ts";
import type { KubeClient, ObjectDraft } from "../../../src/kube/client.ts";
import { branchKind } from "../../../src/resources/branch/kind.ts";
import { edgeFunctionKind } from "../../../src/resources/edge-function/kind.ts";
import type { KubeObject } from "../../../src/resources/meta.ts";
import { projectKind } from "../../../src/resources/project/kind.ts";
import { secretKind } from "../../../src/resources/secret/kind.ts";
import type { Family, Member, Stage } from "./family.ts";

/** What people and backups do to an object at an unlucky moment. */

/** A request of a stage, by its name. */
interface InStage {
  readonly stage: Stage;
  readonly label: string;
}

/** In these a family has no children. */
const CHILDLESS: ReadonlySet<Stage> = new Set(["found", "remove"]);

/** Which object a request was made for; what is the connection's counts for the Project. */
export function memberOf({ members }: Family, { stage, label }: InStage): Member {
  const kinds = [
    { type: branchKind.type, words: /branches|postgrest|preview-connection/u },
    { type: edgeFunctionKind.type, words: /functions|ARTIFACT/u },
    { type: secretKind.type, words: /\/secrets|secrets\/values/u },
  ];
  const { type: named } = kinds.find(({ words }) => words.test(label)) ?? projectKind;
  const type = CHILDLESS.has(stage) ? projectKind.type : named;
  const member = members.find((one) => one.type === type);
  if (member === undefined) throw new RangeError(`no object for ${label}`);
  return member;
}

/**
 * Whose run waits for the answer to a request; undefined where that is not certain: what is read of the platform is shared by several, and an object is
 * read by what lives in it, too.
 */
export function runOf(family: Family, { stage, label }: InStage): Member | undefined {
  const [, plural, name] = /^(?:POST|PUT|PATCH|DELETE) baas\.dev\/([a-z]+)\/([^/]+)/u.exec(label) ?? [];
  if (plural !== undefined) {
    return family.members.find(({ type, name: own }) => type.plural === plural && (name === own || name === "ITS"));
  }
  return /^(?:POST|PUT|PATCH|DELETE) \/v1\//u.test(label) ? memberOf(family, { stage, label }) : undefined;
}

/** The object as it is; undefined where it is gone. */
async function find(kube: KubeClient, { namespace }: Family, { type, name }: Member): Promise<KubeObject | undefined> {
  try {
    return await kube.get(type, { namespace, name });
  } catch (error) {
    if (isKubeError(error, "NotFound")) return undefined;
    throw error;
  }
}

/** What of an object a manifest of it has. */
function manifestOf({ apiVersion, kind, metadata, ...rest }: KubeObject, name: string): ObjectDraft {
  const { namespace = "", annotations: noted = {} } = metadata;
  const { status: _status, ...spec } = rest as { readonly status?: unknown };
  return { apiVersion, kind, metadata: { name, namespace, annotations: noted }, ...spec };
}

export const COPY_SUFFIX = "-copy";

/** Applies the object's own manifest again under another name, annotations and all. */
export async function copy(kube: KubeClient, family: Family, member: Member): Promise<void> {
  const object = await find(kube, family, member);
  if (object === undefined) return;
  await kube.create(member.type, manifestOf(object, `${member.name}${COPY_SUFFIX}`));
}

/** What a restore brings back of the operator's record. */
export type Backup = "status gone" | "both gone" | "other cluster";

/** Loses the object and brings it back as a backup does: another uid, no status. Nothing where it was not there. */
export async function restore(
  kube: KubeClient,
  family: Family,
  { member, backup }: { member: Member; backup: Backup },
) {
  const object = await find(kube, family, member);
  if (object === undefined) return;
  await lose(kube, family, member);
  const { metadata, ...manifest } = manifestOf(object, member.name);
  const noted = backup === "both gone" ? {} : restored(object.metadata.annotations ?? {}, backup);
  await kube.create(member.type, {
    ...manifest,
    metadata: { ...metadata, annotations: noted, finalizers: object.metadata.finalizers ?? [] },
  });
}

/** The object is no more, without a moment in which it is being deleted, and although an operator that lives puts its finalizer back. */
async function lose(kube: KubeClient, { namespace }: Family, { type, name }: Member): Promise<void> {
  const id = { namespace, name };
  for (;;) {
    const { metadata } = await kube.patchMerge(type, id, { metadata: { finalizers: null } });
    const { uid, resourceVersion } = metadata;
    const lost = await kube.delete(type, id, { preconditions: { uid, resourceVersion } }).catch((error: unknown) => {
      if (isKubeError(error, "Conflict")) return undefined;
      throw error;
    });
    if (lost !== undefined) return;
  }
}

/** A second cluster has another kube-system: the record then names a cluster that this one is not. */
function restored(noted: Readonly<Record<string, string>>, backup: Backup): Readonly<Record<string, string>> {
  const record = parseOwnership(noted[annotations.ref] ?? "");
  if (record === undefined || backup !== "other cluster") return noted;
  return { ...noted, [annotations.ref]: formatOwnership({ ...record, cluster: "another-cluster" }) };
}

/** Lets an object take over what is there by its name. */
export async function adopt(kube: KubeClient, { namespace }: Family, { type, name }: Member, ref: string | undefined) {
  const spec = { adoptionPolicy: "IfNameMatches", ...(ref === undefined ? {} : { ref }) };
  await kube.patchMerge(type, { namespace, name }, { spec });
}

/** An object that its last finalizer was just taken from is gone, and nobody can edit it any more. */
export async function unlessGone(edit: Promise<void>): Promise<void> {
  try {
    await edit;
  } catch (error) {
    if (!isKubeError(error, "NotFound")) throw error;
  }
}

/** Asks for a look at every object, as drift checks do when their time comes. */
export async function askForLook(kube: KubeClient, family: Family, kinds: ReadonlyMap<string, unknown>) {
  const mark = newMark();
  for (const member of family.members.filter(({ type }) => kinds.has(type.kind))) {
    await markForLook(kube, family, { member, mark });
  }
}

/** What no look was ever asked for with. */
export function newMark(): string {
  return `at-${process.hrtime.bigint()}`;
}

/** Asks for a look at an object. */
export async function markForLook(kube: KubeClient, { namespace }: Family, { member, mark }: Marked): Promise<void> {
  const { type, name } = member;
  await kube.patchMerge(type, { namespace, name }, { metadata: { annotations: { [annotations.reconcileAt]: mark } } });
}

interface Marked {
  readonly member: Member;
  readonly mark: string;
}
