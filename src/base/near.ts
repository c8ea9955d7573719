/** The name that somebody may have meant by one that is not known. */

/** More changes than that make another word. */
const MOST_CHANGES = 3;
/** So many suggestions are still read. */
const MOST_NAMES = 3;
/** So many known names are still read. */
const MOST_KNOWN = 15;

/**
 * Known names that are a few changes away from what was written, the nearest first; without one, those with the same word before the dot.
 */
export function near(written: string, known: Iterable<string>): readonly string[] {
  const names = [...new Set(known)];
  const most = Math.min(MOST_CHANGES, Math.ceil(written.length / 3));
  const close = names
    .map((name) => ({ name, changes: changesBetween(written.toLowerCase(), name.toLowerCase(), most) }))
    .filter(({ changes }) => changes <= most)
    .toSorted((a, b) => a.changes - b.changes)
    .map(({ name }) => name);
  const [section = "", ...verb] = written.split(".");
  const siblings = verb.length === 0 ? [] : names.filter((name) => name.startsWith(`${section}.`));
  return close.length > 0 ? close.slice(0, MOST_NAMES) : siblings;
}

/** "; near: a, b", to end a message with; nothing where no name is near. */
export function nearInWords(written: string, known: Iterable<string>): string {
  const names = near(written, known);
  return names.length === 0 ? "" : `; near: ${names.join(", ")}`;
}

/** "; near: a; known: a, b", to end a message with: what is known as a whole, unless it is too much to be read. */
export function knownInWords(written: readonly string[], known: Iterable<string>): string {
  const names = [...new Set(known)];
  if (names.length === 0) return "; none is known";
  const meant = [...new Set(written.flatMap((name) => near(name, names)))];
  const nearest = meant.length === 0 ? "" : `; near: ${meant.join(", ")}`;
  if (names.length <= MOST_KNOWN) return `${nearest}; known: ${names.join(", ")}`;
  return nearest === "" ? `; none of the ${names.length} known is near` : nearest;
}

/** Letters to add, drop, replace or swap with their neighbour; above `most` no exact number is told. */
function changesBetween(from: string, to: string, most: number): number {
  if (Math.abs(from.length - to.length) > most) return most + 1;
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let line = 1; line <= from.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[line - 1] === to[column - 1];
      const swapped = line > 1 && column > 1 && from[line - 1] === to[column - 2] && from[line - 2] === to[column - 1];
      next.push(
        Math.min(
          (row[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (row[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (before[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
