import { requestAnnotation } from "../../../src/resources/requests.ts";
import { z } from "zod";
import type { Seen } from "../matrix/seen.ts";
import { type Choice, untouched } from "./choosing.ts";
import type { BranchRequest, Garden } from "./garden.ts";
import { types } from "./manifests.ts";
import type { World } from "./world.ts";

/** What people ask of their branches, once. */

/** What may be asked, and the request that it takes, which is never sent twice where the first may have arrived; undefined: it may be. */
const VERBS = {
  restart: "projects.restart",
  reset: "branches.reset",
  "request-review": undefined,
} as const satisfies Readonly<Record<BranchRequest["verb"], string | undefined>>;
const verbs = ["restart", "reset", "request-review"] as const satisfies readonly (keyof typeof VERBS)[];

export const askOfBranch: Choice = (choosing) => {
  const { world, garden, chance, word } = choosing;
  if (garden.projectName === undefined) return undefined;
  const name = untouched(
    choosing,
    [...garden.branches.keys()].filter((one) => garden.branchNow(one) !== undefined),
  );
  if (name === undefined) return undefined;
  const { namespace } = garden;
  const verb = chance.oneOf(verbs);
  garden.branchRequests.push({ name, verb, id: word });
  return {
    what: `ask for a ${verb} of the branch ${name}, ${word}`,
    act: async () => {
      const annotations = { [requestAnnotation(verb)]: word };
      await world.kube.patchMerge(types.branch, { namespace, name }, { metadata: { annotations } });
    },
  };
};

export const requestsSchema = z.array(z.object({ verb: z.string(), id: z.string(), state: z.string() })).default([]);
/** How a request may stand once nothing is under way any more. Which of them it is depends on what the platform answered. */
export const ENDED = ["Succeeded", "Failed", "Unknown", "Expired"];

/** What was asked of branches in this round has come to its end, and none was sent twice where the first may have arrived (engine.md §4). */
export async function branchRequestFaults(
  world: World,
  garden: Garden,
  all: readonly Seen[],
): Promise<readonly string[]> {
  const faults = garden.branchRequests.map(async ({ name, verb, id }) => {
    const object = all.find(({ kind, metadata }) => {
      return kind === "Branch" && metadata.namespace === garden.namespace && metadata.name === name;
    });
    if (object === undefined) return []; // deleted with all else
    const records = requestsSchema.parse(object.status["requests"]);
    const state = records.find((record) => record.verb === verb && record.id === id)?.state;
    const what = `the ${verb} ${id} of Branch ${name}`;
    if (state === undefined || !ENDED.includes(state)) return [`${what} is ${state ?? "not recorded"}`];
    const operation = VERBS[verb];
    if (operation === undefined) return [];
    const { ref } = object.status;
    if (ref === undefined) return garden.branchNow(name) === undefined ? [] : [`${what} is of a branch without a ref`];
    const { entries } = await world.emulator.control.log.read({ operation });
    const arrived = entries.filter(
      ({ path, status }) => path.includes(ref) && (status === null || status < 400 || status >= 500),
    );
    if (arrived.length > 1) return [`${what} was sent ${arrived.length} times`];
    return state === "Succeeded" && arrived.length === 0 ? [`${what} is called done, and was not made`] : [];
  });
  return (await Promise.all(faults)).flat();
}
