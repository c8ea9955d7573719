import { annotations, formatOwnership, parseOwnership } from "../../../src/resources/annotations.ts";
import { isKubeError } from "../../../src/kube/errors.ts";
import type { KubeClient, ObjectDraft } from "../../../src/kube/client.ts";
import { branchKind } from "../../../src/resources/branch/kind.ts";
import { edgeFunctionKind } from "../../../src/resources/edge-function/kind.ts";
import type { KubeObject } from "../../../src/resources/meta.ts";
import { projectKind } from "../../../src/resources/project/kind.ts";
import { secretKind } from "../../../src/resources/secret/kind.ts";
import { type Family, type Member, members } from "./family.ts";

/** What people and backups do to an object at an unlucky moment. */

/** Which object a request was made for, by its name; what is the connection's counts for the Project. */
export function memberOf(label: string): Member {
  const kinds = [
    { type: branchKind.type, words: /branches/u },
    { type: edgeFunctionKind.type, words: /functions/u },
    { type: secretKind.type, words: /\/secrets|secrets\/values/u },
  ];
  const { type } = kinds.find(({ words }) => words.test(label)) ?? projectKind;
  const member = members.find((one) => one.type === type);
  if (member === undefined) throw new RangeError(`no object for ${label}`);
  return member;
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
  const id = { namespace: family.namespace, name: member.name };
  await kube.patchMerge(member.type, id, { metadata: { finalizers: null } });
  await kube.delete(member.type, id);
  const { metadata, ...manifest } = manifestOf(object, member.name);
  const noted = backup === "both gone" ? {} : restored(object.metadata.annotations ?? {}, backup);
  await kube.create(member.type, {
    ...manifest,
    metadata: { ...metadata, annotations: noted, finalizers: object.metadata.finalizers ?? [] },
  });
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

/** Asks for a look at every object, as drift checks do when their time comes. */
export async function askForLook(kube: KubeClient, { namespace }: Family, kinds: ReadonlyMap<string, unknown>) {
  const mark = `at-${process.hrtime.bigint()}`;
  for (const { type, name } of members.filter((member) => kinds.has(member.type.kind))) {
    await kube.patchMerge(
      type,
      { namespace, name },
      { metadata: { annotations: { [annotations.reconcileAt]: mark } } },
    );
  }
}
