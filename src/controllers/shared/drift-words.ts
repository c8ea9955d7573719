/** What is said of fields that differ and are left so, wherever it is said. Pure. */

/** `driftPolicy: Report`, and `managementPolicy: Observe`. */
export function reportedMessage(fields: readonly string[]): string {
  return `differs remotely: ${fields.join(", ")}`;
}

/** What does not keep what is written to it, or is to be written without end. */
export function stuckMessage(fields: readonly string[]): string {
  const bounds = "came back different after three writes, or was another one sixty times within an hour";
  return `${bounds}, and is left until the spec changes, or that hour is over: ${fields.join(", ")}`;
}

/** What no condition tells of. */
export function ignoredMessage(fields: readonly string[]): string {
  return `driftPolicy Ignore leaves different: ${fields.join(", ")}`;
}
