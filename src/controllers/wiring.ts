import type { Store, StoreHandler } from "../kube/store.ts";
import { apiGroup } from "../resources/annotations.ts";
import type { KubeObject } from "../resources/meta.ts";
import type { Environment } from "./environment.ts";
import { connectionsOfSecret } from "./connection/view.ts";
import { isHeldUp } from "./held-up.ts";
import { wireOutputs } from "./outputs/wire.ts";
import { artifactChanged, wireFluxSources } from "./flux-sources.ts";
import { findCondition, isTrue } from "./shared/conditions.ts";
import { connectionName } from "./shared/connection-id.ts";
import { dependentsOf, possibleDependents } from "./shared/dependents.ts";
import { observeObjects } from "./shared/object-metrics.ts";
import { objectNameOf } from "./shared/ownership.ts";
import { policiesChanged } from "./shared/policies.ts";
import { isDisplaced, wireParents } from "./parents-wired.ts";
import { missedRedeployment, wireRedeployments } from "./redeploying.ts";
import { type Referenced, sourceChanged } from "./references.ts";
import {
  CONFIG_MAP_INDEX,
  NAME_INDEX,
  OUTPUT_INDEX,
  PARENT_INDEX,
  parentKey,
  REF_INDEX,
  SECRET_INDEX,
} from "./stores.ts";
import { isReadyNow, keyOf, ownKeys, wakeWaiting } from "./watching.ts";

/** Which changes of which objects make which keys run. The handlers are synchronous and do nothing but enqueue. */

/** Stores that handlers are attached to. */
export interface WatchedStores {
  readonly ours: readonly Store[];
  readonly coreSecrets: Store;
  readonly configMaps: Store;
  readonly namespaces: Store;
  /** of Flux, one for each kind */
  readonly fluxSources: readonly Store[];
}

/** Attaches every handler; call once, before the watches start. */
export function wire(environment: Environment, stores: WatchedStores): void {
  observeObjects(environment.meter, stores.ours);
  forgetDeleted(environment, stores.ours);
  wireOwnKeys(environment, stores);
  wireParents(
    environment,
    ["Project", "Branch"].map((kind) => storeOf(stores.ours, kind)),
  );
  wireClaims(environment, stores.ours);
  wireConnections(environment, stores.ours);
  wireReferences(environment, stores);
  wireOwnSecrets(environment, stores.coreSecrets);
  wireOutputs(environment, stores);
  wireRedeployments(environment, storeOf(stores.ours, "Secret"));
  wireFluxSources(environment, stores.fluxSources);
}

/** What goes without us, its finalizer taken away by hand, say, is forgotten as well. */
function forgetDeleted({ convergence }: Environment, stores: readonly Store[]): void {
  const nothing = (): void => undefined;
  for (const store of stores) {
    store.addHandler({
      added: nothing,
      updated: nothing,
      deleted: ({ metadata }) => convergence.forget(metadata.uid),
    });
  }
}

function storeOf(stores: readonly Store[], kind: string): Store {
  const store = stores.find(({ type }) => type.kind === kind);
  if (store === undefined) throw new RangeError(`no store of ${kind}`);
  return store;
}

function wireOwnKeys(environment: Environment, { ours: stores, ...referenced }: WatchedStores): void {
  const { objects, enqueue, random } = environment;
  const missedChange = (object: KubeObject): boolean =>
    sourceChanged(objects, referenced, object) ||
    artifactChanged(objects, referenced.fluxSources, object) ||
    missedRedeployment(environment, object) ||
    isDisplaced(environment, object);
  const heldUp = (object: KubeObject): boolean => isHeldUp(environment, object);
  const attach = (kind: string, reader: Parameters<typeof ownKeys>[0]["kind"], eager: boolean): void => {
    storeOf(stores, kind).addHandler(ownKeys({ kind: reader, enqueue, random, eager, missedChange, heldUp }));
  };
  // Sessions live in memory: after a start every connection is opened at once.
  attach("Connection", objects.connections.kind, true);
  attach("ClusterConnection", objects.clusterConnections.kind, true);
  attach("Project", objects.projects.kind, false);
  const { kind } = objects.branches;
  const dueInMs = (object: KubeObject): number | undefined => untilExpiryMs(environment, object);
  storeOf(stores, "Branch").addHandler(ownKeys({ kind, enqueue, random, missedChange, dueInMs, heldUp }));
  attach("EdgeFunction", objects.functions.kind, false);
  attach("Secret", objects.secrets.kind, false);
}

/** Milliseconds until the ttl of a branch ends, as far as its status says; a start must not put the end off to the next drift check. */
function untilExpiryMs({ objects, clock }: Environment, object: KubeObject): number | undefined {
  const { expiresAt, conditions } = objects.branches.kind.parseStatus(object);
  if (expiresAt === undefined || isTrue(conditions, "Expired")) return undefined;
  return Date.parse(expiresAt) - clock.now();
}

/** When an owner goes, who lost to it may have its turn. */
function wireClaims(environment: Environment, stores: readonly Store[]): void {
  const { projects, branches, functions, secrets } = environment.objects;
  const onDeleted = (kind: string, deleted: (object: KubeObject) => void): void => {
    storeOf(stores, kind).addHandler({ added: () => undefined, updated: () => undefined, deleted });
  };
  onDeleted("Project", (object) => {
    const parsed = projects.parse(object);
    if (!parsed.ok) return;
    const { metadata, spec, status } = parsed.object;
    const name = `${spec.organization}/${spec.name ?? metadata.name}`;
    for (const ref of [status.ref, spec.ref].filter((value) => value !== undefined)) {
      wakeWaiting(projects.kind, projects.reader.byIndex(REF_INDEX, ref), environment.enqueue);
    }
    wakeWaiting(projects.kind, projects.reader.byIndex(NAME_INDEX, name), environment.enqueue);
  });
  onDeleted("Branch", (object) => {
    const parsed = branches.parse(object);
    if (!parsed.ok) return;
    const { spec, status } = parsed.object;
    for (const name of [status.name, spec.name ?? object.metadata.name].filter((value) => value !== undefined)) {
      wakeWaiting(branches.kind, branches.reader.byIndex(NAME_INDEX, name), environment.enqueue);
    }
  });
  onDeleted("EdgeFunction", (object) => {
    const parsed = functions.parse(object);
    if (!parsed.ok) return;
    const slug = parsed.object.spec.slug ?? object.metadata.name;
    wakeWaiting(functions.kind, functions.reader.byIndex(NAME_INDEX, slug), environment.enqueue);
  });
  const wakeSiblings = (object: KubeObject): void => {
    const parsed = secrets.parse(object);
    if (!parsed.ok) return;
    const parent = parentKey(object.metadata.namespace ?? "", parsed.object.spec);
    wakeWaiting(secrets.kind, secrets.reader.byIndex(PARENT_INDEX, parent), environment.enqueue);
  };
  const namesOf = (object: KubeObject): readonly string[] => secrets.kind.parseStatus(object).names ?? [];
  storeOf(stores, "Secret").addHandler({
    added: () => undefined,
    // An object may let go of a name without going itself.
    updated: (before, now) => {
      const left = new Set(namesOf(now));
      if (namesOf(before).some((name) => !left.has(name))) wakeSiblings(now);
    },
    deleted: wakeSiblings,
  });
}

/** Objects wait for their connection, and a connection that is being deleted for its objects. */
function wireConnections(environment: Environment, stores: readonly Store[]): void {
  const { objects, enqueue, sessions } = environment;
  const { projects } = objects;
  const wake = (namespace: string | undefined): void => {
    // All kinds read the same fields of their status, so one reader serves them all.
    const waiting = possibleDependents(environment, namespace);
    wakeWaiting(projects.kind, waiting, enqueue, (object) => isHeldUp(environment, object));
  };
  sessions.onChange((id) => {
    const { kind, namespace } = connectionName(id);
    const reach = kind === "Connection" ? namespace : undefined;
    wake(reach);
    wakeOutdated(environment, id, reach);
  });
  /** In use or not, or another spec, which may admit or allow what it did not. */
  const wakeOnChange = (namespace: string | undefined) => (before: KubeObject, now: KubeObject) => {
    const { metadata: was } = before;
    const { metadata: is } = now;
    if (was.finalizers?.length !== is.finalizers?.length || was.generation !== is.generation) wake(namespace);
  };
  const nothing = (): void => undefined;
  storeOf(stores, "Connection").addHandler({
    added: ({ metadata }) => wake(metadata.namespace),
    updated: (before, now) => wakeOnChange(now.metadata.namespace)(before, now),
    deleted: nothing,
  });
  storeOf(stores, "ClusterConnection").addHandler({
    added: () => wake(undefined),
    updated: wakeOnChange(undefined),
    deleted: nothing,
  });
  for (const kind of ["Project", "Branch", "EdgeFunction", "Secret"]) {
    const deleted = ({ metadata: { namespace } }: KubeObject): void => wakeLeaving(environment, namespace);
    storeOf(stores, kind).addHandler({ added: nothing, updated: nothing, deleted });
  }
}

/** Objects at rest under policies that their connection sets no more: they are looked at by the new ones, after whatever is more urgent. */
function wakeOutdated(environment: Environment, id: string, namespace: string | undefined): void {
  const session = environment.sessions.get(id);
  if (session === undefined || session.deletionOnly) return;
  for (const object of dependentsOf(environment, id, namespace)) {
    if (policiesChanged(environment, session, object)) environment.enqueue(keyOf(object), { lane: "drift" });
  }
}

/** Connections under deletion, or whose credential is, that an object of a namespace may have used: they go when their last dependent has gone. */
function wakeLeaving({ objects, enqueue }: Environment, namespace: string | undefined): void {
  const { connections, clusterConnections } = objects;
  for (const [store, reach] of [
    [connections, namespace],
    [clusterConnections, undefined],
  ] as const) {
    for (const object of store.reader.list(reach)) {
      const { conditions } = store.kind.parseStatus(object);
      const held = findCondition(conditions, "CredentialTerminating")?.status === "True";
      if (held || object.metadata.deletionTimestamp !== undefined) {
        enqueue(keyOf(object), { lane: "change", wasReady: true });
      }
    }
  }
}

/** Secrets, ConfigMaps and namespaces that objects refer to. */
function wireReferences(environment: Environment, stores: WatchedStores): void {
  const { objects, enqueue } = environment;
  const { coreSecrets, configMaps, namespaces } = stores;
  const { projects, branches, functions, secrets } = objects;
  coreSecrets.addHandler(
    onReferenced(environment, stores, ({ metadata }) => {
      const name = objectNameOf(metadata);
      for (const { id } of connectionsOfSecret(environment, name)) {
        enqueue(connectionName(id), { lane: "change", wasReady: true });
      }
      return [projects, branches, secrets].flatMap(({ reader }) => [...reader.byIndex(SECRET_INDEX, name)]);
    }),
  );
  configMaps.addHandler(
    onReferenced(environment, stores, ({ metadata }) =>
      [projects, branches, functions].flatMap(({ reader }) => [
        ...reader.byIndex(CONFIG_MAP_INDEX, objectNameOf(metadata)),
      ]),
    ),
  );
  namespaces.addHandler({
    added: () => undefined,
    updated: (_before, { metadata }) =>
      wakeWaiting(projects.kind, possibleDependents(environment, metadata.name), enqueue),
    deleted: () => undefined,
  });
}

/**
 * Secrets that the operator makes. That of a connection is put back when somebody deletes it; what else is done with one is the operator's own
 * doing. When somebody else's goes that stood in the place of one, who found it there goes on.
 */
function wireOwnSecrets({ enqueue, objects }: Environment, coreSecrets: Store): void {
  const { projects, connections, clusterConnections } = objects;
  const wakeOwner = ({ metadata }: KubeObject): void => {
    for (const { apiVersion, kind, name } of metadata.ownerReferences ?? []) {
      if (!apiVersion.startsWith(`${apiGroup}/`) || !(kind === "Connection" || kind === "ClusterConnection")) continue;
      const namespace = kind === "Connection" ? (metadata.namespace ?? "") : "";
      enqueue({ kind, namespace, name }, { lane: "change", wasReady: true });
    }
  };
  coreSecrets.addHandler({
    added: () => undefined,
    updated: (before, now) => {
      if (before.metadata.deletionTimestamp !== now.metadata.deletionTimestamp) wakeOwner(now);
    },
    deleted: (object) => {
      wakeOwner(object);
      const place = objectNameOf(object.metadata);
      wakeWaiting(projects.kind, projects.reader.byIndex(OUTPUT_INDEX, place), enqueue);
      wakeWaiting(connections.kind, connections.reader.byIndex(OUTPUT_INDEX, place), enqueue);
      const anywhere = `/${object.metadata.name}`;
      wakeWaiting(clusterConnections.kind, clusterConnections.reader.byIndex(OUTPUT_INDEX, anywhere), enqueue);
    },
  });
}

/**
 * Who refers to an object runs when it changes or goes; when it appears, only who may have waited for it, or was made of another version: a
 * start shows all of them, in any order with their users.
 */
function onReferenced(
  environment: Environment,
  referenced: Referenced,
  users: (object: KubeObject) => readonly KubeObject[],
): StoreHandler {
  const { objects, enqueue } = environment;
  const { projects } = objects;
  const run = (object: KubeObject): void => {
    for (const user of users(object)) {
      enqueue(keyOf(user), { lane: "change", wasReady: isReadyNow(projects.kind, user) });
    }
  };
  return {
    added: (object) => {
      const found = users(object);
      wakeWaiting(projects.kind, found, enqueue, (user) => isHeldUp(environment, user));
      for (const user of found) {
        if (sourceChanged(objects, referenced, user)) enqueue(keyOf(user), { lane: "change", wasReady: true });
      }
    },
    updated: (_before, now) => run(now),
    deleted: run,
  };
}
