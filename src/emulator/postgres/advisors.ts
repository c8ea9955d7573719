import { z } from "zod";
import type { Lint } from "../../api/contract/advisors.ts";
import { readDocument } from "./catalog.ts";
import type { Databases } from "./database.ts";
import { LINT_RULES, type LintRule } from "./lints.ts";

const findings = z.array(
  z.object({ rule: z.string(), key: z.string(), detail: z.string(), metadata: z.record(z.string(), z.unknown()) }),
);

/** @param served the schemas that the REST layer serves @throws DatabaseUnavailableError */
export async function findLints(
  databases: Databases,
  ref: string,
  { category, served }: { readonly category: LintRule["category"]; readonly served: readonly string[] },
): Promise<Lint[]> {
  const rules = LINT_RULES.filter((rule) => rule.category === category);
  const parts = rules.map(({ name, sql }) => `select '${name}' as rule, key, detail, metadata from (${sql}) found`);
  // $1 must appear, whatever the rules ask
  const sql = `select coalesce(jsonb_agg(f order by f.rule, f.key), '[]')
    from (${parts.join(" union all ")}) f where $1::text[] is not null`;
  const rows = findings.parse(await readDocument((job) => databases.run(ref, job), { sql, parameters: [served] }));
  return rows.flatMap(({ rule: name, key, detail, metadata }) => {
    const rule = rules.find((one) => one.name === name);
    if (rule === undefined) return [];
    const { title, level, description, remediation } = rule;
    const words = { name, title, level, facing: "EXTERNAL", categories: [category], description, detail, remediation };
    return [{ ...words, metadata, cache_key: `${name}_${key}` }];
  });
}
