/**
 * src/api/credentials: where access tokens come from. Each kind of credential is a file; none knows operations other than oauth.token.
 */

import type { Operation } from "../contract/operation.ts";

/** Where access tokens come from. One object per credential; the client asks it before each sending. */
export interface Credentials {
  /** The token to send now. Rejects when there is none; the reason is never shown with a token in it. */
  token(signal: AbortSignal): Promise<string>;
  /** The platform answered 401 to this token, and is not known to accept it elsewhere: the next `token` should look for another one. */
  onRejected(token: string): void;
  /** A call failed for that, and no other token was to be had. What it throws is logged. */
  onRefused?(): void;
  /** What the platform let the token do: told of each success, and of each 403. What it throws is logged. */
  onAnswered?(operation: Pick<Operation, "scopes">, allowed: boolean): void;
  /**
   * Who it is, when that is known without asking: an OAuth client's id (behaviour.md, Authentication rule 6). Absent for personal
   * tokens, whose user the profile tells.
   */
  readonly identity?: string;
}

/**
 * Why a credential gives no token.
 * - `missing`: what it is made from is not there
 * - `unusable`: what it is made from cannot be what it should be
 * - `refused`: the platform refuses it; only another grant, app or secret changes that
 * - `unavailable`: the platform could not be asked, or did not answer; passes by itself
 * - `unstored`: where refresh tokens are kept could not be read or written, so that nothing may be done with them until it can
 */
export type CredentialFault = "missing" | "unusable" | "refused" | "unavailable" | "unstored";

interface CredentialErrorOptions extends ErrorOptions {
  /** default `unusable` */
  readonly fault?: CredentialFault;
  /** the platform's OAuth error code (RFC 6749 §5.2), where it gave one */
  readonly oauthError?: string | undefined;
  /** an answer to a sending of what was refused was lost: it may have taken effect */
  readonly answerLost?: boolean;
}

/** A credential that gives no usable token. The message never holds any part of it. */
export class CredentialError extends Error {
  readonly code = "CREDENTIAL";
  readonly fault: CredentialFault;
  readonly oauthError: string | undefined;
  readonly answerLost: boolean;

  constructor(message: string, options: CredentialErrorOptions = {}) {
    const { fault = "unusable", oauthError, answerLost = false, ...rest } = options;
    super(message, rest);
    this.name = "CredentialError";
    this.fault = fault;
    this.oauthError = oauthError;
    this.answerLost = answerLost;
  }
}

/** What to do where the platform refuses the app itself. */
export const CHECK_CLIENT = "check the app's client id and secret";

/** In brackets, the kind of an error of somebody's whose text may hold what is secret: the system's code, or its class. */
export function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const kind = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return /^\w{1,40}$/.test(kind) ? ` (${kind})` : "";
}

/** What a token is made of: printable ASCII without blanks, as a header takes it after "Bearer ". */
export const TOKEN = /^[!-~]{1,8192}$/;

/** The token of a credential, whoever wrote it. Rejects with what the credential rejects with, or CredentialError for what is no token. */
export async function tokenOf(credentials: Credentials, signal: AbortSignal): Promise<string> {
  const token: unknown = await credentials.token(signal);
  if (typeof token === "string" && TOKEN.test(token)) return token;
  throw new CredentialError("the credential gives something that is no access token");
}
