/** A time as metav1.MicroTime takes it: RFC 3339 with exactly six digits of a second's fraction. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}
