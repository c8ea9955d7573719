import fc from "fast-check";
import { branchSpec } from "../../../src/resources/branch/spec.ts";
import { seedFrom } from "../seed.ts";
import type { Lever } from "./lever.ts";
import { nameLevers } from "./name-levers.ts";
import { ownLevers } from "./own-levers.ts";
import { settingLevers } from "./setting-levers.ts";

/** All of them, auth apart. */
export const levers: readonly Lever[] = [...settingLevers, ...ownLevers, ...nameLevers];

/** What is drawn of Branches, here and elsewhere: `BRANCH_SEED=<seed of a failure>` draws that again. */
export const branchSeed = seedFrom("BRANCH_SEED");

/** One of each section that a Branch takes, which chance draws: what is one setting's own is the same for a Project, and in time each has its turn. */
export const branchLevers: readonly Lever[] = [
  ...Map.groupBy(
    levers.filter(({ path }) => Object.hasOwn(branchSpec.shape, path.split(".")[0] ?? "")),
    ({ section }) => section,
  ).values(),
].flatMap((each) => fc.sample(fc.constantFrom(...each), { numRuns: 1, seed: branchSeed }));
