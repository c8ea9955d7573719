import { compareResourceVersions, type Order } from "../kube/resource-version.ts";
import type { StoreReader } from "../kube/store.ts";
import type { KubeObject } from "../resources/meta.ts";
import type { ObjectStores } from "./environment.ts";

/** metadata of what our objects may refer to */
export interface Referenced {
  readonly coreSecrets: StoreReader;
  readonly configMaps: StoreReader;
}

/** Which version of a Secret or ConfigMap an object was made of last. */
interface SourceVersion {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

interface Sources {
  readonly store: Pick<StoreReader, "get">;
  readonly versions: readonly SourceVersion[];
}

function sourcesOf(
  objects: ObjectStores,
  { coreSecrets, configMaps }: Referenced,
  object: KubeObject,
): Sources | undefined {
  switch (object.kind) {
    case "Secret":
      return { store: coreSecrets, versions: objects.secrets.kind.parseStatus(object).sources ?? [] };
    case "Project": {
      const { databasePassword: password } = objects.projects.kind.parseStatus(object);
      if (password?.sent === undefined || password.generated) return undefined;
      const { secretUid: uid, secretResourceVersion: resourceVersion } = password.sent;
      return { store: coreSecrets, versions: [{ name: password.secretName, uid, resourceVersion }] };
    }
    case "EdgeFunction": {
      const { source } = objects.functions.kind.parseStatus(object);
      return { store: configMaps, versions: source === undefined ? [] : [source] };
    }
    default:
      return undefined;
  }
}

/**
 * Whether something that the object is made of is another version now than when it was made: changed while nobody watched, or by whoever was
 * killed over it. A start sees no such change happen, and the object's own generation tells nothing of it. What is not there (any more, or not
 * yet in the store) says nothing: it is told of when it appears, and found missing by the next drift check.
 */
export function sourceChanged(objects: ObjectStores, referenced: Referenced, object: KubeObject): boolean {
  const sources = sourcesOf(objects, referenced, object);
  return sources !== undefined && versionsChanged(sources, object.metadata.namespace);
}

/** Whether a Secret or ConfigMap of the namespace is another version than that one. */
function versionsChanged(sources: Sources, namespace: string | undefined): boolean {
  return ordersOf(sources, namespace).some((order) => order !== "same");
}

/** The same, but for an older version: that is one of which the watch has not told yet that it is over, and what was made of it was read by name. */
export function versionsChangedSince(sources: Sources, namespace: string | undefined): boolean {
  return ordersOf(sources, namespace).some((order) => order !== "same" && order !== "older");
}

/** How what is in the store stands to what was made use of; nothing of what is not there. */
function ordersOf({ store, versions }: Sources, namespace = ""): readonly Order[] {
  return versions.flatMap(({ name, uid, resourceVersion }) => {
    const metadata = store.get(namespace, name)?.metadata;
    if (metadata === undefined) return [];
    return [metadata.uid === uid ? compareResourceVersions(metadata.resourceVersion, resourceVersion) : "incomparable"];
  });
}
