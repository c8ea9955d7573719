import { boundsOf } from "./bounds.ts";
import { type KindName, least, type Spec, someRef } from "./manifest.ts";
import { isReadAsStored, refusal } from "./refusal.ts";
import { type SchemaNode, specSchema } from "./schema-node.ts";

/** Every constraint of a definition, broken once: what must be refused when it is applied follows from the definition itself. */

export interface Broken {
  /** path of the value, as the apiserver writes it */
  readonly path: string;
  /** which constraint, as `maximum 100` */
  readonly constraint: string;
  readonly spec: Spec;
  /** a part of the refusal */
  readonly says: string;
}

/** A place in a spec: names of members, and `[]` for the one item of a list. */
export type Place = readonly string[];

/** One text of each form that anything asks for. */
export const GOOD = [
  "a",
  "A",
  "1",
  "0",
  "1h",
  "30m",
  "2m",
  "a.b",
  "a@b.test",
  "https://a.test",
  "203.0.113.0/24",
  "03:30:00",
  "22:30",
  "64MB",
  "5min",
  "2026-01-01T00:00:00Z",
  "index.ts",
  someRef,
  "$(url)",
  "service-key",
  "host",
  "100k",
] as const;
/** And of each that something refuses. */
export const BAD = [
  "",
  "-",
  " ",
  "A B",
  "a,b",
  "1d",
  "1s",
  "0s",
  "9999h",
  "10.0.0.0/8",
  "203.0.113.0",
  "24:00",
  "+1",
  "..",
  "../a",
  "type",
  "x".repeat(300),
  "é",
  "$(none)",
  "1P",
  "99999999999",
  "2026-02-30T00:00:00Z",
  "~",
  "a/",
  "http://a.test",
  "ftp://a.test",
  "A=B",
  "https://a.test/v1",
] as const;
/** Texts that mean something to a rule over several members. */
const WORDS = ["a", "type", "1-b", "service-key", "$(service-key)", "index.ts", "..", "1h"] as const;
const NUMBERS = [-2, -1, 0, 1, 101, 2 ** 40, 2 ** 60] as const;

/** The least spec with a value somewhere in it, and what that place asks for around it. */
export function placed(kind: KindName, place: Place, value: unknown): Spec {
  const spec = merged({ node: schemaOf(kind), there: least[kind], value }, place);
  return isObject(spec) ? spec : {};
}

const schemas = new Map<KindName, SchemaNode>();

export function schemaOf(kind: KindName): SchemaNode {
  const found = schemas.get(kind) ?? specSchema(kind);
  schemas.set(kind, found);
  return found;
}

interface Merging {
  readonly node: SchemaNode;
  /** what there is already */
  readonly there: unknown;
  readonly value: unknown;
}

function merged({ node, there, value }: Merging, [name, ...rest]: Place): unknown {
  if (name === undefined) return value;
  if (name === "[]") return [merged({ node: node.items ?? {}, there: undefined, value }, rest)];
  const around = isObject(there) ? there : {};
  const needed = (node.required ?? []).filter((one) => one !== name && !(one in around));
  const siblings = needed.map((one) => [one, sampleOf(node.properties?.[one] ?? {})] as const);
  return {
    ...around,
    ...Object.fromEntries(siblings),
    [name]: merged({ node: node.properties?.[name] ?? {}, there: around[name], value }, rest),
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value that a node takes, alone. */
function sampleOf(node: SchemaNode): unknown {
  const [first] = node.enum ?? [];
  if (first !== undefined) return first;
  switch (node.type) {
    case "boolean":
      return true;
    case "integer":
    case "number":
      return node.minimum ?? 1;
    case "array":
      return node.minItems === undefined ? [] : [sampleOf(node.items ?? {})];
    case "object":
      return Object.fromEntries((node.required ?? []).map((name) => [name, sampleOf(node.properties?.[name] ?? {})]));
    case "string":
    case undefined:
    default:
      return GOOD.find((text) => node.pattern === undefined || new RegExp(node.pattern).test(text)) ?? "a";
  }
}

/** Values that one member of an object may have while a rule over several is tried. */
function optionsOf(node: SchemaNode): readonly unknown[] {
  if (node.enum !== undefined) return node.enum;
  switch (node.type) {
    case "boolean":
      return [true, false];
    case "integer":
      return [node.minimum ?? 1, node.maximum ?? 1000];
    case "array":
      return [[], ...optionsOf(node.items ?? {}).map((item) => [item])];
    case "object":
      return objectsOf(node).slice(0, 12);
    case "string":
    case undefined:
    default:
      return WORDS.filter((text) => node.pattern === undefined || new RegExp(node.pattern).test(text));
  }
}

/** Objects with one or two optional members, or all of few. */
function objectsOf(node: SchemaNode): readonly Readonly<Record<string, unknown>>[] {
  const sample = sampleOf(node);
  const base = isObject(sample) ? sample : {};
  const names = Object.keys(node.properties ?? {});
  const { additionalProperties: value } = node;
  if (value !== undefined) return [{}, ...WORDS.map((key) => ({ [key]: sampleOf(value) }))];
  const single = names.flatMap((name) => optionsOf(node.properties?.[name] ?? {}).map((value) => ({ [name]: value })));
  const pairs = single.flatMap((one) => single.map((other) => ({ ...one, ...other })));
  const triples = names.length > 3 ? [] : pairs.flatMap((one) => single.map((other) => ({ ...one, ...other })));
  return [{}, ...single, ...pairs, ...triples].map((members) => ({ ...base, ...members }));
}

export function textOf(place: Place): string {
  return ["spec", ...place].join(".").replaceAll(".[]", "[0]");
}

interface At {
  readonly kind: KindName;
  readonly place: Place;
  readonly node: SchemaNode;
}

function broken({ kind, place }: At, constraint: string, value: unknown, says = textOf(place)): Broken {
  return { path: textOf(place), constraint, spec: placed(kind, place, value), says };
}

function wrongType({ type }: SchemaNode): unknown {
  switch (type) {
    case "object":
    case "array":
    case "boolean":
    case "integer":
    case "number":
      return "text";
    case "string":
    case undefined:
    default:
      return { text: "a" };
  }
}

/** What the schema itself says of a value. */
function plainOf(at: At): readonly Broken[] {
  const { node } = at;
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = node;
  const item = sampleOf(node.items ?? {});
  const found: Broken[] = [broken(at, `type ${node.type ?? "any"}`, wrongType(node))];
  if (node.enum !== undefined) found.push(broken(at, "enum", node.enum[0] === true ? false : "no such word"));
  if (minimum !== undefined) found.push(broken(at, `minimum ${minimum}`, minimum - 1));
  if (maximum !== undefined) found.push(broken(at, `maximum ${maximum}`, maximum + 1));
  if (minLength !== undefined) found.push(broken(at, `minLength ${minLength}`, ""));
  if (maxLength !== undefined) found.push(broken(at, `maxLength ${maxLength}`, "a".repeat(maxLength + 1)));
  if (minItems !== undefined) found.push(broken(at, `minItems ${minItems}`, []));
  if (maxItems !== undefined) found.push(broken(at, `maxItems ${maxItems}`, Array(maxItems + 1).fill(item)));
  if (pattern !== undefined) found.push(broken(at, `pattern ${pattern}`, notMatching(pattern)));
  const listed = node["x-kubernetes-list-type"];
  if (listed === "set" || listed === "map") {
    found.push(broken(at, "two that are the same", [item, item], "Duplicate value"));
  }
  return [
    ...found,
    ...(node.required ?? []).map((name) =>
      broken(at, `required ${name}`, without(node, name), `${textOf(at.place)}.${name}`),
    ),
  ];
}

function notMatching(pattern: string): string {
  const text = BAD.find((one) => one !== "" && !new RegExp(pattern).test(one));
  if (text === undefined) throw new Error(`nothing here breaks ${pattern}: add a text`);
  return text;
}

function without(node: SchemaNode, name: string): unknown {
  const whole = sampleOf(node);
  return isObject(whole) ? Object.fromEntries(Object.entries(whole).filter(([one]) => one !== name)) : whole;
}

/** Rules that only values made for them break: bad-children.ts has those. */
const BY_HAND = ["make a name of more than 256 characters", "two keys give the same name"];

/** What a rule in CEL refuses, found by trying; of a transition there is nothing to be found. */
function ruledOf(at: At): readonly Broken[] {
  const { kind, place, node } = at;
  const rules = (node["x-kubernetes-validations"] ?? []).filter(
    ({ rule, message = "" }) => !rule.includes("oldSelf") && !BY_HAND.some((words) => message.includes(words)),
  );
  return rules.flatMap(({ rule, message = "", fieldPath = "" }) => {
    const isRefused = (one: unknown): boolean =>
      isReadAsStored(textOf(place))
        ? typeof one === "string" && !new RegExp(node.pattern ?? "").test(one)
        : refusal(kind, placed(kind, place, one)).includes(message);
    const refused = candidatesOf(node).filter(isRefused);
    if (refused.length === 0) throw new Error(`nothing here breaks ${textOf(place)}: ${message}: add a value`);
    // One value may break a rule at one of its bounds, and another one at none: what has several forms is tried in each.
    return refused.slice(0, hasForms(node) ? undefined : 1).map((value) => {
      const one = broken(at, `rule ${rule.slice(0, 60)} of ${JSON.stringify(value)}`, value, message);
      return { ...one, path: `${one.path}${fieldPath}` };
    });
  });
}

/** Whether a value may be written in several ways, each of which its rule bounds by itself. */
export function hasForms(node: SchemaNode): boolean {
  return node["x-kubernetes-int-or-string"] === true;
}

function candidatesOf(node: SchemaNode): readonly unknown[] {
  if (node.type === "object") return objectsOf(node);
  if (node.type === "array") return optionsOf(node);
  if (node.type === "boolean") return [true, false];
  return hasForms(node) ? [...new Set([...NUMBERS, ...boundsOf(node), ...BAD])] : [...BAD, ...GOOD];
}

function brokenBelow(at: At): readonly Broken[] {
  const { kind, place, node } = at;
  const members = Object.entries(node.properties ?? {}).flatMap(([name, member]) =>
    brokenBelow({ kind, place: [...place, name], node: member }),
  );
  const items = node.items === undefined ? [] : brokenBelow({ kind, place: [...place, "[]"], node: node.items });
  const own = place.length === 0 ? [] : plainOf(at);
  return [...own, ...ruledOf(at), ...members, ...items];
}

/** Every constraint of a kind's spec, broken once. */
export function brokenSpecs(kind: KindName): readonly Broken[] {
  return brokenBelow({ kind, place: [], node: schemaOf(kind) });
}
