import type { z } from "zod";
import type { KubeClient } from "../../kube/client.ts";
import { isKubeError } from "../../kube/errors.ts";
import type { KubeObject, ResourceType } from "../../resources/meta.ts";
import {
  type CoreConfigMap,
  type CoreSecret,
  configMapSchema,
  configMapType,
  secretSchema,
  secretType,
} from "./core-types.ts";
import { terminal, waitingForObject } from "./failures.ts";

interface ObjectPlace {
  readonly namespace: string;
  readonly name: string;
}

/** An object read live, or undefined when there is none of that name. */
export async function readIfExists(
  kube: KubeClient,
  type: ResourceType,
  place: ObjectPlace,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  try {
    return await kube.get(type, place, { signal });
  } catch (error) {
    if (isKubeError(error, "NotFound")) return undefined;
    throw error;
  }
}

async function read<S extends z.ZodType>(
  kube: KubeClient,
  kind: { readonly type: ResourceType; readonly schema: S },
  place: ObjectPlace,
  signal: AbortSignal,
): Promise<z.output<S> | undefined> {
  const object = await readIfExists(kube, kind.type, place, signal);
  return object === undefined ? undefined : kind.schema.parse(object);
}

/** A core Secret by name, read when it is needed and never kept (engine.md §8). */
export function readSecret(kube: KubeClient, place: ObjectPlace, signal: AbortSignal): Promise<CoreSecret | undefined> {
  return read(kube, { type: secretType, schema: secretSchema }, place, signal);
}

/** A ConfigMap by name. */
export function readConfigMap(
  kube: KubeClient,
  place: ObjectPlace,
  signal: AbortSignal,
): Promise<CoreConfigMap | undefined> {
  return read(kube, { type: configMapType, schema: configMapSchema }, place, signal);
}

/** One value of a Secret, with the version of the Secret that it was read from. */
export interface SecretValue {
  readonly value: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Bytes as the text that they are; undefined for bytes that are none, which must not be sent as another text. */
export function textOf(bytes: Buffer): string | undefined {
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes) ? text : undefined;
}

/**
 * The value under a key of a Secret.
 *
 * @throws as `secretValueOf` does
 */
export async function readSecretValue(
  kube: KubeClient,
  place: ObjectPlace,
  key: string,
  signal: AbortSignal,
): Promise<SecretValue> {
  return secretValueOf(await readSecret(kube, place, signal), place, key);
}

/**
 * The value under a key of a Secret that was read.
 *
 * @throws WaitingError ReferenceNotFound: no such Secret, or no such key in it; TerminalError InvalidSpec: the value is empty or no text. Each
 *   message names both and never a value; a change of the Secret wakes the object
 */
export function secretValueOf(secret: CoreSecret | undefined, place: ObjectPlace, key: string): SecretValue {
  if (secret === undefined) {
    throw waitingForObject("ReferenceNotFound", `there is no Secret ${place.name} in namespace ${place.namespace}`);
  }
  const bytes = secret.data[key];
  if (bytes === undefined) {
    throw waitingForObject("ReferenceNotFound", `the Secret ${place.name} has no key ${key}`);
  }
  const value = textOf(bytes);
  if (value === undefined || value === "") {
    const problem = value === "" ? "is empty" : "holds bytes that are no UTF-8 text";
    throw terminal("InvalidSpec", `the key ${key} of the Secret ${place.name} ${problem}: put a text there`);
  }
  const { uid, resourceVersion } = secret.metadata;
  return { value, uid, resourceVersion };
}
