import { createHmac, randomBytes } from "node:crypto";
import type { KubeObject } from "../resources/meta.ts";
import type { Key } from "../runtime/key.ts";
import type { Reconciler } from "../runtime/reconciler.ts";
import type { Environment } from "./environment.ts";
import { CONFIG_MAP_INDEX, SECRET_INDEX } from "./indexes.ts";
import { readConfigMap, readSecret } from "./shared/core-objects.ts";
import type { CoreConfigMap } from "./shared/core-types.ts";
import { objectNameOf } from "./shared/ownership.ts";
import { isReadyNow, isRefused, keyOf } from "./watching.ts";

/**
 * Secrets and ConfigMaps that somebody has touched, and that objects refer to which were refused. What these hold nobody watches: a label of theirs looks
 * like another value, and whoever sets it again and again would have the platform asked again and again for what it refused. So they are read, and who was
 * refused runs only if what they hold is another than when it was last made to run for them.
 */

/** Of a Secret and of a ConfigMap, as keys of the work queue; Secret is the name of a kind of ours. */
const kinds = { Secret: "ReferencedSecret", ConfigMap: "ReferencedConfigMap" } as const;

/** What is remembered at most; what is forgotten costs one request more. */
const MOST_REMEMBERED = 4096;

/** The key of a core Secret or ConfigMap. */
export function touchedKey({ kind, metadata: { namespace = "", name } }: KubeObject): Key {
  return { kind: kind === "Secret" ? kinds.Secret : kinds.ConfigMap, namespace, name };
}

/** Who refers to a core Secret or ConfigMap. */
export function usersOf(environment: Environment, { kind, metadata }: KubeObject): readonly KubeObject[] {
  return usersAt(environment, kind === "Secret" ? kinds.Secret : kinds.ConfigMap, objectNameOf(metadata));
}

function usersAt({ objects }: Environment, kind: string, place: string): readonly KubeObject[] {
  const { projects, branches, functions, secrets } = objects;
  const [index, stores] =
    kind === kinds.Secret
      ? [SECRET_INDEX, [projects, branches, secrets]]
      : [CONFIG_MAP_INDEX, [projects, branches, functions]];
  return stores.flatMap(({ reader }) => [...reader.byIndex(index, place)]);
}

/** The reconcilers of what objects refer to. */
export function touchedReconcilers(environment: Environment): readonly Reconciler[] {
  return Object.values(kinds).map((kind) => touchedReconciler(environment, kind));
}

function touchedReconciler(environment: Environment, kind: (typeof kinds)[keyof typeof kinds]): Reconciler {
  const marks = new Marks();
  return {
    kind,
    groupOf: ({ namespace, name }) => `${namespace}/${name}`,
    reconcile: async ({ namespace, name }, { signal }) => {
      const place = `${namespace}/${name}`;
      const refused = usersAt(environment, kind, place).filter(
        (user) => user.metadata.deletionTimestamp === undefined && isRefused(user),
      );
      // Whoever runs at each touch may be refused what it holds then.
      if (refused.length === 0) {
        marks.forget(place);
        return {};
      }
      const { kube } = environment;
      const read = kind === kinds.Secret ? readSecret : readConfigMap;
      const held: Held | undefined = await read(kube, { namespace, name }, signal);
      // What they were refused for is not known by them: who was edited since may be refused for what was there before.
      const users = refused.map(({ metadata: { uid, generation } }) => `${uid} ${generation}`);
      if (!marks.isOther(place, { held, users })) return {};
      for (const user of refused) environment.enqueue(keyOf(user), { lane: "change", wasReady: isReadyNow(user) });
      return {};
    },
  };
}

/** What a Secret or ConfigMap holds. */
type Held = Pick<CoreConfigMap, "metadata"> & { readonly data: object; readonly binaryData?: object };

interface Seen {
  readonly held: Held | undefined;
  /** who was refused, and as of which edit */
  readonly users: readonly string[];
}

/** Tells what was seen from what is, and gives nothing of it away. */
class Marks {
  readonly #key = randomBytes(32);
  readonly #of = new Map<string, string>();

  forget(place: string): void {
    this.#of.delete(place);
  }

  /** Whether something else is there than was seen last, and notes it. */
  isOther(place: string, { held, users }: Seen): boolean {
    const { metadata, data, binaryData } = held ?? {};
    const mark = this.#markOf([metadata?.uid, data, binaryData, users.toSorted()]);
    const before = this.#of.get(place);
    this.#of.delete(place);
    this.#of.set(place, mark);
    for (const oldest of this.#of.keys()) {
      if (this.#of.size <= MOST_REMEMBERED) break;
      this.#of.delete(oldest);
    }
    return before !== mark;
  }

  #markOf(seen: unknown): string {
    return createHmac("sha256", this.#key).update(JSON.stringify(seen)).digest("base64");
  }
}
