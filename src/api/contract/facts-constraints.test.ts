import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { FORMS } from "../../../test/support/catalogue/constraints/forms.ts";
import { NAMES } from "../../../test/support/catalogue/constraints/names.ts";
import type { ConstraintRow } from "../../../test/support/catalogue/constraints/row.ts";
import { SETTINGS } from "../../../test/support/catalogue/constraints/settings.ts";
import { operationOf } from "./operation-id.ts";

const FACTS = readFileSync(new URL("../../../docs/contract/facts.md", import.meta.url), "utf8");

function schemaOf({ id, part }: ConstraintRow): z.ZodType {
  const { params, query, body } = operationOf(id);
  if (part === "params") return params;
  if (part === "query") return query;
  if (body === undefined) throw new RangeError(`${id} has no body`);
  return body.encoding === "multipart" ? body.metadata : body.schema;
}

function isTaken(row: ConstraintRow, value: unknown): boolean {
  const whole = row.field === undefined ? value : { ...row.beside, [row.field]: value };
  return schemaOf(row).safeParse(whole).success;
}

/** Values are long where a length is tried. */
const shortly = (values: readonly unknown[]): readonly string[] =>
  values.map((value) => String(JSON.stringify(value)).slice(0, 60));

describe("what facts.md says of requests", () => {
  const rows = [...NAMES, ...SETTINGS, ...FORMS].map((row) => ({ ...row, at: row.field ?? row.part }));

  test.each(rows)("$words: $id, $at", (row) => {
    expect(FACTS).toContain(row.words);
    expect(shortly(row.takes.filter((value) => !isTaken(row, value)))).toEqual([]);
    expect(shortly(row.refuses.filter((value) => isTaken(row, value)))).toEqual([]);
  });
});
