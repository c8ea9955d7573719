/** Wall time as Kubernetes' MicroTime takes it: RFC 3339 with exactly six digits of a second's fraction. @param ms since the epoch */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}
