import type { Store } from "../kube/store.ts";
import type { KubeObject } from "../resources/meta.ts";
import type { Environment } from "./environment.ts";
import { NAME_INDEX, PARENT_INDEX, parentKey, REF_INDEX } from "./indexes.ts";
import type { ManagedObject, ObjectStore } from "./shared/object-store.ts";
import { storeOf } from "./watched-stores.ts";
import { wakeWaiting } from "./watching.ts";

/** One way in which an object has to do with a value of an index: others by that value may wait for its end. */
interface Claim {
  readonly index: typeof NAME_INDEX | typeof REF_INDEX;
  readonly value: string | undefined;
  /** on what the claim stands, and where: asked for, asked for without an answer, or recorded */
  readonly by: string;
}

/** When an owner goes, or lets go, who lost to it may have its turn. */
export function wireClaims(environment: Environment, stores: readonly Store[]): void {
  const { projects, branches, functions } = environment.objects;
  wireKind(environment, stores, projects, ({ metadata, spec, status }) => {
    const asked = `asked through ${spec.connectionRef?.kind} ${spec.connectionRef?.name}`;
    return [
      { index: REF_INDEX, value: spec.ref, by: asked },
      { index: NAME_INDEX, value: `${spec.organization}/${spec.name ?? metadata.name}`, by: asked },
      { index: NAME_INDEX, value: status.intent?.name, by: "unanswered" },
      { index: REF_INDEX, value: status.ref, by: `recorded for ${status.recordedFor} on ${status.connection?.server}` },
    ];
  });
  wireKind(environment, stores, branches, ({ metadata, spec, status }) => [
    { index: NAME_INDEX, value: spec.name ?? metadata.name, by: "asked" },
    { index: NAME_INDEX, value: status.intent?.name, by: "unanswered" },
    { index: NAME_INDEX, value: status.name, by: `recorded for ${status.recordedFor} in ${status.parentRef}` },
  ]);
  wireKind(environment, stores, functions, ({ metadata, spec, status }) => [
    { index: NAME_INDEX, value: spec.slug ?? metadata.name, by: "asked" },
    { index: NAME_INDEX, value: status.slug, by: `recorded for ${status.recordedFor} in ${status.ref}` },
  ]);
  wireSecrets(environment, stores);
}

/** Wakes who waits at a value that an object of a kind has to do with no more, or not in that way. */
function wireKind<Spec, Status>(
  { enqueue }: Environment,
  stores: readonly Store[],
  kind: ObjectStore<Spec, Status>,
  claimsOf: (object: ManagedObject<Spec, Status>) => readonly Claim[],
): void {
  const claims = (object: KubeObject): readonly Claim[] => {
    const parsed = kind.parse(object);
    return parsed.ok ? claimsOf(parsed.object) : [];
  };
  const wake = (left: readonly Claim[], by: KubeObject): void => {
    for (const { index, value } of left) {
      if (value === undefined) continue;
      const others = kind.reader.byIndex(index, value).filter(({ metadata }) => metadata.uid !== by.metadata.uid);
      wakeWaiting(others, enqueue);
    }
  };
  storeOf(stores, kind.kind.type.kind).addHandler({
    added: () => undefined,
    updated: (before, now) => {
      const kept = new Set(claims(now).map((claim) => JSON.stringify(claim)));
      const left = claims(before).filter((claim) => !kept.has(JSON.stringify(claim)));
      wake(left, now);
    },
    deleted: (object) => wake(claims(object), object),
  });
}

function wireSecrets({ objects: { secrets }, enqueue }: Environment, stores: readonly Store[]): void {
  const wakeSiblings = (object: KubeObject): void => {
    const parsed = secrets.parse(object);
    if (!parsed.ok) return;
    const parent = parentKey(object.metadata.namespace ?? "", parsed.object.spec);
    wakeWaiting(secrets.reader.byIndex(PARENT_INDEX, parent), enqueue);
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
