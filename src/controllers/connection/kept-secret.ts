import { createHash } from "node:crypto";
import type { CoreSecret } from "../shared/core-types.ts";
import type { TokenAtRest } from "./kept-memory.ts";
import type { ConnectionView, SecretPlace } from "./view.ts";

/** The Secret of the operator's own that keeps the newest refresh token of a connection: where it is, and what it holds. */

/** Type of the Secret, by which it is told from one of the same name that somebody else made. */
export const KEPT_TYPE = "baas.dev/refresh-token";
/** The newest refresh token. */
const TOKEN_KEY = "refresh-token";
/** Digests of the user's refresh tokens that were used, one a line, the one that `refresh-token` descends from last. None of them is ever used again. */
const SEEDS_KEY = "seeds";
/**
 * Who sent a refresh token last, and its digest, while what came of that is not stored. Who sends the same one after somebody else adds that what came of
 * an earlier sending was never told.
 */
export const EXCHANGE_KEY = "exchange";
export const UNTOLD = "untold";
/** Longest name of a Kubernetes object. */
const LONGEST_NAME = 253;

/**
 * Where a connection keeps its newest refresh token: beside the user's, where whoever leads finds it, of whichever release. It goes with the connection.
 * undefined for one that is let in with something else.
 */
export function keptPlace({
  kind,
  name,
  credential,
}: Pick<ConnectionView, "kind" | "name" | "credential">): SecretPlace | undefined {
  return credential.kind === "oauth"
    ? { namespace: credential.refreshToken.namespace, name: keptName(kind, name) }
    : undefined;
}

/** Name of the Secret that keeps the refresh tokens of a connection. */
export function keptName(kind: ConnectionView["kind"], name: string): string {
  const whole = `baas-operator-${kind.toLowerCase()}-${name}`;
  const short = `${whole.slice(0, LONGEST_NAME - 17)}-${digest(whole).slice(0, 16)}`;
  return whole.length <= LONGEST_NAME ? whole : short;
}

/** Whether a Secret keeps the refresh tokens of the connection with this uid. */
export function keepsFor(secret: CoreSecret, uid: string): boolean {
  const { ownerReferences = [] } = secret.metadata;
  return secret["type"] === KEPT_TYPE && ownerReferences.some((reference) => reference.uid === uid);
}

/**
 * Digest of a refresh token. It needs no key: a token has too much entropy to be guessed, and the Secret that has the digest holds tokens anyway. The
 * prefix sets it apart from other digests of the same text.
 */
export function digest(text: string): string {
  return createHash("sha256").update(`baas.dev/refresh-token ${text}`).digest("hex");
}

/** null removes one */
export type Values = Readonly<Record<string, string | null>>;

interface PendingExchange {
  readonly by: string | undefined;
  /** digest of the token */
  readonly of: string | undefined;
  /** what came of an earlier sending, by somebody else, was never told */
  readonly isUntold: boolean;
}

export function exchangeIn(secret: CoreSecret | undefined): PendingExchange {
  const text = secretText(secret, EXCHANGE_KEY);
  const [by, of, earlier] = text === "" ? [] : text.split(" ");
  return { by, of, isUntold: earlier === UNTOLD };
}

export function valuesOf({ token, seeds }: TokenAtRest): Values {
  return { [TOKEN_KEY]: token, [SEEDS_KEY]: seeds.join("\n"), [EXCHANGE_KEY]: null };
}

/** All that a Secret holds, null for what it does not. */
export function allOf(secret: CoreSecret | undefined): Values {
  return Object.fromEntries([TOKEN_KEY, SEEDS_KEY, EXCHANGE_KEY].map((key) => [key, secretText(secret, key) || null]));
}

export function encoded(values: Values): Values {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value && base64(value)]));
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}

/** What a Secret holds at rest; undefined for one without a token, which holds nothing to go on with. */
export function keptIn(secret: CoreSecret | undefined): TokenAtRest | undefined {
  const token = secretText(secret, TOKEN_KEY);
  return token === "" ? undefined : { token, seeds: seedsOf(secret) };
}

function secretText(secret: CoreSecret | undefined, key: string): string {
  return secret?.data[key]?.toString("utf8") ?? "";
}

export function seedsOf(secret: CoreSecret | undefined): readonly string[] {
  return secretText(secret, SEEDS_KEY)
    .split("\n")
    .filter((line) => line !== "");
}
