import fc from "fast-check";
import { boundsOf } from "./bounds.ts";
import { BAD, GOOD, hasForms, type Place, placed, schemaOf, textOf } from "./broken.ts";
import type { KindName, Spec } from "./manifest.ts";
import type { SchemaNode } from "./schema-node.ts";

/** Members of a spec that have a form: a pattern, or a rule of their own. A member of tomorrow is tried without another line. */

export interface Formed {
  /** as the apiserver writes it */
  readonly path: string;
  readonly node: SchemaNode;
  readonly place: Place;
}

/** Days that there are in some years alone, or in none. */
const DAYS = ["2024-02-29", "2023-02-29", "2000-02-29", "1900-02-29", "2026-02-30", "2026-04-31", "2026-01-31"];
const MOMENTS = DAYS.flatMap((day) => [`${day}T00:00:00Z`, `${day}T23:59:60Z`, `${day}T12:00:00.5+05:30`]);

/** Members with a form, each form once. @param besides a kind that has many of the same ones, which are tried there */
export function formedMembers(kind: KindName, besides?: KindName): readonly Formed[] {
  const formsOf = (of: KindName): ReadonlyMap<string, Formed> =>
    new Map(formedBelow([], schemaOf(of)).map((one) => [formOf(one), one]));
  const others = besides === undefined ? undefined : formsOf(besides);
  return [...formsOf(kind)].flatMap(([form, one]) => (others?.has(form) === true ? [] : [one]));
}

function formOf({ node: { type, pattern, maxLength, "x-kubernetes-validations": rules } }: Formed): string {
  return JSON.stringify([type, pattern, maxLength, rules]);
}

function formedBelow(place: Place, node: SchemaNode): readonly Formed[] {
  const members = Object.entries(node.properties ?? {}).flatMap(([name, member]) =>
    formedBelow([...place, name], member),
  );
  const items = node.items === undefined ? [] : formedBelow([...place, "[]"], node.items);
  const isText = node.type === "string" || hasForms(node);
  const isFormed = isText && (node.pattern !== undefined || node["x-kubernetes-validations"] !== undefined);
  return [...(isFormed ? [{ path: textOf(place), node, place }] : []), ...members, ...items];
}

/** Specs with values of that form, with what nearly is of it, and with what others take or refuse. */
export function formedSpecs(kind: KindName, { node, place }: Formed, seed: number): readonly Spec[] {
  const { pattern } = node;
  const matching = pattern === undefined ? [] : fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: 8, seed });
  const near = matching.flatMap((text) => [text.slice(1), text.slice(0, -1), `${text}0`, `0${text}`, `${text} `]);
  const dated = pattern?.includes("T(") === true ? MOMENTS : [];
  const forms = hasForms(node) ? [...boundsOf(node), 2 ** 40, 2 ** 60, "9".repeat(40), "0".repeat(30)] : [];
  const values = new Set<unknown>([...BAD, ...GOOD, ...dated, ...forms, ...matching, ...near]);
  return [...values].map((value) => placed(kind, place, value));
}
