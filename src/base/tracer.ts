/** Value of an attribute. Names, numbers and codes; never a message, a body, a query or anything that a user wrote as a value. */
export type Attribute = string | number | boolean;
export type Attributes = Readonly<Record<string, Attribute>>;

/** What a span is called and is about; names have few values, attributes may have many. */
export interface SpanSpec {
  readonly name: string;
  /** `client`: a request to another server. Default `internal`. */
  readonly kind?: "internal" | "client";
  readonly attributes?: Attributes;
}

/** A piece of work while it lasts. */
export interface Span {
  /** names the trace in log lines; undefined where nothing is recorded */
  readonly traceId: string | undefined;
  /** headers for a request that is part of the span (W3C Trace Context); empty where nothing is recorded */
  readonly headers: Readonly<Record<string, string>>;
  set(attributes: Attributes): void;
  /** It did not do what it was for. @param type a code of few values, as `error.type` has it */
  fail(type: string): void;
}

/**
 * Where rooms tell what belongs together; the process decides what is behind it. Work that rejects fails its span, with the error's code as
 * type, and rejects with the same.
 */
export interface Tracer {
  /** Work that nobody else's work asked for: a trace of its own. */
  root<T>(spec: SpanSpec, work: (span: Span) => Promise<T>): Promise<T>;
  /** Part of the work within which it is called, however many calls deep; outside of any it is not recorded. */
  child<T>(spec: SpanSpec, work: (span: Span) => Promise<T>): Promise<T>;
}

/** A span that nobody sees. */
export const silentSpan: Span = {
  traceId: undefined,
  headers: {},
  set: () => undefined,
  fail: () => undefined,
};

/** Records nothing. */
export const silentTracer: Tracer = {
  root: (_, work) => work(silentSpan),
  child: (_, work) => work(silentSpan),
};
