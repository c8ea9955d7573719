import type { Logger } from "../base/log.ts";
import { Store } from "../kube/store.ts";
import type { StoreSet } from "../kube/store-set.ts";
import type { Indexers } from "../kube/object-index.ts";
import { annotations, apiGroup, parseOwnership } from "../resources/annotations.ts";
import { branchKind } from "../resources/branch/kind.ts";
import { credentialOf, type DeclaredCredential, secretKeysOf } from "../resources/connection/credential.ts";
import { clusterConnectionKind, connectionKind } from "../resources/connection/kind.ts";
import { edgeFunctionKind } from "../resources/edge-function/kind.ts";
import type { KubeObject, ObjectMeta } from "../resources/meta.ts";
import { projectKind } from "../resources/project/kind.ts";
import { type ParentSpec, parentOf } from "../resources/references.ts";
import { secretKind } from "../resources/secret/kind.ts";
import { keptPlace } from "./connection/kept-token.ts";
import { type ConnectionView, viewOfClusterConnection, viewOfConnection } from "./connection/view.ts";
import type { BranchObject, FunctionObject, ObjectStores, ProjectObject } from "./environment.ts";
import { generatedSecretName } from "./project/password.ts";
import type { SectionReferences } from "./sections/section-references.ts";
import { sectionReferences } from "./sections/sections.ts";
import { fluxPlace } from "./shared/flux-types.ts";
import { cachingReader, type KindReader, type ManagedObject, ObjectStore } from "./shared/object-store.ts";
import { objectNameOf } from "./shared/ownership.ts";

/** Our objects in memory, with the indexes that answer "who refers to this" without a search. */

/** Index of children by what they live in: see `parentKey`. */
export const PARENT_INDEX = "parent";
/** Index of objects by the `namespace/name` of core Secrets that they read. */
export const SECRET_INDEX = "secret";
/** Index of objects by the `namespace/name` of core Secrets that the operator makes for them; of cluster-wide ones without the namespace. */
export const OUTPUT_INDEX = "output";
/** Index of Projects and Branches by their outputs: see `outputPlace`. */
export const PUBLISHED_INDEX = "published";
/** Index of core Secrets and ConfigMaps by the uids of our objects that own them. */
export const OWNER_INDEX = "owner";
/** Index of functions by the source object of Flux whose artifact they are: see `fluxPlace`. */
export const FLUX_INDEX = "flux";
/** Index of objects by the `namespace/name` of ConfigMaps that they read: functions their source, Projects and Branches long texts. */
export const CONFIG_MAP_INDEX = "configMap";
/** Index of Projects by the refs that they claim, and of Branches, functions and secrets by the one that they have or live in. */
export const REF_INDEX = "ref";
/** Index of objects by their remote names. */
export const NAME_INDEX = "name";
/** Index of functions by where they are and how they are called there: see `functionClaim`. */
export const CLAIM_INDEX = "claim";

/** @param place ref, or what a function lives in: see `parentKey` */
export function functionClaim(place: string, slug: string): string {
  return `${place} ${slug}`;
}

/** `Secret ns/name` or `ConfigMap ns/name`. */
export function outputPlace(kind: string, name: string): string {
  return `${kind} ${name}`;
}

function outputsOf({ metadata, spec }: ProjectObject | BranchObject): readonly string[] {
  const names = [
    ["Secret", spec.writeConnectionSecretToRef?.name],
    ["ConfigMap", spec.writeConnectionConfigMapToRef?.name],
  ] as const;
  return names.flatMap(([kind, name]) => (name === undefined ? [] : [outputPlace(kind, inNamespace(metadata, name))]));
}

/** What a Project or Branch reads of Secrets and ConfigMaps, by their `namespace/name`: for its sections, and for a Project's password. */
function readBy({ metadata, spec }: ProjectObject | BranchObject): SectionReferences {
  const { secrets, configMaps } = sectionReferences(spec);
  const password = "databasePassword" in spec ? spec.databasePassword?.secretKeyRef?.name : undefined;
  const named = password === undefined ? secrets : [password, ...secrets];
  return {
    secrets: named.map((name) => inNamespace(metadata, name)),
    configMaps: configMaps.map((name) => inNamespace(metadata, name)),
  };
}

/** Indexers of core Secrets and ConfigMaps. */
export const coreIndexers: Indexers = {
  [OWNER_INDEX]: ({ metadata: { ownerReferences = [] } }) =>
    ownerReferences.filter(({ apiVersion: of }) => of.startsWith(`${apiGroup}/`)).map(({ uid }) => uid),
};

/** `Project/ns/name`, `Branch/ns/name` or `ref/<ref>`: what a child lives in. */
export function parentKey(namespace: string, spec: ParentSpec): string {
  const parent = parentOf(spec);
  switch (parent.kind) {
    case "Project":
    case "Branch":
      return `${parent.kind}/${namespace}/${parent.name}`;
    case "UnmanagedProject":
      return `ref/${parent.ref}`;
    default:
      return parent satisfies never;
  }
}

/** An indexer over objects that can be read; others are in no index. */
function reading<Spec, Status>(
  kind: KindReader<Spec, Status>,
  values: (object: ManagedObject<Spec, Status>) => readonly (string | undefined)[],
): (object: KubeObject) => readonly string[] {
  return (object) => {
    const parsed = kind.parse(object);
    return parsed.ok ? [...new Set(values(parsed.object).filter((value) => value !== undefined))] : [];
  };
}

function inNamespace({ namespace = "" }: ObjectMeta, name: string): string {
  return `${namespace}/${name}`;
}

function secretNames(credential: DeclaredCredential): readonly string[] {
  return secretKeysOf(credential).map(({ namespace, name }) => `${namespace}/${name}`);
}

function keptSecret(view: ConnectionView): readonly string[] {
  const { namespace, name } = keptPlace(view, "");
  return view.credential.kind === "oauth" ? [`${namespace}/${name}`] : [];
}

/** Refs that a Project claims: recorded, asked for, or noted by the annotation of this very object. */
function claimedRefs({ metadata, spec, status }: ProjectObject): readonly (string | undefined)[] {
  const noted = parseOwnership(metadata.annotations?.[annotations.ref] ?? "");
  return [status.ref, spec.ref, noted?.object === objectNameOf(metadata) ? noted.ref : undefined];
}

interface StoreOptions {
  readonly set: StoreSet;
  readonly log: Logger;
}

interface Made<Spec, Status> {
  readonly objects: ObjectStore<Spec, Status>;
  readonly store: Store;
}

function make<Spec, Status>(
  { set, log }: StoreOptions,
  definition: KindReader<Spec, Status>,
  indexers: (kind: KindReader<Spec, Status>) => Indexers,
): Made<Spec, Status> {
  const kind = cachingReader(definition);
  const store = new Store({ type: kind.type, indexers: indexers(kind), log });
  set.add(store);
  return { objects: new ObjectStore(kind, store), store };
}

function functionStore(options: StoreOptions): Made<FunctionObject["spec"], FunctionObject["status"]> {
  return make(options, edgeFunctionKind, (kind) => ({
    [PARENT_INDEX]: reading(kind, ({ metadata, spec }) => [parentKey(metadata.namespace ?? "", spec)]),
    [REF_INDEX]: reading(kind, ({ status }) => [status.ref]),
    [NAME_INDEX]: reading(kind, ({ metadata, spec, status }) => [status.slug, spec.slug ?? metadata.name]),
    [CLAIM_INDEX]: reading(kind, ({ metadata, spec, status }) => {
      const slug = spec.slug ?? metadata.name;
      const recorded = status.ref === undefined ? undefined : functionClaim(status.ref, slug);
      return [recorded, functionClaim(parentKey(metadata.namespace ?? "", spec), slug)];
    }),
    [CONFIG_MAP_INDEX]: reading(kind, ({ metadata, spec }) => {
      const name = spec.source.configMapRef?.name;
      return [name === undefined ? undefined : inNamespace(metadata, name)];
    }),
    [FLUX_INDEX]: reading(kind, ({ metadata: { namespace = "" }, spec: { source } }) =>
      source.artifactRef === undefined ? [] : [fluxPlace({ ...source.artifactRef, namespace })],
    ),
  }));
}

/** Stores of all our kinds. `writable` feeds them from watches; reconcilers see `objects` alone. */
export function createObjectStores(options: StoreOptions): {
  readonly objects: ObjectStores;
  readonly writable: readonly Store[];
} {
  const connections = make(options, connectionKind, (kind) => ({
    [SECRET_INDEX]: reading(kind, ({ metadata, spec }) => secretNames(credentialOf(spec, metadata.namespace ?? ""))),
    [OUTPUT_INDEX]: reading(kind, (object) => keptSecret(viewOfConnection(object))),
  }));
  const clusterConnections = make(options, clusterConnectionKind, (kind) => ({
    [SECRET_INDEX]: reading(kind, ({ spec }) => secretNames(credentialOf(spec, ""))),
    [OUTPUT_INDEX]: reading(kind, (object) => keptSecret(viewOfClusterConnection(object))),
  }));
  const projects = make(options, projectKind, (kind) => ({
    [REF_INDEX]: reading(kind, claimedRefs),
    [NAME_INDEX]: reading(kind, ({ metadata, spec }) => [`${spec.organization}/${spec.name ?? metadata.name}`]),
    [SECRET_INDEX]: reading(kind, (object) => readBy(object).secrets),
    [CONFIG_MAP_INDEX]: reading(kind, (object) => readBy(object).configMaps),
    [OUTPUT_INDEX]: reading(kind, (object) =>
      object.spec.databasePassword?.secretKeyRef === undefined
        ? [inNamespace(object.metadata, generatedSecretName(object))]
        : [],
    ),
    [PUBLISHED_INDEX]: reading(kind, outputsOf),
  }));
  const branches = make(options, branchKind, (kind) => ({
    [PARENT_INDEX]: reading(kind, ({ metadata, spec }) => [parentKey(metadata.namespace ?? "", spec)]),
    [REF_INDEX]: reading(kind, ({ status }) => [status.ref]),
    [NAME_INDEX]: reading(kind, ({ metadata, spec, status }) => [status.name, spec.name ?? metadata.name]),
    [SECRET_INDEX]: reading(kind, (object) => readBy(object).secrets),
    [CONFIG_MAP_INDEX]: reading(kind, (object) => readBy(object).configMaps),
    [PUBLISHED_INDEX]: reading(kind, outputsOf),
  }));
  const functions = functionStore(options);
  const secrets = make(options, secretKind, (kind) => ({
    [PARENT_INDEX]: reading(kind, ({ metadata, spec }) => [parentKey(metadata.namespace ?? "", spec)]),
    [REF_INDEX]: reading(kind, ({ status }) => [status.ref]),
    [SECRET_INDEX]: reading(kind, ({ metadata, spec }) =>
      spec.from.map((entry) => inNamespace(metadata, entry.secretRef.name)),
    ),
  }));
  return {
    objects: {
      connections: connections.objects,
      clusterConnections: clusterConnections.objects,
      projects: projects.objects,
      branches: branches.objects,
      functions: functions.objects,
      secrets: secrets.objects,
    },
    writable: [connections, clusterConnections, projects, branches, functions, secrets].map(({ store }) => store),
  };
}
