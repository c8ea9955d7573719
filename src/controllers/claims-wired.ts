import type { Store } from "../kube/store.ts";
import type { KubeObject } from "../resources/meta.ts";
import type { Reason } from "../resources/conditions.ts";
import type { Intent } from "../resources/status.ts";
import type { BranchObject, Environment, FunctionObject } from "./environment.ts";
import { NAME_INDEX, PARENT_INDEX, parentKey, REF_INDEX } from "./indexes.ts";
import { secretsAt } from "./secret/claimants.ts";
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

/** Of each kind but Secret, whose claims go by their names alone: what its objects claim. */
function claimingKinds(environment: Environment): readonly Claims[] {
  const { projects, branches, functions } = environment.objects;
  const placesOf = ({ metadata, spec }: Child, recorded: string | undefined): readonly string[] =>
    [recorded, parentRefIfKnown(environment, metadata.namespace ?? "", spec)].filter((ref) => ref !== undefined);
  return [
    claimsIn(projects, {
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
    }),
    claimsIn(branches, {
      claimsOf: ({ metadata, spec, status: { intent, name, recordedFor, parentRef } }) => [
        { index: NAME_INDEX, value: spec.name ?? metadata.name, by: "asked", tells },
        unanswered(intent),
        { index: NAME_INDEX, value: name, by: `recorded for ${recordedFor} in ${parentRef}`, tells },
      ],
      placesOf: (object) => placesOf(object, object.status.parentRef),
    }),
    claimsIn(functions, {
      claimsOf: ({ metadata, spec, status: { slug, recordedFor, ref } }) => [
        { index: NAME_INDEX, value: spec.slug ?? metadata.name, by: "asked", tells },
        { index: NAME_INDEX, value: slug, by: `recorded for ${recordedFor} in ${ref}`, tells },
      ],
      placesOf: (object) => placesOf(object, object.status.ref),
    }),
  ];
}

/** When an owner goes, or lets go, who lost to it may have its turn. */
export function wireClaims(environment: Environment, stores: readonly Store[]): void {
  for (const claims of claimingKinds(environment)) wireKind(environment, stores, claims);
  wireSecrets(environment, stores);
}

/**
 * Who may wait for an object to let go of what it has or asks for: whether it counts depends on the server that its connection reaches, and on whether
 * that works.
 */
export function rivalsIn(environment: Environment): (object: KubeObject) => readonly KubeObject[] {
  const kinds = claimingKinds(environment);
  return (object) => {
    if (object.kind === "Secret") return rivalsOfSecret(environment, object);
    const claims = kinds.find(({ kind }) => kind === object.kind);
    return claims?.waitingFor(claims.of(object), object) ?? [];
  };
}

function rivalsOfSecret(environment: Environment, object: KubeObject): readonly KubeObject[] {
  const parsed = environment.objects.secrets.parse(object);
  if (!parsed.ok) return [];
  const { metadata, spec, status } = parsed.object;
  const refs = [status.ref, parentRefIfKnown(environment, metadata.namespace ?? "", spec)];
  return secretsAt(
    environment,
    parsed.object,
    refs.filter((ref) => ref !== undefined),
  ).flatMap(({ metadata: { namespace = "", name, uid } }) => {
    const other = environment.objects.secrets.raw(namespace, name);
    return other !== undefined && uid !== metadata.uid && mayWait(other, tells) ? [other] : [];
  });
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

/** What objects of a kind claim. */
interface Claims {
  readonly kind: string;
  readonly of: (object: KubeObject) => readonly Claim[];
  /** Who may wait for claims of an object to end. */
  readonly waitingFor: (claims: readonly Claim[], by: KubeObject) => readonly KubeObject[];
}

function claimsIn<Spec, Status>(
  kind: ObjectStore<Spec, Status>,
  { claimsOf, placesOf }: Claiming<ManagedObject<Spec, Status>>,
): Claims {
  const places = (object: KubeObject): readonly string[] => {
    const parsed = kind.parse(object);
    return parsed.ok ? placesOf(parsed.object) : [];
  };
  return {
    kind: kind.kind.type.kind,
    of: (object) => {
      const parsed = kind.parse(object);
      return parsed.ok ? claimsOf(parsed.object) : [];
    },
    waitingFor: (claims, by) =>
      claims.flatMap(({ index, value, tells: reason }) =>
        value === undefined
          ? []
          : [...kind.reader.byIndex(index, value)]
              .filter((other) => other.metadata.uid !== by.metadata.uid && mayWait(other, reason))
              .filter((other) => mayMeet(places(by), places(other))),
      ),
  };
}

/** Wakes who waits at a value that an object of a kind has to do with no more, or not in that way. */
function wireKind({ enqueue }: Environment, stores: readonly Store[], { kind, of, waitingFor }: Claims): void {
  storeOf(stores, kind).addHandler({
    added: () => undefined,
    updated: (before, now) => {
      const kept = new Set(of(now).map((claim) => JSON.stringify(claim)));
      const left = of(before).filter((claim) => !kept.has(JSON.stringify(claim)));
      wakeWaiting(waitingFor(left, before), enqueue);
    },
    deleted: (object) => wakeWaiting(waitingFor(of(object), object), enqueue),
  });
}

/** Whether an object says that the claim stands in its way; one that has not come to the end of its run may say so then. */
function mayWait(object: KubeObject, reason: Claim["tells"]): boolean {
  return !hasSpoken(object) || findCondition(commonStatusOf(object).conditions, "Ready")?.reason === reason;
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
