import { inspect } from "node:util";

/** Where access tokens come from. One object per credential; the client asks it before each sending. */
export interface Credentials {
  /** The token to send now. Rejects when there is none; the reason is never shown with a token in it. */
  token(signal: AbortSignal): Promise<string>;
  /** The platform answered 401 to this token: the next `token` should look for another one. */
  onRejected(token: string): void;
  /**
   * Who it is, when that is known without asking: an OAuth client's id (behaviour.md, Authentication rule 6). Absent for personal
   * tokens, whose user the profile tells.
   */
  readonly identity?: string;
}

/** A credential that gives no usable token. The message never holds any part of it. */
export class CredentialError extends Error {
  readonly code = "CREDENTIAL";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CredentialError";
  }
}

/** Printable ASCII without blanks: what a header takes after "Bearer ". */
const TOKEN = /^[!-~]{1,8192}$/;

/** A long-lived token of a user, from a text or from something that can be read again, as a mounted file or a Secret. */
export class PersonalToken implements Credentials {
  readonly #read: (signal: AbortSignal) => Promise<string>;
  #token: string | undefined;

  /** @param source the token, or how to read it: called at first use and after a rejection, never for each request */
  constructor(source: string | ((signal: AbortSignal) => Promise<string>)) {
    this.#read = typeof source === "string" ? () => Promise.resolve(source) : source;
  }

  async token(signal: AbortSignal): Promise<string> {
    if (this.#token !== undefined) return this.#token;
    const token = (await this.#read(signal)).trim(); // files and Secrets often end with a line feed
    if (!TOKEN.test(token)) {
      throw new CredentialError(
        token === ""
          ? "the access token is empty: put one into the Secret"
          : "the access token has blanks or characters that no token has: put the token alone into the Secret, on one line",
      );
    }
    this.#token = token;
    return token;
  }

  onRejected(token: string): void {
    if (this.#token === token) this.#token = undefined;
  }

  toJSON(): string {
    return "[access token]";
  }

  toString(): string {
    return "[access token]";
  }

  [inspect.custom](): string {
    return "PersonalToken { [access token] }";
  }
}
