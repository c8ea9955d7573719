/** How a connection is let in, whichever of its two kinds says so. */

/** A key of a Secret, wherever that lies. */
export interface SecretKey {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/** The credential that a spec declares. */
export type DeclaredCredential =
  | { readonly kind: "token"; readonly token: SecretKey }
  | {
      readonly kind: "oauth";
      readonly clientId: string;
      readonly clientSecret: SecretKey;
      readonly refreshToken: SecretKey;
    }
  | { readonly kind: "workloadIdentity"; readonly clientId: string; readonly clientSecret: SecretKey | undefined };

interface HeldSecret {
  /** a Connection's has no namespace of its own */
  readonly secretRef: { readonly namespace?: string; readonly name: string; readonly key: string };
}

/** The members of a spec that declare its credential. */
export interface CredentialSpec {
  readonly token?: HeldSecret | undefined;
  readonly oauth?:
    | { readonly clientId: string; readonly clientSecret: HeldSecret; readonly refreshToken: HeldSecret }
    | undefined;
  readonly workloadIdentity?: { readonly clientId: string; readonly clientSecret?: HeldSecret | undefined } | undefined;
}

/**
 * The credential of a parsed spec.
 *
 * @param namespace where Secrets lie whose reference names no namespace: that of a Connection
 * @throws TypeError when it declares none, which `parse` refuses
 */
export function credentialOf(
  { token, oauth, workloadIdentity }: CredentialSpec,
  namespace: string,
): DeclaredCredential {
  const at = ({ secretRef }: HeldSecret): SecretKey => ({ namespace, ...secretRef });
  if (token !== undefined) return { kind: "token", token: at(token) };
  if (oauth !== undefined) {
    const { clientId, clientSecret, refreshToken } = oauth;
    return { kind: "oauth", clientId, clientSecret: at(clientSecret), refreshToken: at(refreshToken) };
  }
  if (workloadIdentity !== undefined) {
    const { clientId, clientSecret } = workloadIdentity;
    return { kind: "workloadIdentity", clientId, clientSecret: clientSecret && at(clientSecret) };
  }
  throw new TypeError("the spec declares no credential");
}

/** The keys of Secrets that a credential is read from. */
export function secretKeysOf(credential: DeclaredCredential): readonly SecretKey[] {
  switch (credential.kind) {
    case "token":
      return [credential.token];
    case "oauth":
      return [credential.clientSecret, credential.refreshToken];
    case "workloadIdentity":
      return credential.clientSecret === undefined ? [] : [credential.clientSecret];
    default:
      return credential satisfies never;
  }
}
