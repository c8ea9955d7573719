import type { Store } from "../kube/store.ts";
import type { KubeObject } from "../resources/meta.ts";
import type { Reason } from "../resources/conditions.ts";
import type { Intent } from "../resources/status.ts";
import type { BranchObject, Environment, FunctionObject, SecretObject } from "./environment.ts";
import { CLAIM_INDEX, claimAt, NAME_INDEX, PARENT_INDEX, parentKey, REF_INDEX } from "./indexes.ts";
import { placedName } from "./project/claimants.ts";
import { commonStatusOf } from "./shared/common-status.ts";
import { findCondition } from "./shared/conditions.ts";
import { notedRef } from "./shared/ownership.ts";
import { parentRefIfKnown } from "./shared/parents.ts";
import { parentsAt } from "./shared/same-place.ts";
import type { KnownObject, ObjectStore } from "./shared/object-store.ts";
import { storeOf } from "./watched-stores.ts";
import { hasSpoken, wakeWaiting } from "./watching.ts";

/** One way in which an object has to do with a value of an index: others by that value may wait for its end. */
interface Claim {
  /** CLAIM_INDEX: that of a name, which counts in the places of the object alone */
  readonly index: typeof NAME_INDEX | typeof REF_INDEX | typeof CLAIM_INDEX;
  readonly value: string | undefined;
  /** on what the claim stands, and where: asked for (by one that has something on record, or has made nothing yet), asked for without an answer, or recorded */
  readonly by: string;
  /**
   * what is told whom the claim stands in the way of: nobody is woken who is told another thing, least of all whom the platform refused, who would ask it
   * again at once
   */
  readonly tells: Extract<Reason, "Conflict" | "ConfirmingAbsence">;
}

/** A claim of who made something, or means to. */
const tells = "Conflict";

/** A claim of who asked for something and knows of no answer. */
function unanswered(index: Claim["index"], intent: Intent | undefined): Claim {
  return { index, value: intent?.name, by: "unanswered", tells: "ConfirmingAbsence" };
}

/** Of who declares a name: others are told whether it has made anything. */
function declared({
  metadata,
  status,
}: Pick<KnownObject<unknown, { recordedFor?: string | undefined }>, "metadata" | "status">): string {
  return status.recordedFor === metadata.uid ? "has" : "asked";
}

/** Of each kind but Secret, whose claims go by their names alone: what its objects claim. */
function claimingKinds(environment: Environment): readonly Claims[] {
  const { projects, branches, functions } = environment.objects;
  return [
    claimsIn(environment, projects, {
      claimsOf: (object) => {
        const { metadata, spec, status } = object;
        const by = `${declared(object)} through ${spec?.connectionRef?.kind} ${spec?.connectionRef?.name}`;
        const { recordedFor, connection } = status;
        return [
          { index: REF_INDEX, value: spec?.ref, by, tells },
          { index: NAME_INDEX, value: placedName(object), by, tells },
          { index: REF_INDEX, value: notedRef(metadata), by: "noted", tells },
          unanswered(NAME_INDEX, status.intent),
          { index: REF_INDEX, value: status.ref, by: `recorded for ${recordedFor} on ${connection?.server}`, tells },
        ];
      },
      placesOf: () => [],
    }),
    claimsIn(environment, branches, {
      claimsOf: (object) => {
        const { metadata, spec, status } = object;
        const { intent, name, recordedFor, parentRef } = status;
        return [
          { index: CLAIM_INDEX, value: spec && (spec.name ?? metadata.name), by: declared(object), tells },
          unanswered(CLAIM_INDEX, intent),
          { index: CLAIM_INDEX, value: name, by: `recorded for ${recordedFor} in ${parentRef}`, tells },
        ];
      },
      placesOf: (object) => placesOf(environment, object, object.status.parentRef),
    }),
    claimsIn(environment, functions, {
      claimsOf: ({ metadata, spec, status: { slug, recordedFor, ref } }) => [
        { index: CLAIM_INDEX, value: spec && (spec.slug ?? metadata.name), by: "asked", tells },
        { index: CLAIM_INDEX, value: slug, by: `recorded for ${recordedFor} in ${ref}`, tells },
      ],
      placesOf: (object) => placesOf(environment, object, object.status.ref),
    }),
  ];
}

/** When an owner goes, or lets go, who lost to it may have its turn. */
export function wireClaims(environment: Environment, stores: readonly Store[]): void {
  for (const claims of claimingKinds(environment)) wireKind(environment, stores, claims);
  wireSecrets(environment, stores);
}

/**
 * Objects, and who may wait for one of them to let go of what it has or asks for: to be woken when their connection reaches another server than before, or
 * works no more, or does not admit them. All of a connection's users are asked for at once, since thousands of them may have one name: whoever looked
 * through these for each of them would stand still until the lease is lost.
 */
export function rivalsIn(environment: Environment): (users: readonly KubeObject[]) => readonly KubeObject[] {
  const kinds = claimingKinds(environment);
  return (users) => [
    ...users,
    ...kinds.flatMap(({ kind, of, waitingFor }) => {
      const claiming = users.filter((user) => user.kind === kind).map((by) => ({ by, claims: of(by) }));
      return [...waitingFor(claiming)];
    }),
    ...rivalsOfSecrets(
      environment,
      users.filter((user) => user.kind === "Secret"),
    ),
  ];
}

/** Each place is looked through once, however many of the objects are there. */
function rivalsOfSecrets(environment: Environment, objects: readonly KubeObject[]): readonly KubeObject[] {
  const { secrets } = environment.objects;
  const places = objects.flatMap((object) => {
    const known = secrets.known(object);
    return placesOf(environment, known, known.status.ref);
  });
  const parents = new Set(distinct(places).flatMap((place) => namedBy(environment, place)));
  const others = othersThan(objects);
  return [...parents]
    .flatMap((parent) => secrets.reader.byIndex(PARENT_INDEX, parent))
    .filter((other) => others(other) && mayWait(other, tells));
}

/** Where a child lives: what its spec says, or the ref of a project or branch. */
type Place = { readonly parent: string } | { readonly ref: string };

type Child = Pick<KnownObject<(BranchObject | FunctionObject | SecretObject)["spec"], unknown>, "metadata" | "spec">;

/** Where the names of a child count, as far as that is known. @param recorded the ref that its status says */
function placesOf(environment: Environment, { metadata, spec }: Child, recorded: string | undefined): readonly Place[] {
  const { namespace = "" } = metadata;
  if (spec === undefined) return recorded === undefined ? [] : [{ ref: recorded }];
  const refs = [recorded, parentRefIfKnown(environment, namespace, spec)].filter((ref) => ref !== undefined);
  return [{ parent: parentKey(namespace, spec) }, ...refs.map((ref) => ({ ref }))];
}

/** By what children of a place are found there. */
function namedBy(environment: Environment, place: Place): readonly string[] {
  return "parent" in place ? [place.parent] : [place.ref, ...parentsAt(environment, place.ref)];
}

function distinct<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

function othersThan(objects: readonly KubeObject[]): (object: KubeObject) => boolean {
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  return ({ metadata }) => !uids.has(metadata.uid);
}

interface Claiming<Object> {
  readonly claimsOf: (object: Object) => readonly Claim[];
  /** where its claims of names at a place count */
  readonly placesOf: (object: Object) => readonly Place[];
}

/** What an object claims, or has to do with no more. */
interface Claimed {
  readonly by: KubeObject;
  readonly claims: readonly Claim[];
}

/** What objects of a kind claim. */
interface Claims {
  readonly kind: string;
  readonly of: (object: KubeObject) => readonly Claim[];
  /** Who else may wait for these claims to end. */
  readonly waitingFor: (claimed: readonly Claimed[]) => ReadonlySet<KubeObject>;
}

/** Where others that claim the same are found, and what those are told who wait: for all objects that claim it, once. */
interface Sought {
  readonly index: Claim["index"];
  readonly value: string;
  readonly place?: Place;
  readonly reason: Claim["tells"];
}

function claimsIn<Spec, Status>(
  environment: Environment,
  kind: ObjectStore<Spec, Status>,
  claiming: Claiming<KnownObject<Spec, Status>>,
): Claims {
  const soughtFor = ({ by, claims }: Claimed): readonly Sought[] => {
    const places = claims.some(({ index }) => index === CLAIM_INDEX) ? claiming.placesOf(kind.known(by)) : [];
    return claims.flatMap(({ index, value, tells: reason }) => {
      if (value === undefined) return [];
      const sought = { index, value, reason };
      return index === CLAIM_INDEX ? places.map((place) => ({ ...sought, place })) : [sought];
    });
  };
  return {
    kind: kind.kind.type.kind,
    of: (object) => claiming.claimsOf(kind.known(object)),
    waitingFor: (claimed) => {
      const others = othersThan(claimed.map(({ by }) => by));
      const waiting = distinct(claimed.flatMap((one) => soughtFor(one))).flatMap(({ index, value, place, reason }) => {
        const values = place === undefined ? [value] : namedBy(environment, place).map((at) => claimAt(at, value));
        return values
          .flatMap((one) => kind.reader.byIndex(index, one))
          .filter((other) => others(other) && mayWait(other, reason));
      });
      return new Set(waiting);
    },
  };
}

/** Wakes who waits at a value that an object of a kind has to do with no more, or not in that way. */
function wireKind({ enqueue }: Environment, stores: readonly Store[], { kind, of, waitingFor }: Claims): void {
  storeOf(stores, kind).addHandler({
    added: () => undefined,
    updated: (before, now) => {
      const kept = new Set(of(now).map((claim) => JSON.stringify(claim)));
      const left = of(before).filter((claim) => !kept.has(JSON.stringify(claim)));
      wakeWaiting(waitingFor([{ by: before, claims: left }]), enqueue);
    },
    deleted: (object) => wakeWaiting(waitingFor([{ by: object, claims: of(object) }]), enqueue),
  });
}

/** Whether an object says that the claim stands in its way; one that has not come to the end of its run may say so then. */
function mayWait(object: KubeObject, reason: Claim["tells"]): boolean {
  return !hasSpoken(object) || findCondition(commonStatusOf(object).conditions, "Ready")?.reason === reason;
}

function wireSecrets(environment: Environment, stores: readonly Store[]): void {
  const { objects, enqueue } = environment;
  const { secrets } = objects;
  const wakeRivals = (object: KubeObject): void => {
    const known = secrets.known(object);
    const places = placesOf(environment, known, known.status.ref);
    const parents = new Set(places.flatMap((place) => namedBy(environment, place)));
    const rivals = [...parents].flatMap((parent) => secrets.reader.byIndex(PARENT_INDEX, parent));
    wakeWaiting(rivals, enqueue);
  };
  const heldBy = (object: KubeObject): readonly string[] => {
    const { ref = "", names = [] } = secrets.kind.parseStatus(object);
    return names.map((name) => claimAt(ref, name));
  };
  storeOf(stores, "Secret").addHandler({
    added: () => undefined,
    // An object may let go of a name, or of all in a place, without going itself.
    updated: (before, now) => {
      const left = new Set(heldBy(now));
      if (heldBy(before).some((held) => !left.has(held))) wakeRivals(before);
    },
    deleted: wakeRivals,
  });
}
