/** What is said of fields that differ and are left so, wherever it is said. Pure. */

/** `driftPolicy: Report`, and `managementPolicy: Observe`. */
export function reportedMessage(fields: readonly string[]): string {
  return `differs remotely: ${fields.join(", ")}`;
}

/**
 * What does not keep what is written to it until the section of the spec changes or somebody asks, or is another one without end for as long as an
 * hour: either with its own end.
 */
export function stuckMessage(fields: readonly string[]): string {
  const kept =
    "came back different after three writes, or after one that interrupts what is served, and is left until that section of the spec changes, or baas.dev/reconcile-at";
  const rotated = "was another one sixty times within an hour, and is left until that hour is over";
  return `${kept}; or ${rotated}: ${fields.join(", ")}`;
}

/** What no condition tells of. */
export function ignoredMessage(fields: readonly string[]): string {
  return `driftPolicy Ignore leaves different: ${fields.join(", ")}`;
}
