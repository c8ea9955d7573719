import { readFileSync } from "node:fs";
import fc from "fast-check";
import type { z } from "zod";
import { valueAt } from "../../../src/resources/settings/setting.ts";
import { pathsOf } from "./paths-of.ts";
import type { NotDrawn } from "./valid-specs.ts";
import type { Spec } from "./whole-spec.ts";

interface Drawing {
  readonly schema: z.ZodObject;
  readonly notDrawn: NotDrawn;
  readonly valid: fc.Arbitrary<Spec>;
}

/** Members of a schema that chance never draws, and what is wrong with those that are named as such: paths. */
interface Undrawn {
  /** never drawn, and not named */
  readonly unnamed: readonly string[];
  /** named, and no member */
  readonly unknown: readonly string[];
  /** named with a test that does not speak of it */
  readonly unheld: readonly string[];
}

export const NOTHING_UNDRAWN: Undrawn = { unnamed: [], unknown: [], unheld: [] };

export function undrawn({ schema, notDrawn, valid }: Drawing): Undrawn {
  const paths = pathsOf(schema);
  const named = Object.entries(notDrawn);
  const drawn = fc.sample(valid, { numRuns: 200, seed: 1 });
  const isLeft = (path: string): boolean => drawn.every((spec) => valueAt(spec, path) === undefined);
  const isNamed = (path: string): boolean => named.some(([name]) => path === name || path.startsWith(`${name}.`));
  const textOf = (test: string): string => readFileSync(new URL(`../../../${test}`, import.meta.url), "utf8");
  return {
    unnamed: paths.filter((path) => isLeft(path) && !isNamed(path)),
    unknown: named.flatMap(([path]) => (paths.includes(path) ? [] : [path])),
    unheld: named.flatMap(([path, { test }]) => (textOf(test).includes(path.split(".").at(-1) ?? path) ? [] : [path])),
  };
}
