import type { Seen } from "../matrix/seen.ts";
import { branchRequestFaults } from "./branch-requests.ts";
import type { Garden } from "./garden.ts";
import { outputOf } from "./manifests.ts";
import { toldOtherwise } from "./project-verdict.ts";
import type { World } from "./world.ts";

/** Whether branches are as they should be beside their names: their connection outputs, and what was asked of them once. */

/** What is wrong in a garden in which all else is as it should be. */
export async function branchFaults(world: World, garden: Garden, all: readonly Seen[]): Promise<readonly string[]> {
  const outputs = all
    .filter(({ kind, metadata }) => kind === "Branch" && metadata.namespace === garden.namespace)
    .filter(({ metadata: { name } }) => garden.branchNow(name) !== undefined)
    .map(async ({ metadata: { name }, status: { ref = "" } }) =>
      toldOtherwise(world, garden, { secret: outputOf(name), ref }),
    );
  const faults = [...(await Promise.all(outputs)).flat(), ...(await branchRequestFaults(world, garden, all))];
  return faults.map((fault) => `${garden.namespace}: ${fault}`);
}
