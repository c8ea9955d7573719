import type { Environment, FunctionObject } from "../environment.ts";
import type { Claimant } from "../shared/claims.ts";
import { actsIn, claimsAt, isRecordedIn, type RemotePlace } from "../shared/same-place.ts";
import { CLAIM_INDEX } from "../indexes.ts";

export function slugOf({ metadata, spec }: Pick<FunctionObject, "metadata" | "spec">): string {
  return spec.slug ?? metadata.name;
}

/** Every function of that slug that is recorded in the place, or names what stands for it. */
function namingPlace(environment: Environment, slug: string, ref: string): ReadonlySet<FunctionObject> {
  const { functions } = environment.objects;
  return new Set(claimsAt(environment, ref, slug).flatMap((claim) => functions.byIndex(CLAIM_INDEX, claim)));
}

/** Every object that claims a function: one owner per place and slug (engine.md §4). */
export function claimants(environment: Environment, slug: string, place: RemotePlace): readonly Claimant[] {
  return [...namingPlace(environment, slug, place.ref)]
    .filter((object) => actsIn(environment, object, place))
    .map(({ kind, metadata, status }) => ({
      kind,
      metadata,
      status: { recordedFor: isRecordedIn({ metadata, spec: {}, status }, place) ? metadata.uid : undefined },
    }));
}
