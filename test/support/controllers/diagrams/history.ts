import { findCondition } from "../../../../src/controllers/shared/conditions.ts";
import { sameJson } from "../../../../src/controllers/shared/merge-patch.ts";
import type { Store } from "../../../../src/kube/store.ts";
import { apiGroup } from "../../../../src/resources/annotations.ts";
import type { Condition, KubeObject } from "../../../../src/resources/meta.ts";
import { NAMESPACE } from "../life.ts";

/**
 * test/support/controllers/diagrams: what the status of an object shows from its first version to its end, as watches tell it, and what may follow
 * on what. This file: the versions of all objects, and what is true of any two that follow on each other.
 */

interface Shown {
  readonly observedGeneration: number;
  readonly conditions: readonly Condition[];
}

function shownBy({ status }: KubeObject): Shown {
  return { observedGeneration: -1, conditions: [], ...(status as Partial<Shown> | undefined) };
}

/**
 * What people and tools read of a version: `Ready` with its reason, and what of the other conditions says more. `-` before the first status.
 * Only what differs from Ready is written: `False InvalidSpec stalled`, `True Available reconciling ServerUnavailable`, `True Available drifted`.
 */
export function stateOf(object: KubeObject): string {
  const { conditions } = shownBy(object);
  const ready = findCondition(conditions, "Ready");
  const words = conditions.flatMap(({ type, status, reason }) => {
    if (type === "Ready" || type === "Reachable") return [];
    if (type === "Reconciling" || type === "Stalled") {
      return [type.toLowerCase(), ...(reason === ready?.reason ? [] : [reason])];
    }
    return [`${status === "True" ? "" : "not "}${type.toLowerCase()}`];
  });
  const first = ready === undefined ? [] : [`${ready.status} ${ready.reason}`];
  return conditions.length === 0 ? "-" : [...first, ...words.toSorted()].join(" ");
}

/** How one version of an object breaks what every status keeps to, beside the version before it. */
function faultsBetween(before: KubeObject | undefined, now: KubeObject): readonly string[] {
  const { observedGeneration, conditions } = shownBy(now);
  const { generation = 0 } = now.metadata;
  const is = (type: string): boolean => findCondition(conditions, type)?.status === "True";
  const faults: string[] = [];
  const forbid = (fault: boolean, words: string): void => void (fault && faults.push(words));
  forbid(is("Ready") && is("Stalled"), "Ready and Stalled");
  forbid(is("Reconciling") && is("Stalled"), "Reconciling and Stalled");
  forbid(is("Stalled") && findCondition(conditions, "Ready")?.status !== "False", "Stalled, and Ready is not False");
  forbid(
    findCondition(conditions, "Ready")?.status === "Unknown" && is("Stalled"),
    "Ready is Unknown where somebody must act",
  );
  forbid(observedGeneration > generation, "observedGeneration is ahead of the generation");
  forbid(
    conditions.some((one) => (one.observedGeneration ?? 0) > observedGeneration && !is("Paused")),
    "a condition speaks of a later generation than the status",
  );
  if (before === undefined) return faults;
  const was = shownBy(before);
  forbid(was.observedGeneration > observedGeneration, "observedGeneration went back");
  for (const condition of conditions) {
    const earlier = findCondition(was.conditions, condition.type);
    if (earlier === undefined) continue;
    const moved = earlier.lastTransitionTime !== condition.lastTransitionTime;
    // Times are whole seconds: a change within one second moves nothing.
    forbid(moved && earlier.status === condition.status, `lastTransitionTime of ${condition.type} moved by itself`);
  }
  forbid(isSame(before, now), "a write that changed nothing");
  return faults;
}

function isSame(a: KubeObject, b: KubeObject): boolean {
  const without = ({ metadata, ...rest }: KubeObject): object => ({
    ...rest,
    metadata: { ...metadata, resourceVersion: "" },
  });
  return sameJson(without(a), without(b));
}

/** Every version of the objects of our kinds that stores see, over any number of lives of the operator. */
export class History {
  readonly #versions = new Map<string, KubeObject[]>();
  readonly #gone = new Set<string>();

  /** Listens to the stores of one life. */
  follow(stores: readonly Store[]): void {
    const note = (object: KubeObject): void => {
      const key = keyOf(object);
      const known = this.#versions.get(key) ?? [];
      if (known.at(-1)?.metadata.resourceVersion !== object.metadata.resourceVersion) known.push(object);
      this.#versions.set(key, known);
    };
    for (const store of stores) {
      if (store.type.group !== apiGroup) continue;
      store.addHandler({
        added: note,
        updated: (_before, now) => note(now),
        deleted: (object) => void this.#gone.add(keyOf(object)),
      });
    }
  }

  /** The versions so far, oldest first. */
  of(kind: string, name: string, namespace = NAMESPACE): readonly KubeObject[] {
    return this.#versions.get(`${namespace}/${kind}/${name}`) ?? [];
  }

  isGone(kind: string, name: string, namespace = NAMESPACE): boolean {
    return this.#gone.has(`${namespace}/${kind}/${name}`);
  }

  /** Every fault of every version, by object. */
  faults(): readonly string[] {
    return [...this.#versions].flatMap(([key, versions]) =>
      versions.flatMap((now, at) =>
        faultsBetween(versions[at - 1], now).map((fault) => `${key}: ${fault}: ${stateOf(now)}`),
      ),
    );
  }
}

function keyOf({ kind, metadata: { namespace = "", name } }: KubeObject): string {
  return `${namespace}/${kind}/${name}`;
}
