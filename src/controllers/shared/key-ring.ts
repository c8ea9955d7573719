import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { KubeClient } from "../../kube/client.ts";
import { isKubeError } from "../../kube/errors.ts";
import type { SentValue } from "../../resources/status.ts";
import { type SecretValue, readSecret } from "./core-objects.ts";
import { secretType } from "./core-types.ts";
import { FIELD_MANAGER } from "./finalizers.ts";

/** Name of the Secret, in the operator's namespace, that holds the keys. */
export const KEY_RING_NAME = "baas-operator-key-ring";
/** Data key that names the key in use for new hashes; every other data key is a key id. */
const CURRENT = "current";
const KEY_BYTES = 32;
/** Digits of a mark: enough to tell one text from the one before it. */
const MARK_DIGITS = 12;

interface Keys {
  readonly current: string;
  readonly byId: ReadonlyMap<string, Buffer>;
}

/** A keyed hash in short. */
export interface KeyedMark {
  readonly keyId: string;
  readonly hash: string;
}

/** A mark as a status keeps it. */
export function markText({ keyId, hash }: KeyedMark): string {
  return `${keyId}:${hash}`;
}

/** What comparing a value with what was last sent says. */
export type SentVerdict =
  | { readonly kind: "same" }
  | { readonly kind: "changed" }
  /** made with a key that is gone, and the Secret is the very version that was sent: taken over without a write (engine.md §6) */
  | { readonly kind: "takeOver" };

/**
 * Keyed hashes of values that cannot be read back, so that a changed Secret is told from an unchanged one and the hash in a status
 * tells nobody the value (engine.md §6). The keys are made at run time by the leader, never by the chart.
 */
export class KeyRing {
  readonly #kube: KubeClient;
  readonly #namespace: string;
  #keys: Keys | undefined;

  constructor(kube: KubeClient, namespace: string) {
    this.#kube = kube;
    this.#namespace = namespace;
  }

  /** The hash to remember for a value that was just sent. */
  async remember({ value, uid, resourceVersion }: SecretValue, signal: AbortSignal): Promise<SentValue> {
    const keys = await this.#load(signal);
    const key = keys.byId.get(keys.current);
    if (key === undefined) throw missingKey(keys.current);
    return {
      hash: hash(key, value).toString("hex"),
      keyId: keys.current,
      secretUid: uid,
      secretResourceVersion: resourceVersion,
    };
  }

  /** Whether a value is what was last sent. */
  async compare(sent: SentValue | undefined, read: SecretValue, signal: AbortSignal): Promise<SentVerdict> {
    if (sent === undefined) return { kind: "changed" };
    const key = (await this.#load(signal)).byId.get(sent.keyId);
    if (key === undefined) {
      const untouched = sent.secretUid === read.uid && sent.secretResourceVersion === read.resourceVersion;
      return untouched ? { kind: "takeOver" } : { kind: "changed" };
    }
    const before = Buffer.from(sent.hash, "hex");
    const now = hash(key, read.value);
    return { kind: before.length === now.length && timingSafeEqual(before, now) ? "same" : "changed" };
  }

  /** A short mark of a text, with the id of the key that made it: two by one key differ where the texts do, and two by different keys say nothing. */
  async mark(text: string, signal: AbortSignal): Promise<KeyedMark> {
    const { current, byId } = await this.#load(signal);
    const key = byId.get(current);
    if (key === undefined) throw missingKey(current);
    return { keyId: current, hash: hash(key, text).toString("hex").slice(0, MARK_DIGITS) };
  }

  async #load(signal: AbortSignal): Promise<Keys> {
    this.#keys ??= (await this.#read(signal)) ?? (await this.#create(signal));
    return this.#keys;
  }

  async #read(signal: AbortSignal): Promise<Keys | undefined> {
    const secret = await readSecret(this.#kube, { namespace: this.#namespace, name: KEY_RING_NAME }, signal);
    const current = secret?.data[CURRENT]?.toString("utf8");
    if (secret === undefined || current === undefined) return undefined;
    return { current, byId: new Map(Object.entries(secret.data).filter(([id]) => id !== CURRENT)) };
  }

  async #create(signal: AbortSignal): Promise<Keys> {
    const id = randomBytes(6).toString("hex");
    const key = randomBytes(KEY_BYTES);
    try {
      await this.#kube.create(
        secretType,
        {
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name: KEY_RING_NAME, namespace: this.#namespace },
          type: "baas.dev/key-ring",
          data: { [CURRENT]: Buffer.from(id).toString("base64"), [id]: key.toString("base64") },
        },
        { fieldManager: FIELD_MANAGER, signal },
      );
    } catch (error) {
      const other = isKubeError(error, "AlreadyExists") ? await this.#read(signal) : undefined;
      if (other === undefined) throw error;
      return other;
    }
    return { current: id, byId: new Map([[id, key]]) };
  }
}

function missingKey(id: string): Error {
  return new Error(`the key ring names the key ${id}, which it does not hold`);
}

function hash(key: Buffer, value: string): Buffer {
  return createHmac("sha256", key).update(value, "utf8").digest();
}
