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

/** A short keyed hash of a text, as a status or an annotation keeps it: the id of its key, and the hash. */
export interface Marked {
  /** whether the text is the one that was marked before; unknown where none was, or where the key of that mark is gone */
  readonly told: "same" | "changed" | "unknown";
  /** to be kept from now on: of the same text the one before, so that a newer key alone changes nothing that is written */
  readonly mark: string;
}

/** What comparing a value with what was last sent says. */
export type SentVerdict =
  | { readonly kind: "same" }
  | { readonly kind: "changed" }
  /** made with a key that is gone, and the Secret is the very version that was sent: taken over without a write (engine.md §6) */
  | { readonly kind: "takeOver" };

/** What to remember of a value that is the one that was sent: the version that it was seen in, and its hash by the key that made it. */
export function seenAgain(sent: SentValue, { uid, resourceVersion }: SecretValue): SentValue {
  return { hash: sent.hash, keyId: sent.keyId, secretUid: uid, secretResourceVersion: resourceVersion };
}

/**
 * Keyed hashes of values that cannot be read back, so that a changed Secret is told from an unchanged one and the hash in a status
 * tells nobody the value (engine.md §6). The keys are made at run time by the leader, never by the chart. Each is compared with by the key that made it, and
 * stays for as long as the value does: a newer key is for what is sent later, and by itself has nothing written, asked for or told.
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

  /** Marks a text. @param before the mark that is kept of the text before, if any */
  async mark(text: string, before: string | undefined, signal: AbortSignal): Promise<Marked> {
    const { current, byId } = await this.#load(signal);
    const key = byId.get(current);
    if (key === undefined) throw missingKey(current);
    const mark = markWith(current, key, text);
    const keyOfBefore = before === undefined ? "" : before.slice(0, before.indexOf(":"));
    const old = byId.get(keyOfBefore);
    if (before === undefined || old === undefined) return { told: "unknown", mark };
    return markWith(keyOfBefore, old, text) === before ? { told: "same", mark: before } : { told: "changed", mark };
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

function markWith(keyId: string, key: Buffer, text: string): string {
  return `${keyId}:${hash(key, text).toString("hex").slice(0, MARK_DIGITS)}`;
}

function hash(key: Buffer, value: string): Buffer {
  return createHmac("sha256", key).update(value, "utf8").digest();
}
