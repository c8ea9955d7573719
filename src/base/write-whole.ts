/**
 * Writes the whole of a text or of bytes through what may take only a part of it at once, as the system does where a disk is nearly full.
 *
 * @param write takes bytes; returns how many it took
 * @throws what `write` throws; Error where it takes nothing
 */
export function writeWhole(content: string | Uint8Array, write: (rest: Uint8Array) => number): void {
  let rest = typeof content === "string" ? Buffer.from(content, "utf8") : content;
  while (rest.length > 0) {
    const taken = write(rest);
    if (taken === 0) throw new Error("nothing more can be written");
    rest = rest.subarray(taken);
  }
}
