/**
 * What a parser of answers says, without the bytes that it quotes: undici puts what it did not understand into `data`, in which a server
 * may have given back what it was sent, the token too.
 */
export function withoutQuotedBytes(error: unknown): unknown {
  if (!(error instanceof Error) || !("data" in error)) return error;
  const { name, message } = error;
  const code: unknown = Reflect.get(error, "code");
  return Object.assign(new Error(message), { name }, typeof code === "string" ? { code } : {});
}
