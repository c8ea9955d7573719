import type { z } from "zod";
import { blank, text } from "../fields.ts";

/**
 * spec.notifyUrl of a Branch: what the platform takes for a URL (facts.md §2, branch create). A definition tells what a regular expression can; of what is
 * left, such as an address of IPv6 with too many parts, the object's condition says the same.
 */

/** A character of a label: letters, digits, '-', '_' and all beyond ASCII. */
const character = "[^\\x00-,./:-@\\[-\\^`{-\\x7f]";
const letter = "[^\\x00-@\\[-`{-\\x7f]";
/** The last label of a name begins with a letter: one of digits would make the whole an IPv4 address. */
const name = `(${character}+\\.)*${letter}${character}*\\.?`;
const octet = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const host = `(${name}|${octet}(\\.${octet}){3}|\\[[0-9A-Fa-f:.]+\\])`;
const port = "(:(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[0-9]{1,4}))?";

const message =
  "write a URL such as https://hooks.example.com/branches, with a port up to 65535 or none, without user name or blanks";

const written = text("URL that the platform calls when the state of the branch changes.", {
  max: 2048,
  pattern: `^https?://${host}${port}([/?#][^${blank}]*)?$`,
  message,
});

export const notifyUrl: z.ZodString = written
  .refine((value) => URL.canParse(value), message)
  .meta(written.meta() ?? {});
