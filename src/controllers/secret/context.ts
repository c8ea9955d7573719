import type { DeepReadonly } from "../../resources/kind.ts";
import type { SecretStatus } from "../../resources/secret/status.ts";
import type { SecretObject } from "../environment.ts";
import type { KeyedMutex } from "../shared/keyed-mutex.ts";
import type { ParentPlace } from "../shared/parents.ts";
import type { EffectivePolicies } from "../shared/policies.ts";
import type { Run } from "../shared/run.ts";
import type { ProjectSnapshot } from "../shared/snapshot.ts";

/** A run of a Secret. */
export type SecretRun = Run<DeepReadonly<SecretStatus>>;

/** What the steps of one run share. */
export interface SecretContext {
  readonly object: SecretObject;
  readonly place: ParentPlace;
  readonly policies: EffectivePolicies;
  /** the secrets of the place, as last read or written: names and digests */
  readonly list: ProjectSnapshot["secrets"];
  /** lets one object of a place at a time look whose a name is and record it */
  readonly claiming: KeyedMutex;
}
