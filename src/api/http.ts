import type { FormData } from "undici";
import type { Method, UploadSource } from "./contract/operation.ts";

/** Header values by lower-case name. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The one value of a header; undefined when it is missing or repeated. */
export function headerOf(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}

/** A request on the wire, but for what the transport adds: origin, authorization, user agent. */
export interface HttpRequest {
  readonly method: Method;
  /** path and query, encoded, beginning with `/` */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A form is written, and a source read, anew for each sending, so a request can be sent again. */
  readonly body?: string | Uint8Array | FormData | UploadSource;
}

/** A whole answer. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Uint8Array;
}
