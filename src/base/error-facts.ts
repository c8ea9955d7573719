/** What can be told of a thrown value without trusting its shape. */
export interface ErrorFacts {
  readonly name?: string;
  /** The literal that tells one error from another; never its text. */
  readonly code?: string;
  /** A condition reason, when whoever threw the error chose one; of what tells an effect, the apiserver's reason. */
  readonly reason?: string;
  /** Told by errors of our clients: whether the request may have changed something. */
  readonly effect?: string;
  readonly message: string;
  readonly retryAfterMs?: number;
  readonly recheckAfterMs?: number;
  /** Whoever threw the error says that it is over before anybody needs to be told. */
  readonly untold?: boolean;
}

/** Codes of errors whose reason is a condition's (outcome.ts). Others have one too: the apiserver's is told, that of OpenSSL is any text. */
const CODES_WITH_REASON: ReadonlySet<string | undefined> = new Set(["TERMINAL", "WAITING", "TRANSIENT"]);
/** Longest chain of causes that is followed: a chain may be circular. */
const LONGEST_CHAIN = 8;

function read(value: object, name: string): unknown {
  try {
    return Reflect.get(value, name);
  } catch {
    return undefined; // a getter that throws must not turn one failure into two
  }
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function duration(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Narrows whatever was thrown, once. A thrown non-error has no code and says what it was. Never throws. */
export function errorFacts(error: unknown): ErrorFacts {
  if (typeof error !== "object" || error === null) return { message: `thrown value of type ${typeof error}` };
  const name = text(read(error, "name"));
  const code = text(read(error, "code"));
  const effect = text(read(error, "effect"));
  const ours = CODES_WITH_REASON.has(code) || effect !== undefined;
  const reason = ours ? text(read(error, "reason")) : undefined;
  const retryAfterMs = duration(read(error, "retryAfterMs"));
  const recheckAfterMs = duration(read(error, "recheckAfterMs"));
  return {
    message: text(read(error, "message")) ?? "error without a message",
    ...(name === undefined ? {} : { name }),
    ...(code === undefined ? {} : { code }),
    ...(reason === undefined ? {} : { reason }),
    ...(effect === undefined ? {} : { effect }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(recheckAfterMs === undefined ? {} : { recheckAfterMs }),
    ...(read(error, "untold") === true ? { untold: true } : {}),
  };
}

/** What was thrown, as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error("thrown value that is no error", { cause: thrown });
}

/** The error and what caused it, outermost first. */
export function causeChain(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let current = error; chain.length < LONGEST_CHAIN && !chain.includes(current);) {
    chain.push(current);
    if (typeof current !== "object" || current === null) break;
    const cause = read(current, "cause");
    if (cause === undefined) break;
    current = cause;
  }
  return chain;
}

/**
 * An error as fields of a log line: codes and messages of the whole chain, and the outermost stack, but of a failure that is foreseen, as somebody chose a
 * reason for it or one of our clients words it: where that was thrown says nothing. Own properties (bodies, headers) stay out, since they may hold secrets.
 * Its name is the field `error`: `name` is that of the object which a run is about.
 */
export function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  const [first, ...causes] = causeChain(error).map(errorFacts);
  const { name, ...facts } = first ?? {};
  const foreseen = first?.reason !== undefined || first?.effect !== undefined;
  const stack = typeof error === "object" && error !== null && !foreseen ? text(read(error, "stack")) : undefined;
  return {
    ...(name === undefined ? {} : { error: name }),
    ...facts,
    ...(causes.length === 0
      ? {}
      : { causes: causes.map(({ code, message }) => (code === undefined ? message : `${code}: ${message}`)) }),
    ...(stack === undefined ? {} : { stack }),
  };
}
