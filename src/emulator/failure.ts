import { randomUUID } from "node:crypto";

/**
 * A refusal of the emulated service: a status and the words of its body, `{"message": "…"}` (facts.md §5).
 */
export class ApiFailure extends Error {
  readonly code = "API_FAILURE";
  readonly status: number;
  /** Further fields of the body; `bare`: the body is no object but the words alone, as a JSON string. */
  readonly fields: Readonly<Record<string, unknown>> | "bare";
  readonly headers: Readonly<Record<string, string>>;

  /** @param status HTTP status @param message the server's words; never a stored secret */
  constructor(status: number, message: string, fields: ApiFailure["fields"] = {}, headers: ApiFailure["headers"] = {}) {
    super(message);
    this.name = "ApiFailure";
    this.status = status;
    this.fields = fields;
    this.headers = headers;
  }
}

/** What the service's own log knows a failure by: shown with those that say `errorEventId`. */
export function newErrorEventId(): string {
  return randomUUID().replaceAll("-", "");
}

export const badRequest = (message: string): ApiFailure => new ApiFailure(400, message);
export const unauthorized = (): ApiFailure => new ApiFailure(401, "Unauthorized");
export const paymentRequired = (message: string): ApiFailure => new ApiFailure(402, message);
export const conflict = (message: string): ApiFailure => new ApiFailure(409, message);
export const unprocessable = (message: string): ApiFailure => new ApiFailure(422, message);

/** The same words for what does not exist and for what the caller may not see: an answer tells nobody what exists. */
export const notFound = (what: string): ApiFailure => new ApiFailure(404, `${what} not found`);

export const noRoute = (method: string, url: string): ApiFailure => new ApiFailure(404, `Cannot ${method} ${url}`);

/** @param missing permissions that would be enough, named for the user */
export function forbidden(missing: string): ApiFailure {
  return new ApiFailure(
    403,
    "Your account does not have the necessary privileges to access this endpoint. " +
      `${missing} For more details, refer to the documentation of the Management API.`,
  );
}
