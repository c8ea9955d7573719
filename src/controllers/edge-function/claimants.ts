import type { Environment, FunctionObject } from "../environment.ts";
import type { Claimant } from "../shared/claims.ts";
import type { KnownObject } from "../shared/object-store.ts";
import { actsIn, claimsAt, isRecordedIn, type RemotePlace, standingFor } from "../shared/same-place.ts";
import { CLAIM_INDEX } from "../indexes.ts";

export function slugOf({ metadata, spec }: Pick<FunctionObject, "metadata" | "spec">): string {
  return spec.slug ?? metadata.name;
}

type KnownFunction = KnownObject<FunctionObject["spec"], FunctionObject["status"]>;

/** Every function of that slug that is recorded in the place, or names what stands for it. */
function namingPlace(environment: Environment, slug: string, ref: string): ReadonlySet<KnownFunction> {
  const { functions } = environment.objects;
  return new Set(claimsAt(environment, ref, slug).flatMap((claim) => functions.recordsByIndex(CLAIM_INDEX, claim)));
}

/** Every object that claims a function: one owner per place and slug (engine.md §4). */
export function claimants(environment: Environment, slug: string, place: RemotePlace): readonly Claimant[] {
  const standsFor = standingFor(environment, place.ref);
  return [...namingPlace(environment, slug, place.ref)]
    .filter((object) => actsIn(environment, object, place))
    .map((object) => {
      const { kind, metadata } = object;
      const recordedFor = isRecordedIn(object, place) ? metadata.uid : undefined;
      return { kind, metadata, status: { recordedFor }, isIdle: !standsFor(object) };
    });
}
