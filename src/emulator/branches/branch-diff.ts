import { readSchemas } from "../postgres/catalog.ts";
import type { Databases } from "../postgres/database.ts";
import { INTERNAL_SCHEMAS } from "../postgres/fresh.ts";
import { schemaDiff } from "../postgres/schema-diff.ts";
import { freshObjects, readObjects, type SchemaObjects } from "../postgres/schema-objects.ts";
import type { World } from "../state/world.ts";
import type { BranchRecord } from "./branch-state.ts";
import { defaultBranchOf, inTurnOf, refuseUnlessReady } from "./ready-branch.ts";

/**
 * The SQL that makes of the schemas of a branch's parent those of the branch. The platform's own schemas are left out.
 *
 * @param find the branch that is asked for, as it is now; throws where there is none
 * @param included names of schemas; undefined: all that people have made, and `public`
 * @throws ApiFailure 400, 404; DatabaseUnavailableError
 */
export async function branchDiff(
  world: World,
  databases: Databases,
  find: () => BranchRecord,
  included: readonly string[] | undefined,
): Promise<string> {
  const check = (): BranchRecord => {
    const branch = find();
    refuseUnlessReady(world, branch);
    refuseUnlessReady(world, defaultBranchOf(world, branch));
    return branch;
  };
  const { isDefault, parentRef, projectRef } = check();
  if (isDefault) return "";
  const objectsIn = (ref: string): Promise<SchemaObjects> =>
    // in one turn, or the schemas would not be those of which the rest is read
    inTurnOf(databases, { ref, check }, async ({ exists, run }) => {
      if (!(await exists())) return freshObjects(included);
      return readObjects(
        run,
        (included ?? (await readSchemas(run))).filter((name) => !INTERNAL.has(name)),
      );
    });
  const [from, to] = await Promise.all([objectsIn(parentRef), objectsIn(projectRef)]);
  return schemaDiff(from, to);
}

const INTERNAL: ReadonlySet<string> = new Set(INTERNAL_SCHEMAS);
