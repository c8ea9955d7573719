import type { z } from "zod";
import { blank, text } from "../../fields.ts";
import { duration, integer, words } from "../builders.ts";

/** Lengths and ranges that parts of spec.auth have in common. Ranges of the platform: facts.md §2, auth PATCH. */

/** Largest value of the service's integers. */
const INT4_MAX = 2_147_483_647;
/** The same in seconds, as whole hours. */
const MOST_SECONDS = "596523h";

/** A number of things, from none up. */
export function count(wire: string, description: string): z.ZodOptional<z.ZodNumber> {
  return integer(wire, description, { min: 0, max: INT4_MAX });
}

/** A number of things, from one up. */
export function rate(wire: string, description: string): z.ZodOptional<z.ZodNumber> {
  return integer(wire, description, { min: 1, max: INT4_MAX });
}

/** A duration that the API has in seconds. */
export function seconds(wire: string, description: string, atMost = MOST_SECONDS): z.ZodOptional<z.ZodString> {
  return duration(wire, description, { atLeast: "0s", atMost, unit: "second" });
}

/** One line of text: an identifier, a title, an address. The empty text unsets it. */
export function line(wire: string, description: string): z.ZodOptional<z.ZodString> {
  return words(wire, description, { max: 2048 });
}

/** A text that the platform has words of its own for, where it is unset. */
export function wording(wire: string, description: string): z.ZodOptional<z.ZodString> {
  return words(wire, description, { max: 2048, notEmpty: true });
}

/** An item of what the API has as text with commas. */
export function listItem(description: string): z.ZodString {
  return text(description, {
    max: 2048,
    pattern: `^[^,${blank}]+$`,
    message: "write one item of the list, without commas or blanks",
  });
}
