import type { Environment, FunctionObject } from "../environment.ts";
import type { Claimant } from "../shared/claims.ts";
import { actsIn, isRecordedIn, type Place } from "../shared/same-place.ts";

export function slugOf({ metadata, spec }: Pick<FunctionObject, "metadata" | "spec">): string {
  return spec.slug ?? metadata.name;
}

/** Every object that claims a function: one owner per place and slug (engine.md §4). */
export function claimants(environment: Environment, slug: string, place: Place): readonly Claimant[] {
  return environment.objects.functions
    .byIndex("name", slug)
    .filter((object) => slugOf(object) === slug && actsIn(environment, object, place))
    .map(({ kind, metadata, status }) => ({
      kind,
      metadata,
      status: { recordedFor: isRecordedIn({ metadata, spec: {}, status }, place) ? metadata.uid : undefined },
    }));
}
