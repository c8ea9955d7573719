import { compareResourceVersions, type Order } from "../kube/resource-version.ts";
import type { StoreReader } from "../kube/store.ts";
import type { KubeObject } from "../resources/meta.ts";
import type { SectionEntry } from "../resources/settings/status.ts";
import type { DeepReadonly } from "../resources/kind.ts";
import type { SentValue } from "../resources/status.ts";
import type { ObjectStores } from "./environment.ts";

/** metadata of what our objects may refer to */
export interface ReferencedStores {
  readonly coreSecrets: StoreReader;
  readonly configMaps: StoreReader;
}

/** Which version of a Secret or ConfigMap an object was made of last. */
interface SourceVersion {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

interface ReferencedSources {
  readonly store: Pick<StoreReader, "get">;
  readonly versions: readonly SourceVersion[];
}

function sourcesOf(
  objects: ObjectStores,
  referenced: ReferencedStores,
  object: KubeObject,
): readonly ReferencedSources[] {
  const { coreSecrets, configMaps } = referenced;
  switch (object.kind) {
    case "Secret":
      return [{ store: coreSecrets, versions: objects.secrets.kind.parseStatus(object).sources ?? [] }];
    case "Project": {
      const { databasePassword: password, sections } = objects.projects.kind.parseStatus(object);
      const ofSections = sourcesOfSections(referenced, sections);
      if (password?.sent === undefined || password.generated) return ofSections;
      return [{ store: coreSecrets, versions: [sentFrom(password.secretName, password.sent)] }, ...ofSections];
    }
    case "Branch":
      return sourcesOfSections(referenced, objects.branches.kind.parseStatus(object).sections);
    case "EdgeFunction": {
      const { source } = objects.functions.kind.parseStatus(object);
      return [{ store: configMaps, versions: source === undefined ? [] : [source] }];
    }
    default:
      return [];
  }
}

function sourcesOfSections(
  { coreSecrets, configMaps }: ReferencedStores,
  sections: readonly SectionEntry[] = [],
): readonly ReferencedSources[] {
  const sent = sections.flatMap(({ secrets = [] }) => secrets.map((one) => sentFrom(one.secretName, one)));
  const documents = sections.flatMap((one) => one.documents ?? []);
  return [
    { store: coreSecrets, versions: sent },
    { store: configMaps, versions: documents },
  ];
}

function sentFrom(name: string, { secretUid, secretResourceVersion }: DeepReadonly<SentValue>): SourceVersion {
  return { name, uid: secretUid, resourceVersion: secretResourceVersion };
}

/**
 * Whether something that the object is made of is another version now than when it was made: changed while nobody watched, or by whoever was
 * killed over it. A start sees no such change happen, and the object's own generation tells nothing of it. What is not there (any more, or not
 * yet in the store) says nothing: it is told of when it appears, and found missing by the next drift check.
 */
export function sourceChanged(objects: ObjectStores, referenced: ReferencedStores, object: KubeObject): boolean {
  const { namespace } = object.metadata;
  return sourcesOf(objects, referenced, object).some((sources) => versionsChanged(sources, namespace));
}

/** Whether a Secret or ConfigMap of the namespace is another version than that one. */
function versionsChanged(sources: ReferencedSources, namespace: string | undefined): boolean {
  return ordersOf(sources, namespace).some((order) => order !== "same");
}

/** The same, but for an older version: that is one of which the watch has not told yet that it is over, and what was made of it was read by name. */
export function versionsChangedSince(sources: ReferencedSources, namespace: string | undefined): boolean {
  return ordersOf(sources, namespace).some((order) => order !== "same" && order !== "older");
}

/** How what is in the store stands to what was made use of; nothing of what is not there. */
function ordersOf({ store, versions }: ReferencedSources, namespace = ""): readonly Order[] {
  return versions.flatMap(({ name, uid, resourceVersion }) => {
    const metadata = store.get(namespace, name)?.metadata;
    if (metadata === undefined) return [];
    return [metadata.uid === uid ? compareResourceVersions(metadata.resourceVersion, resourceVersion) : "incomparable"];
  });
}
