/** A message with more after it: the platform's words may end with a full stop. Pure. */
export function followedBy(message: string, more: string): string {
  return `${message.replace(/(?<!\.)\.$/u, "")}; ${more}`;
}
