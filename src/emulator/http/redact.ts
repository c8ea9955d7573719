/** What the request log shows of a body: its shape and its harmless values. */

const SENSITIVE =
  /pass|secret|token|credential|private|jwt|authorization|assertion|verifier|^code$|^value$|^body$|_key$|^key$/i;
const HARMLESS = new Set(["verify_jwt", "token_type", "kps_enabled"]);
const CENSOR = "[redacted]";

/** Copy of a JSON value in which strings and numbers under a sensitive key, at any depth, are replaced. */
export function redact(value: unknown, sensitive = false): unknown {
  if (Array.isArray(value)) return value.map((item) => redact(item, sensitive));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, redact(inner, sensitive || isSensitive(key))]),
    );
  }
  if (!sensitive || value === null || value === undefined || typeof value === "boolean") return value;
  return CENSOR;
}

/** Whether a field of this name may hold a secret. */
export function isSensitive(key: string): boolean {
  return !HARMLESS.has(key) && SENSITIVE.test(key);
}
