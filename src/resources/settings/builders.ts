import { z } from "zod";
import { duration as durationText, list as listOf, text } from "../fields.ts";
import { durationMs } from "../duration.ts";
import { type NumberOrText, numberOrText } from "./number-or-text.ts";
import { isSameWire, setting, type Wire } from "./setting.ts";
import { positiveSizeForm, positiveSizePattern, sizeBytes, sizeForm, sizePattern } from "./size.ts";

/**
 * Builders of settings: each gives an optional member of a section, for whom the first argument is its name in the Management API's JSON and the second
 * the words of `kubectl explain`. A new setting is one line that uses one of them.
 */

/** On or off. */
export function flag(wire: string, description: string): z.ZodOptional<z.ZodBoolean> {
  const schema = z.boolean().describe(description);
  return setting(schema, { wire, source: "spec", encode: (value) => schema.parse(value), isSame: isSameWire });
}

/** On or off, where the API has the opposite. */
export function inverseFlag(wire: string, description: string): z.ZodOptional<z.ZodBoolean> {
  const schema = z.boolean().describe(description);
  return setting(schema, { wire, source: "spec", encode: (value) => !schema.parse(value), isSame: isSameWire });
}

interface Range {
  readonly min: number;
  readonly max: number;
}

/** A whole number. */
export function integer(wire: string, description: string, { min, max }: Range): z.ZodOptional<z.ZodNumber> {
  const schema = z.int().min(min).max(max).describe(description);
  return setting(schema, { wire, source: "spec", encode: (value) => schema.parse(value), isSame: isSameWire });
}

/** A number from 0 up, fractions among them; the service may keep it in single precision. */
export function amount(wire: string, description: string): z.ZodOptional<z.ZodNumber> {
  const schema = z.number().min(0).describe(description);
  return setting(schema, {
    wire,
    source: "spec",
    encode: (value) => schema.parse(value),
    isSame: (wanted, observed) =>
      isSameWire(wanted, observed) ||
      (typeof wanted === "number" && typeof observed === "number" && Math.fround(wanted) === Math.fround(observed)),
  });
}

/** A whole number that the API has as text (K-17), written as either. */
export function integerAsText(wire: string, description: string, { min, max }: Range): z.ZodOptional<NumberOrText> {
  const message = `write a whole number of ${min} to ${max}`;
  const digits = `^[0-9]{1,${String(max).length}}$`;
  const whole = new RegExp(digits);
  const schema = z
    .union([z.int(), z.string()])
    .refine((value) => whole.test(String(value)) && Number(value) >= min && Number(value) <= max, message)
    .meta({
      description: `A whole number, also as text. ${description}`,
      ...numberOrText({ pattern: digits, form: digits, rule: `int(self) >= ${min} && int(self) <= ${max}`, message }),
    });
  return setting(schema, {
    wire,
    source: "spec",
    encode: (value) => String(Number(schema.parse(value))),
    isSame: (wanted, observed) => wanted === String(observed),
  });
}

/** One of a closed set of words, each with what the API calls it (K-18). */
export function choice<const Words extends Readonly<Record<string, string>>>(
  wire: string,
  description: string,
  words: Words,
): z.ZodOptional<z.ZodEnum<{ [Word in keyof Words & string]: Word }>> {
  const names = Object.fromEntries(Object.keys(words).map((word) => [word, word])) as {
    [Word in keyof Words & string]: Word;
  }; // the keys of `words` by construction
  const schema = z.enum(names).describe(description);
  const encode = (value: unknown): Wire => words[schema.parse(value)] ?? null;
  return setting(schema, { wire, source: "spec", encode, isSame: isSameWire });
}

interface Words {
  readonly max: number;
  /** a regular expression that means the same to JavaScript and RE2, and what to write instead */
  readonly pattern?: string;
  readonly message?: string;
  /** the empty text is refused: unset, the platform puts words of its own in its place */
  readonly notEmpty?: true;
}

/** Text. Without a pattern the empty text is allowed, and unsets it. */
export function words(wire: string, description: string, options: Words): z.ZodOptional<z.ZodString> {
  const schema = wordsSchema(description, options);
  return setting(schema, {
    wire,
    source: "spec",
    encode: (value) => emptyAsNull(schema.parse(value)),
    isSame: isSameWire,
  });
}

function wordsSchema(description: string, { max, pattern, message, notEmpty }: Words): z.ZodString {
  if (pattern !== undefined && message !== undefined) return text(description, { max, pattern, message });
  if (notEmpty === true) return text(description, { max });
  return z
    .string()
    .refine((value) => Array.from(value).length <= max, `must have at most ${max} characters`)
    .meta({ description, maxLength: max });
}

function emptyAsNull(value: string): string | null {
  return value === "" ? null : value;
}

interface Items {
  readonly max: number;
  readonly item: z.ZodString;
  /** what an empty list is to the API: default null */
  readonly empty?: string;
  /** the order of its items means something: another one is another value; absent: it means nothing, and the service may write it in any */
  readonly isOrdered?: true;
}

/** A list that the API has as text with commas. */
export function commaList(
  wire: string,
  description: string,
  { max, item, empty, isOrdered }: Items,
): z.ZodOptional<z.ZodArray<z.ZodString>> {
  const schema = listOf(description, item, { type: "set", max });
  const encode = (value: unknown): Wire => {
    const items = schema.parse(value);
    return items.length === 0 ? (empty ?? null) : items.join(",");
  };
  const plain = (value: unknown): string => {
    const items = typeof value === "string" ? value.split(",") : [];
    const found = items.map((one) => one.trim()).filter((one) => one !== "");
    return (isOrdered === true ? found : found.toSorted()).join(",");
  };
  return setting(schema, {
    wire,
    source: "spec",
    encode,
    isSame: (wanted, observed) => plain(wanted) === plain(observed),
  });
}

const unitMs = { second: 1000, minute: 60_000, hour: 3_600_000 } as const;

interface Duration {
  readonly atLeast: string;
  readonly atMost: string;
  /** what the API counts */
  readonly unit: keyof typeof unitMs;
}

/** A duration such as 90s or 1h30m, that the API has as a number of units. */
export function duration(wire: string, description: string, { unit, ...limits }: Duration): z.ZodOptional<z.ZodString> {
  const schema = durationText(description, limits);
  return setting(schema, {
    wire,
    source: "spec",
    encode: (value) => durationMs(schema.parse(value)) / unitMs[unit],
    isSame: isSameWire,
  });
}

const momentPattern =
  "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?" +
  "(Z|[-+]([01][0-9]|2[0-3]):[0-5][0-9])$";

/** A moment, RFC 3339. */
export function moment(wire: string, description: string): z.ZodOptional<z.ZodString> {
  const message = "write a moment such as 2026-01-31T12:00:00Z";
  const plain = text(description, { max: 40, pattern: momentPattern, message });
  const schema = plain
    .refine((value) => z.iso.datetime({ offset: true }).safeParse(value).success, message)
    .meta({ ...plain.meta() }); // without a format, which would make the value of the rule a timestamp and no text
  const at = (value: unknown): number => (typeof value === "string" ? Date.parse(value) : Number.NaN);
  return setting(schema, {
    wire,
    source: "spec",
    encode: (value) => schema.parse(value),
    isSame: (wanted, observed) => at(wanted) === at(observed),
  });
}

interface SizeRange {
  /** bytes */
  readonly max: number;
  /** something is needed: 0 is refused */
  readonly notZero?: true;
  /** bytes of what the API counts; default 1 */
  readonly unit?: number;
}

/** How a size is written: `kubectl explain` shows what may be a number or text as <Object>, so that the description begins with it. */
const SIZE = "A size such as 50Mi, or a number of bytes.";
const SIZE_UNITS = "Units: k, M, G, T in powers of 1000, Ki, Mi, Gi, Ti in powers of 1024.";

/** A size such as 50Mi, or a number of bytes. */
export function size(
  wire: string,
  description: string,
  { max, unit = 1, notZero }: SizeRange,
): z.ZodOptional<NumberOrText> {
  const most = `write a size such as 50Mi or 1Gi, or a number of bytes, of at most ${max} bytes`;
  const whole = unit === 1 ? most : `${most}, in whole units of ${unit} bytes`;
  const least = notZero === true ? 1 : 0;
  const schema = sizeSchema({
    description: `${SIZE} ${description} ${SIZE_UNITS}`,
    message: notZero === true ? `${whole}, and more than 0` : whole,
    least,
    fits: (bytes) => bytes >= least && bytes <= max && bytes % unit === 0,
  });
  return setting(schema, {
    wire,
    source: "spec",
    encode: (value) => (sizeBytes(String(schema.parse(value))) ?? 0) / unit,
    isSame: isSameWire,
  });
}

interface SizeSchema {
  readonly description: string;
  /** what to write instead */
  readonly message: string;
  /** bytes */
  readonly least: 0 | 1;
  readonly fits: (bytes: number) => boolean;
}

function sizeSchema({ description, message, least, fits }: SizeSchema): NumberOrText {
  return z
    .union([z.int(), z.string()])
    .refine((value) => {
      const bytes = sizeBytes(String(value));
      return bytes !== undefined && fits(bytes);
    }, message)
    .meta({
      description,
      ...numberOrText({
        pattern: least === 0 ? sizePattern : positiveSizePattern,
        form: least === 0 ? sizeForm : positiveSizeForm,
        rule: `int(self) >= ${least}`,
        message,
      }),
    });
}
