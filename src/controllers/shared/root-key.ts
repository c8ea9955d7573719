import { timingSafeEqual } from "node:crypto";
import type { ApiClient } from "../../api/client.ts";
import type { CallOptions } from "../../api/client-options.ts";
import type { KubeClient } from "../../kube/client.ts";
import { readSecretValue, type SecretValue } from "./core-objects.ts";
import { terminal } from "./failures.ts";
import type { Run } from "./run.ts";
import type { CommonStatus } from "./status-draft.ts";

/**
 * The encryption root key: what is declared and what the platform has. Neither is ever told, logged or kept: only whether they are the same. Which key a
 * request meant is kept with it as a keyed hash, or an answer that is lost could have another key sent in its place.
 */

/** Where a spec says that the key is. */
export interface RootKeyReference {
  readonly secretKeyRef: { readonly name: string; readonly key: string };
}

/** "needs 32 bytes hex (64 chars)" (facts.md §5). */
const FORM = /^[0-9a-f]{64}$/;

interface KeyReader {
  readonly kube: KubeClient;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/**
 * The declared key, with the version of the Secret that holds it.
 *
 * @throws WaitingError ReferenceNotFound: no such Secret, or no such key in it; TerminalError InvalidSpec: what is there is no root key
 */
export async function readRootKey(
  { kube, namespace, signal }: KeyReader,
  { secretKeyRef: { name, key } }: RootKeyReference,
): Promise<SecretValue> {
  const secret = await readSecretValue(kube, { namespace, name }, key, signal);
  const value = secret.value.trim().toLowerCase();
  if (FORM.test(value)) return { ...secret, value };
  throw terminal(
    "InvalidSpec",
    `spec.encryptionRootKey: the key ${key} of the Secret ${name} holds no root key: put 64 hexadecimal digits there`,
  );
}

/** The key that an object declares, during one run. */
export interface DeclaredRootKey {
  /** The key, read once: all that a run does it does with the same one; undefined where none is declared. @throws as readRootKey */
  read(): Promise<string | undefined>;
  /** What a key is known by later, which tells nobody the key. */
  markOf(rootKey: string): Promise<string>;
  /** Whether a mark is certainly that key's; of a mark whose hash was made with a key that is gone that cannot be said. */
  isMarkOf(mark: string, rootKey: string): Promise<boolean>;
}

/** The key that an object declares. */
export function declaredRootKey(
  { environment: { kube, keyRing }, key, signal }: Pick<Run<CommonStatus>, "environment" | "key" | "signal">,
  { encryptionRootKey }: { readonly encryptionRootKey?: RootKeyReference | undefined },
): DeclaredRootKey {
  const nowhere = { uid: "", resourceVersion: "" };
  let reading: Promise<string | undefined> | undefined;
  return {
    read: () => {
      if (encryptionRootKey === undefined) return Promise.resolve(undefined);
      reading ??= readRootKey({ kube, namespace: key.namespace, signal }, encryptionRootKey).then(({ value }) => value);
      return reading;
    },
    markOf: async (value) => {
      const { keyId, hash } = await keyRing.remember({ value, ...nowhere }, signal);
      return `${keyId}:${hash}`;
    },
    isMarkOf: async (mark, value) => {
      const [keyId = "", hash = ""] = mark.split(":");
      const before = { keyId, hash, secretUid: "", secretResourceVersion: "" };
      return (await keyRing.compare(before, { value, ...nowhere }, signal)).kind === "same";
    },
  };
}

interface AtPlatform {
  readonly client: ApiClient;
  readonly ref: string;
  readonly call: CallOptions;
}

/** The key that the platform has, as `readRootKey` writes it. @throws as calls of the client do */
export async function platformRootKey({ client, ref, call }: AtPlatform): Promise<string> {
  return (await client.encryptionKey.get({ ref }, call)).root_key.toLowerCase();
}

/** Whether the platform has that key. @throws as calls of the client do */
export async function hasRootKey(at: AtPlatform, wanted: string): Promise<boolean> {
  const [one, other] = [Buffer.from(wanted), Buffer.from(await platformRootKey(at))];
  return one.length === other.length && timingSafeEqual(one, other);
}
