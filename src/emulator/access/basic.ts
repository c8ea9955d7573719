/** What a Basic Authorization header says (RFC 7617). */
export interface BasicCredentials {
  readonly user: string;
  readonly password: string;
}

/** The credentials of a header; undefined for another scheme or one that cannot be read. */
export function basicOf(authorization: string | undefined): BasicCredentials | undefined {
  const encoded = /^Basic +([\w+/]+={0,2})$/i.exec(authorization ?? "")?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const at = text.indexOf(":");
  return at === -1 ? undefined : { user: text.slice(0, at), password: text.slice(at + 1) };
}
