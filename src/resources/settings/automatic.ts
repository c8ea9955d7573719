import { z } from "zod";
import { type NumberOrText, numberOrText } from "./number-or-text.ts";
import { isSameWire, setting } from "./setting.ts";

/** The word for what the platform is to choose, and goes on choosing: null to it, in requests and in answers. */
export const AUTOMATIC = "Automatic";

interface Range {
  readonly min: number;
  readonly max: number;
}

/**
 * A whole number, or the word that leaves it to the platform: what is taken out of the spec is left as it is, so that without the word nothing led back.
 * Only of what answers null for as long as it is left: else the platform's choice and somebody's number are told apart by nothing.
 *
 * @param description what it is, and what it follows from where it is left to the platform
 */
export function integerOrAutomatic(
  wire: string,
  description: string,
  { min, max }: Range,
): z.ZodOptional<NumberOrText> {
  const message = `write a whole number of ${min} to ${max}, or ${AUTOMATIC}`;
  const pattern = `^${AUTOMATIC}$`;
  const schema = z
    .union([z.int(), z.string()])
    .refine((value) => (typeof value === "number" ? value >= min && value <= max : value === AUTOMATIC), message)
    .meta({
      description: `A whole number of ${min} to ${max}, or ${AUTOMATIC}. ${description}`,
      ...numberOrText({ pattern, form: pattern, rule: `int(self) >= ${min} && int(self) <= ${max}`, message }),
    });
  return setting(schema, {
    wire,
    source: "spec",
    encode: (value) => {
      const parsed = schema.parse(value);
      return typeof parsed === "number" ? parsed : null;
    },
    isSame: isSameWire,
  });
}
