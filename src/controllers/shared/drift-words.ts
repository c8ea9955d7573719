/** What is said of fields that differ and are left so, wherever it is said. Pure. */

/** `driftPolicy: Report`, and `managementPolicy: Observe`. */
export function reportedMessage(fields: readonly string[]): string {
  return `differs remotely: ${fields.join(", ")}`;
}

/** What does not keep what is written to it. */
export function stuckMessage(fields: readonly string[]): string {
  return `came back different after three writes and is written no more until the spec changes: ${fields.join(", ")}`;
}

/** What no condition tells of. */
export function ignoredMessage(fields: readonly string[]): string {
  return `driftPolicy Ignore leaves different: ${fields.join(", ")}`;
}
