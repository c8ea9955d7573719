import type { Store } from "../kube/store.ts";
import type { KubeObject } from "../resources/meta.ts";
import type { Reason } from "../resources/conditions.ts";
import type { Intent } from "../resources/status.ts";
import type { BranchObject, Environment, FunctionObject } from "./environment.ts";
import { NAME_INDEX, PARENT_INDEX, parentKey, REF_INDEX } from "./indexes.ts";
import { commonStatusOf } from "./shared/common-status.ts";
import { findCondition } from "./shared/conditions.ts";
import { parentRefIfKnown } from "./shared/parents.ts";
import type { ManagedObject, ObjectStore } from "./shared/object-store.ts";
import { storeOf } from "./watched-stores.ts";
import { hasSpoken, wakeWaiting } from "./watching.ts";

/** One way in which an object has to do with a value of an index: others by that value may wait for its end. */
interface Claim {
  readonly index: typeof NAME_INDEX | typeof REF_INDEX;
  readonly value: string | undefined;
  /** on what the claim stands, and where: asked for, asked for without an answer, or recorded */
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
function unanswered(intent: Intent | undefined): Claim {
  return { index: NAME_INDEX, value: intent?.name, by: "unanswered", tells: "ConfirmingAbsence" };
}

/** When an owner goes, or lets go, who lost to it may have its turn. */
export function wireClaims(environment: Environment, stores: readonly Store[]): void {
  const { projects, branches, functions } = environment.objects;
  const placesOf = ({ metadata, spec }: Child, recorded: string | undefined): readonly string[] =>
    [recorded, parentRefIfKnown(environment, metadata.namespace ?? "", spec)].filter((ref) => ref !== undefined);
  wireKind(environment, stores, projects, {
    claimsOf: ({ metadata, spec, status }) => {
      const by = `asked through ${spec.connectionRef?.kind} ${spec.connectionRef?.name}`;
      const { recordedFor, connection } = status;
      return [
        { index: REF_INDEX, value: spec.ref, by, tells },
        { index: NAME_INDEX, value: `${spec.organization}/${spec.name ?? metadata.name}`, by, tells },
        unanswered(status.intent),
        { index: REF_INDEX, value: status.ref, by: `recorded for ${recordedFor} on ${connection?.server}`, tells },
      ];
    },
    placesOf: () => [],
  });
  wireKind(environment, stores, branches, {
    claimsOf: ({ metadata, spec, status }) => [
      { index: NAME_INDEX, value: spec.name ?? metadata.name, by: "asked", tells },
      unanswered(status.intent),
      { index: NAME_INDEX, value: status.name, by: `recorded for ${status.recordedFor} in ${status.parentRef}`, tells },
    ],
    placesOf: (object) => placesOf(object, object.status.parentRef),
  });
  wireKind(environment, stores, functions, {
    claimsOf: ({ metadata, spec, status }) => [
      { index: NAME_INDEX, value: spec.slug ?? metadata.name, by: "asked", tells },
      { index: NAME_INDEX, value: status.slug, by: `recorded for ${status.recordedFor} in ${status.ref}`, tells },
    ],
    placesOf: (object) => placesOf(object, object.status.ref),
  });
  wireSecrets(environment, stores);
}

type Child = Pick<BranchObject | FunctionObject, "metadata" | "spec">;

interface Claiming<Object> {
  readonly claimsOf: (object: Object) => readonly Claim[];
  /** refs of the projects that its claims count in, as far as these are known; none: they may count anywhere */
  readonly placesOf: (object: Object) => readonly string[];
}

function mayMeet(places: readonly string[], others: readonly string[]): boolean {
  return places.length === 0 || others.length === 0 || places.some((ref) => others.includes(ref));
}

/** Wakes who waits at a value that an object of a kind has to do with no more, or not in that way. */
function wireKind<Spec, Status>(
  { enqueue }: Environment,
  stores: readonly Store[],
  kind: ObjectStore<Spec, Status>,
  { claimsOf, placesOf }: Claiming<ManagedObject<Spec, Status>>,
): void {
  const claims = (object: KubeObject): readonly Claim[] => {
    const parsed = kind.parse(object);
    return parsed.ok ? claimsOf(parsed.object) : [];
  };
  const places = (object: KubeObject): readonly string[] => {
    const parsed = kind.parse(object);
    return parsed.ok ? placesOf(parsed.object) : [];
  };
  const wake = (left: readonly Claim[], by: KubeObject): void => {
    for (const { index, value, tells: reason } of left) {
      if (value === undefined) continue;
      const others = kind.reader
        .byIndex(index, value)
        .filter((other) => other.metadata.uid !== by.metadata.uid && mayWait(other, reason))
        .filter((other) => mayMeet(places(by), places(other)));
      wakeWaiting(others, enqueue);
    }
  };
  storeOf(stores, kind.kind.type.kind).addHandler({
    added: () => undefined,
    updated: (before, now) => {
      const kept = new Set(claims(now).map((claim) => JSON.stringify(claim)));
      const left = claims(before).filter((claim) => !kept.has(JSON.stringify(claim)));
      wake(left, before);
    },
    deleted: (object) => wake(claims(object), object),
  });
}

/** Whether the claim stands in the way of an object, or did when the run looked that it has under way. */
function mayWait(object: KubeObject, reason: Claim["tells"]): boolean {
  return !hasSpoken(object) || isTold(object, reason);
}

function isTold(object: KubeObject, reason: Claim["tells"]): boolean {
  return findCondition(commonStatusOf(object).conditions, "Ready")?.reason === reason;
}

/** Whether a claim of another object stands in the way of an object, as that says: the server counts on which the other one is. */
export function hasLost(object: KubeObject): boolean {
  return isTold(object, "Conflict") || isTold(object, "ConfirmingAbsence");
}

/** The same, or it may say so when the run has ended that it has under way. */
export function mayHaveLost(object: KubeObject): boolean {
  return !hasSpoken(object) || hasLost(object);
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
