import { describe, expect, it } from "vitest";
import { writeWhole } from "./write-whole.ts";

/** A file that takes so many bytes at once, and what it holds. */
function slow(atOnce: number) {
  const taken: Uint8Array[] = [];
  return {
    write: (rest: Uint8Array): number => {
      const part = rest.subarray(0, atOnce);
      taken.push(part);
      return part.length;
    },
    text: () => Buffer.concat(taken).toString("utf8"),
  };
}

describe("a text", () => {
  it.each([1, 2, 5, 1000])("is there to its end, within characters too, where %d bytes are taken at once", (atOnce) => {
    const file = slow(atOnce);
    writeWhole("größer\n", file.write);
    expect(file.text()).toBe("größer\n");
  });

  it("that is not taken at all is an error, and no endless loop", () => {
    expect(() => writeWhole("x", () => 0)).toThrow("nothing more can be written");
  });
});
