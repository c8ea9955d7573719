import { z } from "zod";
import { type SettingRow, valueAt } from "../../resources/settings/setting.ts";
import type { SectionEntry } from "../../resources/settings/status.ts";
import { readConfigMap, readSecret, type SecretValue, secretValueOf } from "../shared/core-objects.ts";
import type { CoreConfigMap } from "../shared/core-types.ts";
import { waitingForObject } from "../shared/failures.ts";
import { type Marked, seenAgain } from "../shared/key-ring.ts";
import type { SecretKnown } from "./field-plan.ts";
import type { Documents, Marking, SectionAt, SentFields } from "./section.ts";
import type { SectionReferences } from "./section-references.ts";
import { forField } from "./wanting.ts";

/** What a declared section is made of outside of the spec: Secrets, ConfigMaps, and what was remembered of the former. */

const secretSchema = z.object({ secretKeyRef: z.object({ name: z.string(), key: z.string() }) });
const documentSchema = z.object({
  inline: z.string().optional(),
  configMapKeyRef: z.object({ name: z.string(), key: z.string() }).optional(),
});

/** The texts of a section's secrets and documents, by path. */
export interface Inputs {
  readonly texts: ReadonlyMap<string, string>;
  readonly secrets: ReadonlyMap<string, NamedSecret>;
  readonly documents: Documents;
}

interface NamedSecret extends SecretValue {
  readonly secretName: string;
}

/**
 * Reads each Secret and ConfigMap once, however many fields come from it.
 *
 * @throws WantingError, of WaitingError ReferenceNotFound: a Secret or ConfigMap, or a key in it, is not there; of TerminalError InvalidSpec: it holds no text
 */
export async function readInputs(at: SectionAt, rows: readonly SettingRow[], declared: unknown): Promise<Inputs> {
  const { environment, namespace, signal } = at;
  const texts = new Map<string, string>();
  const secrets = new Map<string, NamedSecret>();
  const documents = new Map<string, Documents[number]>();
  const secretOf = onceEach((name) => readSecret(environment.kube, { namespace, name }, signal));
  const configMapOf = onceEach((name) => readConfigMap(environment.kube, { namespace, name }, signal));
  const readOne = async ({ path, source }: SettingRow): Promise<void> => {
    const value = valueAt(declared, path);
    if (source === "secret") {
      const { name, key } = secretSchema.parse(value).secretKeyRef;
      const read = secretValueOf(await secretOf(name), { namespace, name }, key);
      secrets.set(path, { ...read, secretName: name });
      texts.set(path, read.value);
    } else if (source === "document") {
      const { inline, configMapKeyRef } = documentSchema.parse(value);
      const read = configMapKeyRef === undefined ? undefined : await configMapOf(configMapKeyRef.name);
      texts.set(path, configMapKeyRef === undefined ? (inline ?? "") : textIn(read, configMapKeyRef));
      if (read !== undefined) documents.set(read.metadata.name, versionOf(read.metadata));
    }
  };
  for (const row of rows) await forField(row.path, () => readOne(row));
  return { texts, secrets, documents: [...documents.values()] };
}

/**
 * Marks texts, so that others are told from them: the key is the ring's, so that none is laid open. Where there are none, nothing is asked of the ring.
 *
 * @param fieldOf what a setting is called in the spec, by its path
 * @returns undefined: there are none
 */
export async function markOf(
  { environment, signal }: SectionAt,
  { texts }: Inputs,
  { before, fields, fieldOf }: Marking & { readonly fieldOf: (path: string) => string },
): Promise<Marked | undefined> {
  const marked = [...texts].filter(([path]) => fields?.includes(fieldOf(path)) ?? true);
  return marked.length === 0 ? undefined : environment.keyRing.mark(JSON.stringify(marked), before, signal);
}

function onceEach<T>(read: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (name) => {
    const found = known.get(name) ?? read(name);
    known.set(name, found);
    return found;
  };
}

function textIn(
  found: CoreConfigMap | undefined,
  { name, key }: { readonly name: string; readonly key: string },
): string {
  if (found === undefined) throw waitingForObject("ReferenceNotFound", `there is no ConfigMap ${name}`);
  const text = found.data[key];
  if (text === undefined) throw waitingForObject("ReferenceNotFound", `the ConfigMap ${name} has no key ${key}`);
  return text;
}

function versionOf({ name, uid, resourceVersion }: CoreConfigMap["metadata"]): Documents[number] {
  return { name, uid, resourceVersion };
}

/** The Secrets and ConfigMaps that a declared section names. */
export function referencesIn(rows: readonly SettingRow[], declared: unknown): SectionReferences {
  const secrets: string[] = [];
  const configMaps: string[] = [];
  for (const { path, source } of rows) {
    const value = valueAt(declared, path);
    if (source === "secret") secrets.push(secretSchema.parse(value).secretKeyRef.name);
    if (source !== "document") continue;
    const name = documentSchema.parse(value).configMapKeyRef?.name;
    if (name !== undefined) configMaps.push(name);
  }
  return { secrets, configMaps };
}

interface Compared {
  /** what is known of each, by path */
  readonly known: ReadonlyMap<string, SecretKnown>;
  /** what the status remembers from now on, as far as it still holds */
  readonly kept: SentFields;
}

interface ComparedInput {
  readonly at: SectionAt;
  readonly prefix: string;
  readonly rows: readonly SettingRow[];
  readonly secrets: ReadonlyMap<string, NamedSecret>;
  readonly observed: unknown;
  readonly entry: SectionEntry | undefined;
}

/** Compares declared secrets with what was last sent, and what stands in their place with what was answered then (engine.md §6). */
export async function compareSecrets(input: ComparedInput): Promise<Compared> {
  const { at, prefix, rows, secrets, observed, entry } = input;
  const { keyRing } = at.environment;
  const known = new Map<string, SecretKnown>();
  const kept: SentFields[number][] = [];
  for (const { path, wire } of rows) {
    const secret = secrets.get(path);
    if (secret === undefined) continue;
    const field = `${prefix}.${path}`;
    const sent = entry?.secrets?.find((one) => one.field === field);
    const verdict = await keyRing.compare(sent, secret, at.signal);
    const isChanged = verdict.kind === "changed";
    const answered = answerOf(observed, wire);
    const { seen, isTampered } = isChanged ? { isTampered: false } : await lookAtAnswer(at, sent?.seen, answered);
    known.set(path, { isChanged, isTampered });
    // Where nothing is sent, what was sent last stays true.
    if (isChanged && sent !== undefined && at.isObserved) kept.push(sent);
    if (isChanged || sent === undefined) continue;
    const value = verdict.kind === "same" ? seenAgain(sent, secret) : await keyRing.remember(secret, at.signal);
    kept.push({ field, secretName: secret.secretName, ...value, ...seenOf(seen) });
  }
  return { known, kept };
}

function seenOf(seen: string | undefined): { readonly seen?: string } {
  return seen === undefined ? {} : { seen };
}

function answerOf(observed: unknown, wire: string): string | undefined {
  const value = valueAt(observed, wire);
  return value === undefined ? undefined : JSON.stringify(value);
}

/** What an answer is known by: the key is the ring's, so that a digest of a weak secret is not laid open. */
async function seenHash(at: SectionAt, answered: string | undefined): Promise<string | undefined> {
  if (answered === undefined) return undefined;
  const { hash, keyId } = await at.environment.keyRing.remember(asValue(answered), at.signal);
  return `${keyId}:${hash}`;
}

/**
 * What stands in the place of a secret that is the one that was sent.
 *
 * @param before what stood there then, as it is remembered
 * @returns `isTampered`: another one does now. `seen`: what is to be remembered of it; of one that was tampered with, what stood there before
 */
async function lookAtAnswer(
  at: SectionAt,
  before: string | undefined,
  answered: string | undefined,
): Promise<{ readonly seen: string | undefined; readonly isTampered: boolean }> {
  if (before === undefined) return { seen: await seenHash(at, answered), isTampered: false };
  if (answered === undefined) return { seen: before, isTampered: true };
  const [keyId = "", hash = ""] = before.split(":");
  const sent = { hash, keyId, secretUid: "", secretResourceVersion: "" };
  const { kind } = await at.environment.keyRing.compare(sent, asValue(answered), at.signal);
  // Of a key that is gone nothing can be said: taken as it is.
  return kind === "takeOver"
    ? { seen: await seenHash(at, answered), isTampered: false }
    : { seen: before, isTampered: kind === "changed" };
}

function asValue(value: string): SecretValue {
  return { value, uid: "", resourceVersion: "" };
}

interface SentInput {
  readonly at: SectionAt;
  readonly prefix: string;
  readonly rows: readonly SettingRow[];
  readonly secrets: ReadonlyMap<string, NamedSecret>;
  /** what was remembered before the write */
  readonly kept: SentFields;
  /** fields that were written */
  readonly written: ReadonlySet<string>;
  /** the answer after it */
  readonly observed: unknown;
}

/** What is to be remembered after a write. */
export async function rememberSent(input: SentInput): Promise<SentFields> {
  const { at, prefix, rows, secrets, kept, written, observed } = input;
  const fresh: SentFields[number][] = [];
  for (const { path, wire } of rows) {
    const field = `${prefix}.${path}`;
    const secret = secrets.get(path);
    if (secret === undefined || !written.has(field)) continue;
    const sent = await at.environment.keyRing.remember(secret, at.signal);
    fresh.push({
      field,
      secretName: secret.secretName,
      ...sent,
      ...seenOf(await seenHash(at, answerOf(observed, wire))),
    });
  }
  return [...kept.filter(({ field }) => !written.has(field)), ...fresh];
}
