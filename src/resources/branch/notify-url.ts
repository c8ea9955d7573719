import type { z } from "zod";
import { blank, text } from "../fields.ts";
import { character, hostOf, port } from "../url-forms.ts";

/**
 * spec.notifyUrl of a Branch: what the platform takes for a URL (facts.md §2, branch create). A definition tells what a regular expression can; of what is
 * left, such as a name that nothing can be encoded to, the object's condition says the same.
 */

const letter = "[^\\x00-@\\[-`{-\\x7f]";
/** The last label of a name begins with a letter: one of digits would make the whole an IPv4 address. */
const name = `(${character}+\\.)*${letter}${character}*\\.?`;

const message =
  "write a URL such as https://hooks.example.com/branches, with a port up to 65535 or none, without user name or blanks";

const written = text("URL that the platform calls when the state of the branch changes.", {
  max: 2048,
  pattern: `^https?://${hostOf(name)}${port}([/?#][^${blank}]*)?$`,
  message,
});

export const notifyUrl: z.ZodString = written
  .refine((value) => URL.canParse(value), message)
  .meta(written.meta() ?? {});
