import { hostOf, isLoopbackHost } from "../base/proxy.ts";

/** Where the Management API is. Made by `parseBaseUrl` only. */
export interface BaseUrl {
  /** scheme, host and port */
  readonly origin: string;
  /** path prefix without a slash at its end; empty for most servers */
  readonly prefix: string;
  /** the two together: the same for every way to write the same URL */
  readonly href: string;
}

/** A base URL that is refused. The message never repeats the URL, which may hold a password. */
export class BaseUrlError extends Error {
  readonly code = "BASE_URL";

  constructor(message: string) {
    super(message);
    this.name = "BaseUrlError";
  }
}

/**
 * Checks and normalises a base URL: https, or http on a loopback address (a token is never sent in the clear over a network,
 * engine.md §8); no user information, query or fragment, and not the version that every path of the API begins with: behind a second one
 * nothing would be found.
 *
 * @throws BaseUrlError that says what to write instead
 */
export function parseBaseUrl(text: string): BaseUrl {
  if (!URL.canParse(text)) throw new BaseUrlError("the base URL is not a URL: write it like https://api.example.com");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new BaseUrlError("the base URL must begin with https://");
  }
  if (url.protocol === "http:" && !isLoopbackHost(hostOf(url))) {
    throw new BaseUrlError("the base URL must begin with https://: http:// is accepted on loopback addresses only");
  }
  if (url.username !== "" || url.password !== "") {
    throw new BaseUrlError("the base URL must not hold a user name or password");
  }
  if (url.search !== "" || url.hash !== "" || text.includes("?") || text.includes("#")) {
    throw new BaseUrlError("the base URL must not have a query or fragment");
  }
  const prefix = url.pathname.replace(/\/+$/, "");
  const version = /\/(v[12])$/i.exec(prefix)?.[1];
  if (version !== undefined) {
    throw new BaseUrlError(`the base URL must not end in /${version}: drop it, the paths of the API begin with it`);
  }
  return { origin: url.origin, prefix, href: url.origin + prefix };
}
