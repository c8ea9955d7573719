import type { Environment, SecretObject } from "../environment.ts";
import { type Claimant, ownerOf } from "../shared/claims.ts";
import { terminal } from "../shared/failures.ts";
import { actsIn, isRecordedIn, parentsAt, type RemotePlace } from "../shared/same-place.ts";
import { PARENT_INDEX, parentKey } from "../indexes.ts";
import { declaredNames } from "./names.ts";

/** How often a name that another object owns is looked at, milliseconds; where both have one parent, its release wakes at once. */
const OWNED_LOOK_MS = 600_000;

/** Every Secret object that names a place, or the parent of one in it. @param ref of the place */
function secretsAt(
  environment: Environment,
  { metadata, spec }: Pick<SecretObject, "metadata" | "spec">,
  ref: string,
): readonly SecretObject[] {
  const parents = new Set([parentKey(metadata.namespace ?? "", spec), ...parentsAt(environment, ref)]);
  return [...parents].flatMap((parent) => environment.objects.secrets.byIndex(PARENT_INDEX, parent));
}

/** What one object claims. */
interface Claims {
  readonly object: Pick<SecretObject, "kind" | "metadata">;
  /** names that it set, or recorded that it is about to set */
  readonly recorded: ReadonlySet<string>;
  /** names that its manifest shows */
  readonly declared: ReadonlySet<string>;
}

function claimsOf(object: SecretObject, place: RemotePlace): Claims {
  const recorded = isRecordedIn(object, place) ? (object.status.names ?? []) : [];
  return { object, recorded: new Set(recorded), declared: new Set(declaredNames(object.spec.from)) };
}

/** Who owns which name of a place (engine.md §4). */
export class NameClaims {
  readonly #all: readonly Claims[];

  /** @param ours names that the object set, as its run knows them now */
  constructor(
    environment: Environment,
    object: SecretObject,
    { place, ours }: { place: RemotePlace; ours: readonly string[] },
  ) {
    const others = secretsAt(environment, object, place.ref).filter(
      (other) => other.metadata.uid !== object.metadata.uid && actsIn(environment, other, place),
    );
    this.#all = [
      { object, recorded: new Set(ours), declared: new Set(declaredNames(object.spec.from)) },
      ...others.map((other) => claimsOf(other, place)),
    ];
  }

  /** The one that owns the name; undefined where nobody claims it. */
  owner(name: string): Claimant | undefined {
    return ownerOf(
      this.#all
        .filter(({ recorded, declared }) => recorded.has(name) || declared.has(name))
        .map(({ object: { kind, metadata }, recorded }) => ({
          kind,
          metadata,
          status: { recordedFor: recorded.has(name) ? metadata.uid : undefined },
        })),
    );
  }

  /** Whether an object has a name on record that is not the one that this is asked for. */
  isRecordedByAnother(name: string): boolean {
    const [, ...others] = this.#all;
    return others.some(({ recorded }) => recorded.has(name));
  }

  /**
   * The object may set all of the names.
   *
   * @throws TerminalError Conflict naming who owns one of them
   */
  require({ metadata }: SecretObject, names: readonly string[]): void {
    for (const name of names) {
      const owner = this.owner(name);
      if (owner === undefined || owner.metadata.uid === metadata.uid) continue;
      const { namespace = "", name: ownerName } = owner.metadata;
      throw terminal(
        "Conflict",
        `the secret ${name} belongs to the Secret object ${ownerName} in namespace ${namespace}: remove the name from one of the two objects`,
        { recheckAfterMs: OWNED_LOOK_MS },
      );
    }
  }
}
