import type { Artifacts } from "../artifacts/artifacts.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import type { Meter } from "../base/meter.ts";
import type { Random } from "../base/random.ts";
import type { KubeClient } from "../kube/client.ts";
import type { StoreReader } from "../kube/store.ts";
import type { BranchSpec } from "../resources/branch/spec.ts";
import type { BranchStatus } from "../resources/branch/status.ts";
import type { ClusterConnectionSpec, ConnectionSpec } from "../resources/connection/spec.ts";
import type { ConnectionStatus } from "../resources/connection/status.ts";
import type { EdgeFunctionSpec } from "../resources/edge-function/spec.ts";
import type { EdgeFunctionStatus } from "../resources/edge-function/status.ts";
import type { DeepReadonly } from "../resources/kind.ts";
import type { ProjectSpec } from "../resources/project/spec.ts";
import type { ProjectStatus } from "../resources/project/status.ts";
import type { SecretSpec } from "../resources/secret/spec.ts";
import type { SecretStatus } from "../resources/secret/status.ts";
import type { Enqueue } from "../runtime/reconciler.ts";
import type { RefusedTries } from "./requests/refused-tries.ts";
import type { SectionMemory } from "./sections/memory.ts";
import type { Absences } from "./shared/absences.ts";
import type { ConvergenceGuard } from "./shared/convergence.ts";
import type { DeletionTimes } from "./shared/deletion-times.ts";
import type { EventSink } from "./shared/event-sink.ts";
import type { KeyRing } from "./shared/key-ring.ts";
import type { ManagedObject, ObjectStore } from "./shared/object-store.ts";
import type { InheritablePolicies } from "./shared/policies.ts";
import type { DriftChecks } from "./shared/drift-checks.ts";
import type { WaitingUsers } from "./shared/waiting-users.ts";
import type { Releases } from "./shared/releases.ts";
import type { Sessions } from "./shared/sessions.ts";
import type { ProjectSnapshots } from "./shared/snapshot.ts";
import type { Withdrawals } from "./shared/withdrawals.ts";

/**
 * src/controllers: where resources, api and kube meet. One folder per kind (reconcile, observe, plan, apply, status), and in shared/
 * what the kinds have in common. Generic machinery (queues, watches, clients) lives in runtime, kube and api, never here.
 *
 * This file: what every controller is given.
 */

type Managed<Spec, Status> = ManagedObject<DeepReadonly<Spec>, DeepReadonly<Status>>;
export type ConnectionObject = Managed<ConnectionSpec, ConnectionStatus>;
export type ClusterConnectionObject = Managed<ClusterConnectionSpec, ConnectionStatus>;
export type ProjectObject = Managed<ProjectSpec, ProjectStatus>;
export type BranchObject = Managed<BranchSpec, BranchStatus>;
export type FunctionObject = Managed<EdgeFunctionSpec, EdgeFunctionStatus>;
export type SecretObject = Managed<SecretSpec, SecretStatus>;

type StoreOf<O extends ManagedObject<unknown, unknown>> = ObjectStore<O["spec"], O["status"]>;

/** Our objects, by kind. */
export interface ObjectStores {
  readonly connections: StoreOf<ConnectionObject>;
  readonly clusterConnections: StoreOf<ClusterConnectionObject>;
  readonly projects: StoreOf<ProjectObject>;
  readonly branches: StoreOf<BranchObject>;
  readonly functions: StoreOf<FunctionObject>;
  readonly secrets: StoreOf<SecretObject>;
}

/** What is remembered of objects by their uid, until they are gone. */
export interface ObjectMemory {
  forget(uid: string): void;
}

/** What every controller is given: the two servers, the stores, and time. */
export interface Environment {
  readonly kube: KubeClient;
  readonly objects: ObjectStores;
  /** metadata of namespaces */
  readonly namespaces: StoreReader;
  /** metadata of core Secrets: values are read by name when they are needed */
  readonly coreSecrets: StoreReader;
  /** source objects of Flux, a store for each kind; empty where the cluster has no Flux */
  readonly fluxSources: readonly StoreReader[];
  readonly artifacts: Artifacts;
  /** metadata of ConfigMaps */
  readonly configMaps: StoreReader;
  readonly sessions: Sessions;
  readonly snapshots: ProjectSnapshots;
  readonly convergence: ConvergenceGuard;
  readonly absences: Absences;
  readonly deletions: DeletionTimes;
  readonly sections: SectionMemory;
  readonly refusedTries: RefusedTries;
  readonly driftChecks: DriftChecks;
  readonly waitingUsers: WaitingUsers;
  readonly memories: readonly ObjectMemory[];
  readonly withdrawals: Withdrawals;
  readonly keyRing: KeyRing;
  readonly releases: Releases;
  readonly events: EventSink;
  readonly enqueue: Enqueue;
  /** uid of the namespace kube-system */
  readonly cluster: string;
  /** policies that the operator's command line sets */
  readonly operatorPolicies: InheritablePolicies;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly meter: Meter;
}
