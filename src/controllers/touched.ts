import { createHmac, randomBytes } from "node:crypto";
import { z } from "zod";
import { isKubeError } from "../kube/errors.ts";
import type { KubeObject } from "../resources/meta.ts";
import { wasOutput } from "./outputs/marks.ts";
import { type Key, keyToString } from "../runtime/key.ts";
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

/** Kinds of their keys. */
export const touchedKinds: readonly string[] = Object.values(kinds);

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
    reconcile: async (key, { signal }) => {
      const { namespace, name } = key;
      const place = `${namespace}/${name}`;
      const run = (users: readonly KubeObject[]): void => {
        for (const user of users) environment.enqueue(keyOf(user), { lane: "change", wasReady: isReadyNow(user) });
      };
      const uids = environment.waitingUsers.take(keyToString(key));
      const living = usersAt(environment, kind, place).filter((user) => user.metadata.deletionTimestamp === undefined);
      run(living.filter((user) => !isRefused(user) && uids.has(user.metadata.uid)));
      const refused = living.filter((user) => isRefused(user));
      // Whoever runs at each touch may be refused what it holds then.
      if (refused.length === 0) {
        marks.forget(place);
        return {};
      }
      // What they were refused for is not known by them: who was edited since may be refused for what was there before.
      const users = refused.map(({ metadata: { uid, generation } }) => `${uid} ${generation}`);
      try {
        if (marks.isOther(place, { held: await heldBy(environment, key, signal), users })) run(refused);
      } catch (error) {
        // Of these it is not known yet whether they hear of it: the next try of this key goes on with them.
        noteUsers(environment, key, refused);
        // That this cannot be read is for them to tell; what passes is not, nor what somebody else makes of it who leads now.
        if (isUnreadable(error) && marks.isUnread(place, users)) run(refused);
        throw error;
      }
      return {};
    },
  };
}

/** Notes users of a core Secret or ConfigMap that are refused, and that its touch does not make run. @param key of what was touched */
export function noteUsers({ waitingUsers }: Environment, key: Key, users: readonly KubeObject[]): void {
  waitingUsers.note(
    keyToString(key),
    users.map(({ metadata }) => metadata.uid),
  );
}

/** Whether a failed read says of what was to be read that it will not be, until somebody acts. */
function isUnreadable(error: unknown): boolean {
  return isKubeError(error, "Forbidden") || error instanceof z.ZodError;
}

/** What a Secret or ConfigMap holds; undefined: there is none. */
type Held = (Pick<CoreConfigMap, "metadata"> & { readonly data: object; readonly binaryData?: object }) | undefined;

function heldBy({ kube }: Environment, { kind, namespace, name }: Key, signal: AbortSignal): Promise<Held> {
  const read = kind === kinds.Secret ? readSecret : readConfigMap;
  return read(kube, { namespace, name }, signal);
}

interface Seen {
  readonly held: Held;
  /** who was refused, and as of which edit */
  readonly users: readonly string[];
}

/** What its users look at. Of its marks, whether it was an output: that is no password (project/password.ts). */
function contentOf(held: Held): unknown {
  if (held === undefined) return undefined;
  const { metadata, data, binaryData } = held;
  return [metadata.uid, wasOutput(metadata), data, binaryData];
}

/** What was seen of one place last. */
interface Mark {
  readonly content?: string;
  /** for whom it could not be read */
  readonly unread?: string;
}

/** Tells what was seen from what is, and gives nothing of it away. */
class Marks {
  readonly #key = randomBytes(32);
  readonly #of = new Map<string, Mark>();

  forget(place: string): void {
    this.#of.delete(place);
  }

  /** Whether something else is there than was seen last, and notes it. */
  isOther(place: string, { held, users }: Seen): boolean {
    const content = this.#digestOf([contentOf(held), users.toSorted()]);
    const before = this.#of.get(place);
    this.#note(place, { content });
    return before?.content !== content;
  }

  /** Whether it is news that it cannot be read, and notes it; what was there last may be there still. */
  isUnread(place: string, users: Seen["users"]): boolean {
    const unread = this.#digestOf(users.toSorted());
    const before = this.#of.get(place);
    this.#note(place, { ...before, unread });
    return before?.unread !== unread;
  }

  #note(place: string, mark: Mark): void {
    this.#of.delete(place);
    this.#of.set(place, mark);
    for (const oldest of this.#of.keys()) {
      if (this.#of.size <= MOST_REMEMBERED) break;
      this.#of.delete(oldest);
    }
  }

  #digestOf(seen: unknown): string {
    return createHmac("sha256", this.#key).update(JSON.stringify(seen)).digest("base64");
  }
}
