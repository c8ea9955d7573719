/** What secrets are called, as fields and within texts: one list for both. Pure. */

const NAMES =
  "pass|pwd|secret|token|credential|private|jwt|authorization|assertion|verifier|bearer|" +
  "(?:api|access|auth|anon|sign(?:ing)?|encryption)[-_ ]?keys?|_keys?(?![a-z_])";
/** What SQL makes and keeps secrets with, and letters that are escaped, of which any of these may be written. */
const OF_SQL = String.raw`(?:crypt|hmac|sign)\s*\(|pgp_|vault\.|identified\s+by|\\[Uux+{0]+[4-7][\da-f]|\\1[0-7]{2}`;
const OF_FIELDS = "^(?:code|value|body|key|parameters)$";

const IN_TEXT = new RegExp(`${NAMES}|${OF_SQL}`, "i");
const FIELD = new RegExp(`${NAMES}|${OF_FIELDS}`, "i");

/** Whether a text names a secret anywhere. */
export function namesPassword(text: string): boolean {
  return IN_TEXT.test(text);
}

/** Whether a field of this name holds one. */
export function isNameOfSecret(key: string): boolean {
  return FIELD.test(key);
}
