import { z } from "zod";
import { duration as durationText, list as listOf, text } from "../fields.ts";
import { durationMs } from "../duration.ts";
import { celString } from "../rules.ts";
import { type NumberOrText, numberOrText } from "./number-or-text.ts";
import { isSameWire, setting, type Wire } from "./setting.ts";
import { sizeBytes, sizePattern } from "./size.ts";
import { digitsUpTo } from "./digits.ts";

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

/** A whole number from 1 up that the API has as text (K-17), written as either. */
export function integerAsText(
  wire: string,
  description: string,
  { min, max }: Range & { readonly min: 1 },
): z.ZodOptional<NumberOrText> {
  const message = `write a whole number of ${min} to ${max}`;
  const pattern = digitsUpTo(max);
  const whole = new RegExp(pattern);
  const within = `int(self) >= ${min} && int(self) <= ${max}`;
  const schema = z
    .union([z.int(), z.string()])
    .refine((value) => whole.test(String(value)), message)
    .meta({
      description: `A whole number of ${min} to ${max}, also as text. ${description}`,
      ...numberOrText({ pattern, form: "^[0-9]{1,18}$", rule: within, textRule: within, message }),
    });
  return setting(schema, {
    wire,
    source: "spec",
    encode: (value) => String(Number(schema.parse(value))),
    isSame: (wanted, observed) => wanted === String(observed),
  });
}

/** One of a closed set of words, each with what the API calls it (K-18); null is what it calls none of the others. */
export function choice<const Words extends Readonly<Record<string, string | null>>>(
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

/** Days that there are, so that a pattern alone tells a moment: of a year that is none, the apiserver's timestamp() would say no word. */
const leapYear = "([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)";
const day =
  "([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))" +
  `|${leapYear}-02-29)`;
const momentForm = `${day}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?(Z|[-+]([01][0-9]|2[0-3]):[0-5][0-9])`;

/** A moment, RFC 3339. The empty text unsets it. */
export function moment(wire: string, description: string): z.ZodOptional<z.ZodString> {
  const message = "write a moment that there is, such as 2026-01-31T12:00:00Z";
  const pattern = `^(${momentForm})?$`;
  const expression = new RegExp(pattern);
  const schema = z
    .string()
    .refine((value) => expression.test(value), message)
    .meta({
      description,
      maxLength: 40,
      pattern,
      "x-kubernetes-validations": [{ rule: `self.matches(${celString(pattern)})`, message }],
    });
  const at = (value: unknown): number => (typeof value === "string" ? Date.parse(value) : Number.NaN);
  return setting(schema, {
    wire,
    source: "spec",
    encode: (value) => emptyAsNull(schema.parse(value)),
    isSame: (wanted, observed) => isSameWire(wanted, observed) || at(wanted) === at(observed),
  });
}

interface SizeRange {
  /** a size itself */
  readonly max: string;
  /** how one is written */
  readonly example: string;
  /** something is needed: 0 is refused */
  readonly notZero?: true;
  /** bytes of what the API counts; default 1 */
  readonly unit?: number;
}

const SIZE_UNITS = "Units: k, M, G, T in powers of 1000, Ki, Mi, Gi, Ti in powers of 1024.";

/** A size such as 50Mi, or a number of bytes. */
export function size(wire: string, description: string, range: SizeRange): z.ZodOptional<NumberOrText> {
  const { max, example, unit = 1, notZero } = range;
  const most = sizeBytes(max) ?? 0;
  const least = notZero === true ? 1 : 0;
  const bounds = [`at most ${max}`, ...(unit === 1 ? [] : [`in whole units of ${unit} bytes`])].join(", ");
  const message = `write a size such as ${example}, or a number of bytes, of ${notZero === true ? "more than 0 and " : ""}${bounds}`;
  const schema = z
    .union([z.int(), z.string()])
    .refine((value) => {
      const bytes = sizeBytes(String(value)) ?? Number.NaN;
      return bytes >= least && bytes <= most && bytes % unit === 0;
    }, message)
    .meta({
      // `kubectl explain` shows what may be a number or text as <Object>, and neither bounds nor rules of it: the description tells them.
      description: `A size such as ${example}, or a number of bytes, of ${bounds}. ${description} ${SIZE_UNITS}`,
      ...numberOrText({ pattern: sizePattern, form: sizePattern, message, ...sizeRules({ least, most, unit }) }),
    });
  return setting(schema, {
    wire,
    source: "spec",
    encode: (value) => (sizeBytes(String(schema.parse(value))) ?? 0) / unit,
    isSame: isSameWire,
  });
}

/** The bounds in CEL, in bytes. What is beyond them need be no number that asInteger() knows: of that nothing is asked then. */
function sizeRules({
  least,
  most,
  unit,
}: Readonly<Record<"least" | "most" | "unit", number>>): Readonly<Record<"rule" | "textRule", string>> {
  const divides = (value: string): readonly string[] => (unit === 1 ? [] : [`${value} % ${unit} == 0`]);
  const rule = [`int(self) >= ${least}`, `int(self) <= ${most}`, ...divides("int(self)")].join(" && ");
  const textRule = [
    `quantity(self).isLessThan(quantity('${most + 1}'))`,
    ...(least === 0 ? [] : [`quantity(self).isGreaterThan(quantity('${least - 1}'))`]),
    ...divides("quantity(self).asInteger()"),
  ].join(" && ");
  return { rule, textRule };
}
