import type { Indexer, Indexers } from "../kube/object-index.ts";
import { apiGroup } from "../resources/annotations.ts";
import { credentialOf, type DeclaredCredential, secretKeysOf } from "../resources/connection/credential.ts";
import type { KubeObject, ObjectMeta } from "../resources/meta.ts";
import type { ParentSpec } from "../resources/references.ts";
import { keptPlace } from "./connection/kept-secret.ts";
import { type ConnectionView, viewOfClusterConnection, viewOfConnection } from "./connection/view.ts";
import type { BranchObject, FunctionObject, ObjectStores, ProjectObject } from "./environment.ts";
import {
  CLAIM_INDEX,
  claimAt,
  CONFIG_MAP_INDEX,
  FLUX_INDEX,
  NAME_INDEX,
  OUTPUT_INDEX,
  outputPlace,
  OWNER_INDEX,
  PARENT_INDEX,
  parentKey,
  PUBLISHED_INDEX,
  REF_INDEX,
  SECRET_INDEX,
} from "./indexes.ts";
import { placedName } from "./project/claimants.ts";
import { generatedSecretName } from "./project/password.ts";
import { NO_REFERENCES, type SectionReferences } from "./sections/section-references.ts";
import { sectionReferences } from "./sections/sections.ts";
import { fluxPlace } from "./shared/flux-types.ts";
import type { KindReader, ManagedObject, UnreadObject } from "./shared/object-store.ts";
import { notedRef, type RecordedStatus } from "./shared/ownership.ts";

/** Under which values objects of a kind stand in the indexes of their store. */

/** Indexers of core Secrets and ConfigMaps. */
export const coreIndexers: Indexers = {
  [OWNER_INDEX]: ({ metadata: { ownerReferences = [] } }) =>
    ownerReferences.filter(({ apiVersion: of }) => of.startsWith(`${apiGroup}/`)).map(({ uid }) => uid),
};

/** An object by what it has on record. */
type Recorded<Status> = Pick<UnreadObject<Status>, "metadata" | "status">;

type KindIn<Objects> = Objects extends { readonly kind: infer Kind } ? Kind : never;

export function connectionIndexers(kind: KindIn<ObjectStores["connections"]>): Indexers {
  return {
    [SECRET_INDEX]: reading(kind, ({ metadata, spec }) => secretNames(credentialOf(spec, metadata.namespace ?? ""))),
    [OUTPUT_INDEX]: reading(kind, (object) => keptSecret(viewOfConnection(object))),
  };
}

export function clusterConnectionIndexers(kind: KindIn<ObjectStores["clusterConnections"]>): Indexers {
  return {
    [SECRET_INDEX]: reading(kind, ({ spec }) => secretNames(credentialOf(spec, ""))),
    [OUTPUT_INDEX]: reading(kind, (object) => keptSecret(viewOfClusterConnection(object))),
  };
}

export function projectIndexers(kind: KindIn<ObjectStores["projects"]>): Indexers {
  return {
    ...readingReferences(kind),
    [REF_INDEX]: claiming(kind, { read: claimedRefs, unread: ownRef }),
    [NAME_INDEX]: claiming(kind, {
      read: (object) => [placedName(object), askedName(object)],
      unread: (object) => [placedName(object), askedName(object)],
    }),
    [OUTPUT_INDEX]: reading(kind, (object) =>
      object.spec.databasePassword?.secretKeyRef === undefined
        ? [inNamespace(object.metadata, generatedSecretName(object))]
        : [],
    ),
    [PUBLISHED_INDEX]: reading(kind, outputsOf),
  };
}

export function branchIndexers(kind: KindIn<ObjectStores["branches"]>): Indexers {
  return {
    ...readingReferences(kind),
    ...ofChild(kind),
    [CLAIM_INDEX]: claiming(kind, { read: branchClaims, unread: unreadBranchClaims }),
    [PUBLISHED_INDEX]: reading(kind, outputsOf),
  };
}

export function functionIndexers(kind: KindIn<ObjectStores["functions"]>): Indexers {
  return {
    ...ofChild(kind),
    [CLAIM_INDEX]: claiming(kind, { read: functionClaims, unread: unreadFunctionClaims }),
    [CONFIG_MAP_INDEX]: reading(kind, ({ metadata, spec }) => {
      const name = spec.source.configMapRef?.name;
      return [name === undefined ? undefined : inNamespace(metadata, name)];
    }),
    [FLUX_INDEX]: reading(kind, ({ metadata: { namespace = "" }, spec: { source } }) =>
      source.artifactRef === undefined ? [] : [fluxPlace({ ...source.artifactRef, namespace })],
    ),
  };
}

export function secretIndexers(kind: KindIn<ObjectStores["secrets"]>): Indexers {
  return {
    ...ofChild(kind),
    [SECRET_INDEX]: reading(kind, ({ metadata, spec }) =>
      spec.from.map((entry) => inNamespace(metadata, entry.secretRef.name)),
    ),
  };
}

type Values<Object> = (object: Object) => readonly (string | undefined)[];

/** An indexer over objects that can be read; others are not in it. */
function reading<Spec, Status>(kind: KindReader<Spec, Status>, read: Values<ManagedObject<Spec, Status>>): Indexer {
  return claiming(kind, { read, unread: () => [] });
}

/** An indexer of what objects claim, where one that cannot be read stands by what it has on record. */
function claiming<Spec, Status>(
  kind: KindReader<Spec, Status>,
  { read, unread }: { readonly read: Values<ManagedObject<Spec, Status>>; readonly unread: Values<Recorded<Status>> },
): Indexer {
  return (object) => {
    const parsed = kind.parse(object);
    const values = parsed.ok
      ? read(parsed.object)
      : unread({ metadata: object.metadata, status: kind.parseStatus(object) });
    return [...new Set(values.filter((value) => value !== undefined))];
  };
}

/** Where a child lives, as it declares it and as it was found. */
function ofChild<Spec extends ParentSpec>(kind: KindReader<Spec, { readonly ref?: string | undefined }>): Indexers {
  return {
    [PARENT_INDEX]: reading(kind, ({ metadata, spec }) => [parentKey(metadata.namespace ?? "", spec)]),
    [REF_INDEX]: claiming(kind, { read: ({ status }) => [status.ref], unread: ownRef }),
  };
}

/** The ref that is recorded for this very object. */
function ownRef({ metadata, status }: Recorded<RecordedStatus>): readonly (string | undefined)[] {
  return status.recordedFor === metadata.uid ? [status.ref] : [];
}

/** What a Project or Branch reads of Secrets and ConfigMaps of its namespace: for its sections, and for a Project's password. */
function readBy(spec: ProjectObject["spec"] | BranchObject["spec"]): SectionReferences {
  const { secrets, configMaps } = sectionReferences(spec);
  const password = "databasePassword" in spec ? spec.databasePassword?.secretKeyRef?.name : undefined;
  const named = password === undefined ? secrets : [password, ...secrets];
  return { secrets: [...new Set(named)], configMaps: [...new Set(configMaps)] };
}

/**
 * The same as indexers. It takes a walk through all sections, and is found once for each spec: the versions of an object share theirs as long as it
 * stays as it is (kube/store.ts).
 */
function readingReferences(kind: KindIn<ObjectStores["projects"]> | KindIn<ObjectStores["branches"]>): Indexers {
  const known = new WeakMap<object, SectionReferences>();
  const referencesOf = (object: KubeObject): SectionReferences => {
    const { spec } = object;
    if (typeof spec !== "object" || spec === null) return NO_REFERENCES;
    const before = known.get(spec);
    if (before !== undefined) return before;
    const parsed = kind.parse(object);
    const found = parsed.ok ? readBy(parsed.object.spec) : NO_REFERENCES;
    known.set(spec, found);
    return found;
  };
  const naming = (names: (references: SectionReferences) => readonly string[]): Indexer => {
    return (object) => names(referencesOf(object)).map((name) => inNamespace(object.metadata, name));
  };
  return {
    [SECRET_INDEX]: naming(({ secrets }) => secrets),
    [CONFIG_MAP_INDEX]: naming(({ configMaps }) => configMaps),
  };
}

function outputsOf({ metadata, spec }: ProjectObject | BranchObject): readonly string[] {
  const names = [
    ["Secret", spec.writeConnectionSecretToRef?.name],
    ["ConfigMap", spec.writeConnectionConfigMapToRef?.name],
  ] as const;
  return names.flatMap(([kind, name]) => (name === undefined ? [] : [outputPlace(kind, inNamespace(metadata, name))]));
}

function branchClaims(object: BranchObject): readonly string[] {
  const { metadata, spec, status } = object;
  const names = [status.name, spec.name ?? metadata.name, askedName(object)].filter((name) => name !== undefined);
  return names.flatMap((name) => claimsOfChild(object, status.parentRef, name));
}

function functionClaims(object: FunctionObject): readonly string[] {
  const { metadata, spec, status } = object;
  return claimsOfChild(object, status.ref, spec.slug ?? metadata.name);
}

/** What it has is found by its ref. */
function unreadBranchClaims(object: Recorded<BranchObject["status"]>): readonly string[] {
  const { parentRef } = object.status;
  const asked = askedName(object);
  return parentRef === undefined || asked === undefined ? [] : [claimAt(parentRef, asked)];
}

function unreadFunctionClaims({ status: { ref, slug } }: Recorded<FunctionObject["status"]>): readonly string[] {
  return ref === undefined || slug === undefined ? [] : [claimAt(ref, slug)];
}

/** A name in the place that is recorded, and in the one that is declared. */
function claimsOfChild(
  { metadata: { namespace = "" }, spec }: BranchObject | FunctionObject,
  recorded: string | undefined,
  name: string,
): readonly string[] {
  const declared = claimAt(parentKey(namespace, spec), name);
  return recorded === undefined ? [declared] : [claimAt(recorded, name), declared];
}

function inNamespace({ namespace = "" }: ObjectMeta, name: string): string {
  return `${namespace}/${name}`;
}

function secretNames(credential: DeclaredCredential): readonly string[] {
  return secretKeysOf(credential).map(({ namespace, name }) => `${namespace}/${name}`);
}

function keptSecret(view: ConnectionView): readonly string[] {
  const place = keptPlace(view);
  return place === undefined ? [] : [`${place.namespace}/${place.name}`];
}

/** Refs that a Project claims: recorded, asked for, or noted by the annotation of this very object. */
function claimedRefs({ metadata, spec, status }: ProjectObject): readonly (string | undefined)[] {
  return [status.ref, spec.ref, notedRef(metadata)];
}

/** The name that a lost create asked for: it stays claimed until it is known what came of it, whatever the spec says now. */
function askedName({
  metadata,
  status: { intent },
}: Recorded<(ProjectObject | BranchObject)["status"]>): string | undefined {
  return intent?.uid === metadata.uid ? intent.name : undefined;
}
