import { randomBytes } from "node:crypto";
import { isKubeError } from "../../kube/errors.ts";
import { type JsonPatchOperation, pointer } from "../../kube/json-patch.ts";
import { defaultPasswordSecretName } from "../../resources/project/kind.ts";
import type { KubeObject } from "../../resources/meta.ts";
import type { ProjectObject } from "../environment.ts";
import { readIfExists, readSecret, type SecretValue, secretValueOf } from "../shared/core-objects.ts";
import { wasOutput } from "../outputs/marks.ts";
import { type CoreSecret, secretType } from "../shared/core-types.ts";
import { clusterNow } from "../shared/cluster-time.ts";
import { terminal } from "../shared/failures.ts";
import { FIELD_MANAGER } from "../shared/finalizers.ts";
import { objectNameOf } from "../shared/ownership.ts";
import { isFormers, uncollected } from "../shared/uncollected.ts";
import type { ProjectRun } from "./context.ts";

/** Key of a generated password in its Secret. */
const PASSWORD_KEY = "password";
/** Entropy of a generated password: 24 bytes, 32 characters of base64url, nothing that an URL would have to escape. */
const PASSWORD_BYTES = 24;
/** Says which object a generated Secret was made for: where the policy is Retain it has no ownerReference to tell. */
const MADE_FOR = "baas.dev/generated-for";

/** The password that a project is created with, and where it lies. */
export interface PasswordForCreate {
  readonly secretName: string;
  readonly key: string;
  readonly generated: boolean;
  readonly secret: SecretValue;
}

/**
 * The password for a new project: the one of the Secret that the spec names, else one that is generated once and stored before the
 * project is created (engine.md §4).
 *
 * @throws WaitingError ReferenceNotFound, AwaitingCollection; TerminalError SecretNotOwned: the Secret exists and was not made for this object
 */
export async function passwordForCreate(run: ProjectRun, object: ProjectObject): Promise<PasswordForCreate> {
  const declared = object.spec.databasePassword?.secretKeyRef;
  if (declared !== undefined) {
    const secret = await declaredPassword(run, declared);
    return { secretName: declared.name, key: declared.key, generated: false, secret };
  }
  const secretName = generatedSecretName(object);
  const secret = await generatedPassword(run, object, secretName);
  return { secretName, key: PASSWORD_KEY, generated: true, secret };
}

/** Where a generated password lies. */
export function generatedSecretName({ metadata, spec }: Pick<ProjectObject, "metadata" | "spec">): string {
  return spec.databasePassword?.generate?.secretName ?? defaultPasswordSecretName(metadata.name);
}

/**
 * The password of a Secret of the user's. An output is none: what is made of passwords would make another one of each, and of two projects with each
 * other's, the same password unchanged or not, both would be rotated without end.
 *
 * @throws as `secretValueOf`; TerminalError InvalidSpec: the Secret is an output, or a copy with an output's marks
 */
export async function declaredPassword(
  run: ProjectRun,
  { name, key }: { readonly name: string; readonly key: string },
): Promise<SecretValue> {
  const place = { namespace: run.key.namespace, name };
  const secret = await readSecret(run.environment.kube, place, run.signal);
  if (secret === undefined || !wasOutput(secret.metadata)) return secretValueOf(secret, place, key);
  throw terminal(
    "InvalidSpec",
    `spec.databasePassword.secretKeyRef: the Secret ${name} is an output, which is written of passwords: name one that holds the password itself`,
  );
}

async function generatedPassword(run: ProjectRun, object: ProjectObject, name: string): Promise<SecretValue> {
  const { kube } = run.environment;
  const place = { namespace: run.key.namespace, name };
  const existing = await readSecret(kube, place, run.signal);
  if (existing !== undefined) return ownPassword(run, existing, object);
  try {
    const value = randomBytes(PASSWORD_BYTES).toString("base64url");
    const created = await kube.create(secretType, draftOf(object, place, value), {
      fieldManager: FIELD_MANAGER,
      signal: run.signal,
    });
    return versioned(created, value);
  } catch (error) {
    const other = isKubeError(error, "AlreadyExists") ? await readSecret(kube, place, run.signal) : undefined;
    if (other === undefined) throw error;
    return ownPassword(run, other, object);
  }
}

function versioned({ metadata: { uid, resourceVersion } }: KubeObject, value: string): SecretValue {
  return { value, uid, resourceVersion };
}

function ownPassword({ environment }: ProjectRun, secret: CoreSecret, object: ProjectObject): SecretValue {
  const { metadata } = secret;
  // A project that is made with it would outlive it.
  if (isFormers(object, metadata)) {
    throw uncollected(object, { kind: "Secret", metadata, notOwned: "SecretNotOwned" }, clusterNow(environment));
  }
  const { name, annotations = {} } = metadata;
  const value = secret.data[PASSWORD_KEY]?.toString("utf8");
  if (annotations[MADE_FOR] === `Project ${objectNameOf(object.metadata)}` && value !== undefined && value !== "") {
    return versioned(secret, value);
  }
  throw terminal(
    "SecretNotOwned",
    `the Secret ${name} exists and was not generated for this Project, so that it is not used or overwritten: ` +
      `set spec.databasePassword.secretKeyRef to use it, or spec.databasePassword.generate.secretName to name another`,
  );
}

type SecretDraft = Parameters<ProjectRun["environment"]["kube"]["create"]>[1];

function draftOf(
  object: ProjectObject,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  value: string,
): SecretDraft {
  const { metadata, spec } = object;
  const owner = {
    apiVersion: object.apiVersion,
    kind: object.kind,
    name: metadata.name,
    uid: metadata.uid,
  };
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      namespace,
      name,
      annotations: { [MADE_FOR]: `Project ${objectNameOf(metadata)}` },
      // Where the project outlives the object, so must its password.
      ...(spec.deletionPolicy === "Delete" ? { ownerReferences: [owner] } : {}),
    },
    type: "Opaque",
    stringData: { [PASSWORD_KEY]: value },
  };
}

/** The status's record of a password: where it is read, and the keyed hash of the one that was sent last. */
export type PasswordRecord = NonNullable<ProjectRun["status"]["current"]["databasePassword"]>;

/** The record of the password that a project was created with, as a keyed hash. */
export async function createdWith(run: ProjectRun, password: PasswordForCreate): Promise<PasswordRecord> {
  const { secretName, key, generated, secret } = password;
  return { secretName, key, generated, sent: await run.environment.keyRing.remember(secret, run.signal) };
}

/**
 * The record to be stored before a create request: its answer may be lost, and the Secret hold another password by the time that the project is found.
 *
 * @param record of the password that it is about to be made with
 * @param inDoubt an earlier request may arrive still: where that had another password, neither is known to be the project's
 */
export async function aboutToCreateWith(
  { environment, signal, status }: ProjectRun,
  { password, record }: { readonly password: PasswordForCreate; readonly record: PasswordRecord },
  inDoubt: boolean,
): Promise<PasswordRecord> {
  if (!inDoubt) return record;
  const verdict = await environment.keyRing.compare(status.current.databasePassword?.sent, password.secret, signal);
  return verdict.kind === "changed" ? { ...record, sent: undefined } : record;
}

/**
 * Lets a generated password outlive the object, as what it opens does: the policy may have become Retain after the Secret was made, or the
 * deletion have ended with the project left. Without this the garbage collector takes the Secret with the object.
 */
export async function keepPassword(run: ProjectRun, object: ProjectObject | undefined): Promise<void> {
  const { environment, key, raw, signal, status } = run;
  const { databasePassword } = status.current;
  if (databasePassword?.generated === false) return;
  const asked = object === undefined ? defaultPasswordSecretName(key.name) : generatedSecretName(object);
  const name = databasePassword?.secretName ?? asked;
  const place = { namespace: key.namespace, name };
  const secret = await readIfExists(environment.kube, secretType, place, signal);
  const owners = secret?.metadata.ownerReferences ?? [];
  const at = owners.findIndex(({ uid }) => uid === raw.metadata.uid);
  if (at === -1) return;
  const path = pointer("metadata", "ownerReferences", String(at));
  const patch: readonly JsonPatchOperation[] = [
    { op: "test", path: `${path}/uid`, value: raw.metadata.uid },
    { op: "remove", path },
  ];
  await environment.kube.patchJson(secretType, place, patch, { fieldManager: FIELD_MANAGER, signal });
}
