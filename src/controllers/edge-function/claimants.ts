import type { Environment, FunctionObject } from "../environment.ts";
import type { Claimant } from "../shared/claims.ts";
import { objectNameOf } from "../shared/ownership.ts";
import { actsIn, isRecordedIn, type RemotePlace } from "../shared/same-place.ts";
import { CLAIM_INDEX, functionClaim, REF_INDEX } from "../indexes.ts";

export function slugOf({ metadata, spec }: Pick<FunctionObject, "metadata" | "spec">): string {
  return spec.slug ?? metadata.name;
}

/** Every function of that slug that is recorded in the place, or names what stands for it. */
function namingPlace({ objects }: Environment, slug: string, ref: string): ReadonlySet<FunctionObject> {
  const { projects, branches, functions } = objects;
  const places = [
    ref,
    `ref/${ref}`,
    ...projects.byIndex(REF_INDEX, ref).map(({ metadata }) => `Project/${objectNameOf(metadata)}`),
    ...branches.byIndex(REF_INDEX, ref).map(({ metadata }) => `Branch/${objectNameOf(metadata)}`),
  ];
  return new Set(places.flatMap((place) => functions.byIndex(CLAIM_INDEX, functionClaim(place, slug))));
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
