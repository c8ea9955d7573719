import { z } from "zod";
import { type NumberOrText, numberOrText } from "./number-or-text.ts";
import { setting, type Wire } from "./setting.ts";

/**
 * Sizes and durations of the database's settings. People write them as the database does (`64MB`, `5min`) or as Kubernetes does (`64Mi`, `1h30m`): what
 * both would read is the same, so that either is unambiguous. A bare number is not: what it counts differs from setting to setting. Pure.
 *
 * Units and rounding: the database's own (`pg_settings.unit`); a size counts in powers of 1024.
 */

const sizeBytes = {
  B: 1,
  kB: 2 ** 10,
  MB: 2 ** 20,
  GB: 2 ** 30,
  TB: 2 ** 40,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  "8kB": 2 ** 13,
} as const;

const durationMs = {
  us: 1e-3,
  ms: 1,
  s: 1e3,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
} as const;

/** What a bare number counts in the database. */
type SizeUnit = "B" | "kB" | "8kB" | "MB";
type DurationUnit = "ms" | "s";

/** How the database calls a unit that only people write. */
const databaseUnits: Readonly<Record<string, string>> = { Ki: "kB", Mi: "MB", Gi: "GB", Ti: "TB", m: "min" };

const sizePattern = "[0-9]{1,12}(B|kB|MB|GB|TB|Ki|Mi|Gi|Ti)";
const durationPattern = "[0-9]{1,9}(us|ms|s|m|min|h|d)|[0-9]{1,6}h[0-9]{1,6}m([0-9]{1,6}s)?|[0-9]{1,6}[hm][0-9]{1,6}s";

/** Each of them, in short. */
const sizeForm = String.raw`\d+([kMGT]?B|[KMGT]i)`;
const durationForm = String.raw`(\d+(us|m?s|m(in)?|[hd]))+`;

interface ValueKind {
  /** of what has a unit, without its ends */
  readonly pattern: string;
  readonly form: string;
  /** how it is written: `kubectl explain` shows what may be a number or text as <Object>, so that the description begins with it */
  readonly written: string;
  readonly examples: string;
  /** what may stand behind a number */
  readonly after: string;
  readonly units: Readonly<Record<string, number>>;
  /** what a bare number of the database counts, in the same measure as `units` */
  readonly bare: number;
  /** the unit in which a sum of several is written */
  readonly sum: string;
}

interface Takes {
  /**
   * the least and the most that the database takes. Told by `kubectl explain`, and looked at by the section: the apiserver, which would have to reckon with
   * units, takes no more rules of that cost
   */
  readonly from: string;
  readonly to: string;
  /** what -1 stands for, where the setting takes it */
  readonly minusOne?: string;
}

/** A size of memory or disk. */
export function postgresSize(
  wire: string,
  description: string,
  { unit, ...takes }: { readonly unit: SizeUnit } & Takes,
): z.ZodOptional<NumberOrText> {
  const kind: ValueKind = {
    pattern: sizePattern,
    form: sizeForm,
    written: "A size such as 64MB or 64Mi.",
    examples: "64MB or 64Mi",
    after: "Units: B, kB, MB, GB, TB, or Ki, Mi, Gi, Ti, all in powers of 1024.",
    units: sizeBytes,
    bare: sizeBytes[unit],
    sum: "B",
  };
  return measured(wire, description, kind, takes);
}

/** A duration. */
export function postgresDuration(
  wire: string,
  description: string,
  { unit, ...takes }: { readonly unit: DurationUnit } & Takes,
): z.ZodOptional<NumberOrText> {
  const kind: ValueKind = {
    pattern: durationPattern,
    form: durationForm,
    written: "A duration such as 30s or 5min.",
    examples: "30s, 5min or 1h30m",
    after: "Units: us, ms, s, m or min, h, d.",
    units: durationMs,
    bare: durationMs[unit],
    sum: "ms",
  };
  return measured(wire, description, kind, takes);
}

function measured(
  wire: string,
  description: string,
  kind: ValueKind,
  { from, to, minusOne }: Takes,
): z.ZodOptional<NumberOrText> {
  const bare = minusOne === undefined ? [0] : [0, -1];
  const whole = (text: string): string => `^(${bare.join("|")}|${text})$`;
  const pattern = whole(kind.pattern);
  const message = `write a whole number with its unit, such as ${kind.examples}, or ${bare.join(" or ")}`;
  const special = minusOne === undefined ? [] : [`-1: ${minusOne}.`];
  const expression = new RegExp(pattern);
  const schema = z
    .union([z.int(), z.string()])
    .refine((value) => (typeof value === "number" ? bare.includes(value) : expression.test(value)), message)
    .meta({
      description: [kind.written, description, `${from} to ${to}.`, ...special, kind.after].join(" "),
      ...numberOrText({ pattern, form: whole(kind.form), rule: `int(self) in [${bare.join(", ")}]`, message }),
    });
  return setting(schema, {
    wire,
    source: "spec",
    encode: (value) => encoded(kind, String(schema.parse(value))),
    isSame: (wanted, observed) => isSameMeasure(kind, wanted, observed),
    problem: (value) => {
      const text = String(schema.parse(value));
      const isSpecial = minusOne !== undefined && text === "-1";
      return isSpecial || isWithin(kind, text, { from, to }) ? undefined : `${text} is not within ${from} to ${to}`;
    },
  });
}

/** In whole units, as the database counts. */
function isWithin(kind: ValueKind, text: string, { from, to }: Pick<Takes, "from" | "to">): boolean {
  const [least = 0, value = Number.NaN, most = 0] = [from, text, to].map((one) => measureOf(kind, encoded(kind, one)));
  return least <= value && value <= most;
}

/** As the database reads it: one number with a unit of its own. */
function encoded(kind: ValueKind, text: string): string {
  const [first, ...others] = partsOf(text);
  if (first === undefined) return text;
  if (others.length === 0) return `${first.count}${databaseUnits[first.unit] ?? first.unit}`;
  const total = [first, ...others].reduce((sum, { count, unit }) => sum + count * (kind.units[unit] ?? 0), 0);
  return `${total}${kind.sum}`;
}

function partsOf(text: string): readonly { readonly count: number; readonly unit: string }[] {
  return [...text.matchAll(/([0-9]+)([A-Za-z]+)/g)].map(([, count, unit = ""]) => ({ count: Number(count), unit }));
}

/** Whether two texts are the same number of whole units: 64MB and 65536kB are, and so is 8192 of a setting that counts in 8kB. */
function isSameMeasure(kind: ValueKind, wanted: Wire, observed: unknown): boolean {
  const a = measureOf(kind, wanted);
  return a !== undefined && a === measureOf(kind, observed);
}

function measureOf({ units, bare }: ValueKind, value: unknown): number | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const [, count, unit = ""] = /^\s*(-?[0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*$/.exec(String(value)) ?? [];
  if (count === undefined) return undefined;
  const factor = unit === "" ? bare : units[unit];
  // The database keeps whole units.
  return factor === undefined ? undefined : Math.round((Number(count) * factor) / bare);
}
