import { inspect } from "node:util";
import { CredentialError, type Credentials, TOKEN } from "./credentials.ts";

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
          ? "the access token is empty: expected the token alone, on one line"
          : "the access token has blanks or characters that no token has: expected the token alone, on one line",
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
