import { z } from "zod";
import { durationMaxLength, durationMs, durationPattern, isDuration } from "./duration.ts";
import { celString } from "./rules.ts";

/**
 * Building blocks of specs and statuses: each carries its description, its limits for the CRD, and, where a limit is no plain length, a
 * CEL rule whose message says what to write instead. Limits of the platform come from facts.md §2.
 */

/** Blanks for the inside of a character class. Spelled out, because \s takes in more characters in JavaScript than in RE2. */
export const blank = " \\t\\n\\v\\f\\r";

interface PlainText {
  readonly max: number;
  readonly pattern?: never;
}

interface PatternedText {
  readonly max: number;
  /** A regular expression that means the same to JavaScript and RE2, and that no empty text matches. */
  readonly pattern: string;
  /** What to write instead. */
  readonly message: string;
  /** What nevertheless is refused, as the expressions know no exceptions. */
  readonly never?: Pick<PatternedText, "pattern" | "message">;
}

/**
 * Text limited in characters. Counts code points as the apiserver does, not UTF-16 units. A pattern stands twice in the CRD: as `pattern` for
 * programs that check manifests offline, and as a CEL rule, whose message says what to write instead. The apiserver evaluates no rule of an
 * object that breaks a limit of length, so limits beside a pattern are left wide.
 */
export function text(description: string, options: PlainText | PatternedText): z.ZodString {
  const { max } = options;
  const bounded = z.string().refine((value) => {
    const { length } = Array.from(value);
    return length > 0 && length <= max;
  }, `must have 1 to ${max} characters`);
  if (options.pattern === undefined) return bounded.meta({ description, minLength: 1, maxLength: max });
  const { pattern, message, never } = options;
  const expression = new RegExp(pattern);
  const refused = never === undefined ? undefined : new RegExp(never.pattern);
  return bounded
    .refine((value) => expression.test(value), message)
    .refine((value) => refused?.test(value) !== true, never?.message)
    .meta({
      description,
      maxLength: max,
      pattern,
      "x-kubernetes-validations": [
        { rule: `self.matches(${celString(pattern)})`, message },
        ...(never === undefined
          ? []
          : [{ rule: `!self.matches(${celString(never.pattern)})`, message: never.message }]),
      ],
    });
}

/** One of a closed set of words. */
export function choice<const Words extends readonly [string, ...string[]]>(
  description: string,
  words: Words,
): z.ZodEnum<{ [Word in Words[number]]: Word }> {
  return z.enum(words).meta({ description });
}

interface DurationLimits {
  readonly atLeast: string;
  readonly atMost: string;
}

/** A duration within limits; the limits are durations themselves. */
export function duration(description: string, limits: DurationLimits): z.ZodString {
  const { atLeast, atMost } = limits;
  const message = `write a duration of ${atLeast} to ${atMost} in whole hours, minutes and seconds, such as 90s, 30m, 72h or 1h30m`;
  const pattern = celString(durationPattern);
  return z
    .string()
    .refine((value) => {
      if (!isDuration(value)) return false;
      const ms = durationMs(value);
      return ms >= durationMs(atLeast) && ms <= durationMs(atMost);
    }, message)
    .meta({
      description,
      maxLength: durationMaxLength,
      pattern: durationPattern,
      "x-kubernetes-validations": [
        {
          // The pattern again, because duration() of anything else ends in an evaluation error that hides the message.
          rule: `self.matches(${pattern}) && duration(self) >= duration('${atLeast}') && duration(self) <= duration('${atMost}')`,
          message,
        },
      ],
    });
}

/** How the apiserver merges a list: as a set, by key fields, or as a whole. */
type ListType = "set" | "atomic" | { readonly keys: readonly [string, ...string[]] };

interface ListFieldOptions {
  readonly type: ListType;
  readonly max: number;
  readonly min?: number;
}

/** What tells an item from the others of its list; undefined where equal ones may stand side by side. */
function identityOf(type: ListType, item: unknown): string | undefined {
  if (type === "atomic") return undefined;
  if (type === "set") return JSON.stringify(item);
  const members = new Map<string, unknown>(typeof item === "object" && item !== null ? Object.entries(item) : []);
  return JSON.stringify(type.keys.map((key) => members.get(key)));
}

function areDistinct(type: ListType, items: readonly unknown[]): boolean {
  const identities = items.map((item) => identityOf(type, item)).filter((identity) => identity !== undefined);
  return new Set(identities).size === identities.length;
}

/** A list of bounded length with its merge behaviour. */
export function list<Item extends z.ZodType>(
  description: string,
  item: Item,
  options: ListFieldOptions,
): z.ZodArray<Item> {
  const { type, max, min = 0 } = options;
  const merge =
    typeof type === "string"
      ? { "x-kubernetes-list-type": type }
      : { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": type.keys };
  return z
    .array(item)
    .refine(({ length }) => length >= min && length <= max, `must have ${min} to ${max} items`)
    .refine((items) => areDistinct(type, items), "two items are the same: remove one")
    .meta({ description, ...(min === 0 ? {} : { minItems: min }), maxItems: max, ...merge });
}

const toldTexts = new WeakSet<z.ZodType>();

/**
 * A text in a status that somebody else chose, or that quotes it: a platform's names, states and messages. As long as there is room for (status-bounds.ts):
 * a limit in the schema would make the apiserver refuse the whole status for one odd value.
 */
export function toldText(description: string): z.ZodString {
  const schema = z.string().describe(description);
  toldTexts.add(schema);
  return schema;
}

export function isTold(schema: z.ZodString): boolean {
  return toldTexts.has(schema);
}

const counted = new WeakSet<z.ZodType>();

/** A list of findings, for people: what is beyond its bound is told by its number in the last one (status-bounds.ts). */
export function findings(description: string, { max }: { readonly max: number }): z.ZodArray<z.ZodString> {
  const schema = list(description, toldText("A finding."), { type: "atomic", max });
  counted.add(schema);
  return schema;
}

export function isCounted(schema: z.ZodArray): boolean {
  return counted.has(schema);
}

const subdomainPart = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

/** The name of a Kubernetes object (RFC 1123 subdomain). */
export function objectName(description: string): z.ZodString {
  return text(description, {
    max: 253,
    pattern: `^${subdomainPart}(\\.${subdomainPart})*$`,
    message:
      "write the metadata.name of a Kubernetes object: lower-case letters, digits, '-' and '.', beginning and ending with a letter or digit",
  });
}

/** The name of a namespace (RFC 1123 label). */
export function namespaceName(description: string): z.ZodString {
  return text(description, {
    max: 63,
    pattern: `^${subdomainPart}$`,
    message:
      "write the name of a namespace: lower-case letters, digits and '-', beginning and ending with a letter or digit",
  });
}

/** A key of a Secret or ConfigMap. */
export function dataKey(description: string): z.ZodString {
  return text(description, {
    max: 253,
    pattern: "^[-._a-zA-Z0-9]+$",
    message: "write a key as a Secret or ConfigMap has it: letters, digits, '-', '_' and '.'",
  });
}

/** A project ref (facts.md §2: exactly 20 lower-case letters). */
export function remoteRef(description: string): z.ZodString {
  return text(description, {
    max: 64,
    pattern: "^[a-z]{20}$",
    message: "write a project ref: exactly 20 lower-case letters, as in the project's URL",
  });
}

/** An organization slug (facts.md §2). */
export function organizationSlug(description: string): z.ZodString {
  return text(description, {
    max: 256,
    pattern: "^[A-Za-z0-9_-]+$",
    message: "write the organization's slug (letters, digits, '-' and '_'), not its display name",
  });
}

/** An absolute http or https URL. */
export function webUrl(description: string): z.ZodString {
  return text(description, {
    max: 2048,
    pattern: `^https?://[^${blank}/?#@]+([/?#][^${blank}]*)?$`,
    message: "write an absolute URL that begins with https:// or http://, without user name or blanks",
  });
}

/** A path segment that is neither empty nor "." nor ".."; RE2 has no look-ahead, so the dots are spelled out. */
const pathSegment = `([^./\\\\${blank}]|\\.[^./\\\\${blank}]|\\.\\.[^/\\\\${blank}])[^/\\\\\\r\\n]*`;

/** A path inside a function's source: relative, with '/', that stays inside. */
export const sourcePathPattern = `^(${pathSegment}/)*${pathSegment}$`;
export const sourcePathMessage =
  "write a relative path with '/' between its parts, without '..', such as index.ts or lib/db.ts";

/** A path inside a function's source. */
export function sourcePath(description: string): z.ZodString {
  return text(description, { max: 256, pattern: sourcePathPattern, message: sourcePathMessage });
}

/** A moment in a status, RFC 3339. */
export function moment(description: string): z.ZodString {
  return z.string().meta({ description, format: "date-time" });
}

/** Names a key of a Secret in the object's own namespace. */
export function secretKeySelector(
  description: string,
  defaultKey: string,
): z.ZodObject<{
  name: z.ZodString;
  key: z.ZodDefault<z.ZodString>;
}> {
  return z
    .object({
      name: objectName("Name of the Secret, in the namespace of this object."),
      key: dataKey("Key in the Secret that holds the value.").default(defaultKey),
    })
    .meta({ description });
}
