import { createHash } from "node:crypto";

/** Values that must show nowhere, and the forms in which one may slip out. */

/** How a value was found. */
export interface Sighting {
  /** which value, as the test calls it */
  readonly canary: string;
  readonly form: "plain" | "base64" | "sha256";
  /** what stands around it, itself left out */
  readonly near: string;
}

const AROUND = 80;

/** Base64 of a value wherever in a longer text it stands: each of the three alignments, without the characters that its neighbours share. */
function base64Forms(value: string): readonly string[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.from("x".repeat(before) + value, "utf8").toString("base64");
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor(((before + Buffer.byteLength(value)) * 8) / 6);
    return text.slice(first, last);
  });
}

/** Hex and base64 of the plain digest; a keyed one is another. */
function digestForms(value: string): readonly string[] {
  const digest = createHash("sha256").update(value).digest();
  return [digest.toString("hex"), digest.toString("base64")];
}

/**
 * Where any of the values stands in a text.
 *
 * @param canaries values by what the test calls them
 * @param options.digests whether their plain digests count too
 */
export function sightings(
  text: string,
  canaries: ReadonlyMap<string, string>,
  { digests }: { readonly digests: boolean },
): readonly Sighting[] {
  return [...canaries].flatMap(([canary, value]) => {
    const forms: readonly (readonly [Sighting["form"], readonly string[]])[] = [
      ["plain", [value]],
      ["base64", base64Forms(value)],
      ["sha256", digests ? digestForms(value) : []],
    ];
    return forms.flatMap(([form, texts]) => {
      const found = texts.find((candidate) => text.includes(candidate));
      if (found === undefined) return [];
      const at = text.indexOf(found);
      const near = `${text.slice(Math.max(0, at - AROUND), at)}…${text.slice(at + found.length, at + found.length + AROUND)}`;
      return [{ canary, form, near }];
    });
  });
}
