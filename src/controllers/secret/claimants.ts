import type { Environment, SecretObject } from "../environment.ts";
import { type Claimant, ownerOf } from "../shared/claims.ts";
import { terminal } from "../shared/failures.ts";
import type { KnownObject } from "../shared/object-store.ts";
import { actsIn, isRecordedIn, parentsAt, type RemotePlace, standingFor } from "../shared/same-place.ts";
import { PARENT_INDEX, parentKey, REF_INDEX } from "../indexes.ts";
import { declaredNames } from "./names.ts";

/** How often a name that another object owns is looked at, milliseconds; where both have one parent, its release wakes at once. */
const OWNED_LOOK_MS = 600_000;

type KnownSecret = KnownObject<SecretObject["spec"], SecretObject["status"]>;

/** Every Secret object that names a place, or the parent of one in it, or is recorded there. @param ref of the place */
function secretsAt(
  environment: Environment,
  { metadata, spec }: Pick<SecretObject, "metadata" | "spec">,
  ref: string,
): readonly KnownSecret[] {
  const { secrets } = environment.objects;
  const parents = new Set([parentKey(metadata.namespace ?? "", spec), ...parentsAt(environment, ref)]);
  const naming = [...parents].flatMap((parent) => secrets.byIndex(PARENT_INDEX, parent));
  const all = [...naming, ...secrets.recordsByIndex(REF_INDEX, ref)];
  return [...new Map(all.map((one) => [one.metadata.uid, one])).values()];
}

/** What one object claims. */
interface Claims {
  readonly object: Pick<KnownSecret, "kind" | "metadata">;
  /** names that it set, or recorded that it is about to set */
  readonly recorded: ReadonlySet<string>;
  /** names that its manifest shows, where it may set them there */
  readonly declared: ReadonlySet<string>;
  readonly isIdle: boolean;
}

/** @param recorded names that it has there on record @param standsFor whether what it names is the place */
function claimsOf(
  object: KnownSecret,
  recorded: readonly string[],
  standsFor: (object: KnownSecret) => boolean,
): Claims {
  const { spec, unread } = object;
  // What is read under deletion in the place of a `from` that is wrong declares nothing.
  const acts = spec !== undefined && unread === undefined && standsFor(object);
  return {
    object,
    recorded: new Set(recorded),
    declared: new Set(acts ? declaredNames(spec.from) : []),
    isIdle: !acts,
  };
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
    const standsFor = standingFor(environment, place.ref);
    this.#all = [
      claimsOf(object, ours, standsFor),
      ...others.map((other) => {
        const recorded = isRecordedIn(other, place) ? (other.status.names ?? []) : [];
        return claimsOf(other, recorded, standsFor);
      }),
    ];
  }

  /** The one that owns the name; undefined where nobody claims it. */
  owner(name: string): Claimant | undefined {
    return ownerOf(
      this.#all
        .filter(({ recorded, declared }) => recorded.has(name) || declared.has(name))
        .map(({ object: { kind, metadata }, recorded, isIdle }) => ({
          kind,
          metadata,
          status: { recordedFor: recorded.has(name) ? metadata.uid : undefined },
          isIdle,
        })),
    );
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
