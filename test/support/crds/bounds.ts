import type { SchemaNode } from "./schema-node.ts";

/** Of as many digits as every form takes: of more of them the database's settings have no words, only a pattern. */
const COUNTS = ["0", "1", "9", "10", "51", "501", "600", "10001", "999999999"];
const UNITS = ["k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "B", "MB", "s", "min"];

/** Numbers and texts at each bound that the rules of a member name, and beyond: one more or less of it, as a number, as text and in each unit. */
export function boundsOf({ "x-kubernetes-validations": rules = [] }: SchemaNode): readonly (string | number)[] {
  const named = rules.flatMap(({ rule }) => rule.match(/(?<![\d{,])\d{1,15}(?![\d},])/g) ?? []);
  const bounds = [...new Set([...named, "0"])].map(Number);
  const numbers = bounds
    .flatMap((bound) => [bound - 1, bound, bound + 1, bound * 10, bound * 1000])
    .filter((one) => Number.isSafeInteger(one));
  const sizes = COUNTS.flatMap((count) => UNITS.map((unit) => `${count}${unit}`));
  return [...new Set([...numbers, ...numbers.map(String), ...numbers.map((one) => `00${one}`), ...sizes])];
}
