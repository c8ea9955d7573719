import ipaddr from "ipaddr.js";
import type { z } from "zod";
import { valueAt } from "../../../src/resources/settings/setting.ts";
import { AUTOMATIC } from "../../../src/resources/settings/automatic.ts";

/**
 * Why our own schemas may refuse what was drawn from what they say of themselves. Each reason is judged here by itself: what is refused without being so is
 * refused wrongly, and drawing it again would hide that.
 */
interface Reason {
  /** words of the refusal */
  readonly says: RegExp;
  /** dotted path from what is judged to the field that the refusal names; default: they are the same */
  readonly at?: string;
  /** Whether it is as the words say. @param words what of them stands in parentheses */
  isSo(judged: unknown, words: readonly (string | undefined)[]): boolean;
}

/**
 * Whether the schema takes it.
 *
 * @throws Error where it is refused wrongly, or for a reason that is not known here
 */
export function isTaken(schema: z.ZodType, value: unknown): boolean {
  const { error } = schema.safeParse(value);
  for (const { message, path } of error?.issues ?? []) {
    if (!reasons.some((reason) => holds(reason, { value, message, path }))) {
      throw new Error(`${path.join(".")}: ${message}: refused wrongly, or for a new reason: ${JSON.stringify(value)}`);
    }
  }
  return error === undefined;
}

interface Refused {
  readonly value: unknown;
  readonly message: string;
  readonly path: readonly PropertyKey[];
}

function holds(reason: Reason, { value, message, path }: Refused): boolean {
  const { says, at } = reason;
  const words = says.exec(message);
  if (words === null) return false;
  const up = at === undefined ? 0 : at.split(".").length;
  const names = path.slice(0, path.length - up).map(String);
  return reason.isSo(names.length === 0 ? value : valueAt(value, names.join(".")), words.slice(1));
}

const units = { k: 1e3, M: 1e6, G: 1e9, T: 1e12, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };

function bytesOf(size: unknown): number {
  const [, count, unit = ""] = /^(\d+)(\w*)$/u.exec(String(size)) ?? [];
  return count === undefined ? Number.NaN : Number(count) * (unit === "" ? 1 : Number(valueAt(units, unit)));
}

function secondsOf(duration: unknown): number {
  const [, h = "0", m = "0", s = "0"] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/u.exec(String(duration)) ?? [];
  return Number(h) * 3600 + Number(m) * 60 + Number(s);
}

const isWithin = (value: number, least: number, most: number): boolean => value >= least && value <= most;

/** Measures of the database, by what the words give for an example. */
const MEASURES: Readonly<Record<string, RegExp>> = {
  "64MB": /\d(?:B|kB|MB|GB|TB|Ki|Mi|Gi|Ti)$/u,
  "30s": /\d(?:us|ms|s|m|min|h|d)$/u,
};

const ranges = (text: string): readonly string[] => text.split(", ");

function isWithinRange(text: unknown, range: string): boolean {
  const [inner, outer] = [ipaddr.parseCIDR(String(text)), ipaddr.parseCIDR(range)];
  return inner[0].kind() === outer[0].kind() && inner[1] >= outer[1] && inner[0].match(outer);
}

/** Of a value by itself: what its form and bounds do not say, or the draws do not keep to. */
const ofValues: readonly Reason[] = [
  {
    says: /^write a duration of (\w+) to (\w+) in whole hours/u,
    isSo: (value, [least, most]) => !isWithin(secondsOf(value), secondsOf(least), secondsOf(most)),
  },
  {
    says: /^write a size such as \w+, or a number of bytes, of (more than 0 and )?at most (\w+)(?:, in whole units of (\d+) bytes)?$/u,
    isSo: (value, [notZero, most, unit = "1"]) => {
      const bytes = bytesOf(value);
      return !isWithin(bytes, notZero === undefined ? 0 : 1, bytesOf(most)) || bytes % Number(unit) !== 0;
    },
  },
  {
    says: /^write a whole number of (\d+) to (\d+)$/u,
    isSo: (value, [least, most]) => !isWithin(Number(value), Number(least), Number(most)),
  },
  {
    says: /^write a whole number of (\d+) to (\d+), or Automatic$/u,
    isSo: (value, [least, most]) =>
      typeof value === "number" ? !isWithin(value, Number(least), Number(most)) : value !== AUTOMATIC,
  },
  {
    says: /^write a whole number with its unit, such as (\w+).*, or 0( or -1)?$/u,
    isSo: (value, [example = "", minusOne]) => {
      const text = String(value);
      const isBare = text === "0" || (minusOne !== undefined && text === "-1");
      return !isBare && MEASURES[example]?.test(text) === false;
    },
  },
  { says: /^write true or remove the field/u, isSo: (value) => value === false },
  {
    says: /^must have (\d+) to (\d+) items$/u,
    isSo: (value, [least, most]) => Array.isArray(value) && !isWithin(value.length, Number(least), Number(most)),
  },
  {
    says: /^write a public range: nobody reaches the database over the internet from (.+)$/u,
    isSo: (value, [all = ""]) => ranges(all).some((range) => isWithinRange(value, range)),
  },
];

const has = (object: unknown, path: string): boolean => valueAt(object, path) !== undefined;
const is = (object: unknown, path: string, value: unknown): boolean => valueAt(object, path) === value;
const lengthOf = (object: unknown, path: string): number => {
  const list = valueAt(object, path);
  return Array.isArray(list) ? list.length : 0;
};

/** Of several members of an object: no draw of one knows of the others. */
const ofMembers: readonly Reason[] = [
  {
    says: /^set exactly one of (\w+)(?: \([^()]*\))? and (\w+)(?: \([^()]*\))?$/u,
    isSo: (object, [one = "", other = ""]) => has(object, one) === has(object, other),
  },
  {
    says: /^declare clientId too where additionalClientIds is declared/u,
    at: "additionalClientIds",
    isSo: (object) => has(object, "additionalClientIds") && !has(object, "clientId"),
  },
  {
    says: /^a custom hostname needs the add-on/u,
    at: "addons.customDomain",
    isSo: (object) => is(object, "addons.customDomain", false) && has(object, "customHostname.hostname"),
  },
  {
    says: /^the platform has no vanity subdomain beside a custom hostname/u,
    at: "vanitySubdomain",
    isSo: (object) => has(object, "vanitySubdomain.name") && has(object, "customHostname.hostname"),
  },
  {
    says: /^point-in-time recovery needs the compute size small/u,
    at: "addons.pitr",
    isSo: (object) =>
      !is(object, "addons.pitr", "Off") && ["pico", "nano", "micro"].some((size) => is(object, "instanceSize", size)),
  },
  {
    says: /^(\w+) says .*: write (\w+) too/u,
    at: "any",
    isSo: (object, [one = "", other = ""]) => has(object, one) && !has(object, other) && !has(object, "denyAll"),
  },
  {
    says: /^an empty list would let nobody reach the database/u,
    at: "allowedCidrs",
    isSo: (object) =>
      lengthOf(object, "allowedCidrs") === 0 && !has(object, "denyAll") && !is(object, "mode", "Additive"),
  },
  {
    says: /^denyAll lets nobody in/u,
    at: "denyAll",
    isSo: (object) =>
      has(object, "denyAll") && (lengthOf(object, "allowedCidrs") > 0 || is(object, "mode", "Additive")),
  },
  {
    says: /^the Data API is on as long as it serves a schema/u,
    at: "enabled",
    isSo: (object) => is(object, "enabled", false) && lengthOf(object, "schemas") > 0,
  },
  {
    says: /^the Data API is on where it serves a schema/u,
    at: "enabled",
    isSo: (object) => is(object, "enabled", true) && lengthOf(object, "schemas") === 0,
  },
  {
    says: /^write a maxSize of at most 100 where unit is Percent$/u,
    at: "maxSize",
    isSo: (object) => is(object, "unit", "Percent") && Number(valueAt(object, "maxSize")) > 100,
  },
  {
    says: /^an IO2 disk has no throughput of its own/u,
    at: "throughputMibps",
    isSo: (object) => is(object, "type", "IO2") && has(object, "throughputMibps"),
  },
];

const reasons = [...ofValues, ...ofMembers];
