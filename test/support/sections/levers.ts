import { branchSpec } from "../../../src/resources/branch/spec.ts";
import type { Lever } from "./lever.ts";
import { nameLevers } from "./name-levers.ts";
import { ownLevers } from "./own-levers.ts";
import { settingLevers } from "./setting-levers.ts";

/** All of them, auth apart. */
export const levers: readonly Lever[] = [...settingLevers, ...ownLevers, ...nameLevers];

/** One of each section that a Branch takes. */
export const branchLevers: readonly Lever[] = [
  ...Map.groupBy(
    levers.filter(({ path }) => Object.hasOwn(branchSpec.shape, path.split(".")[0] ?? "")),
    ({ section }) => section,
  ).values(),
].flatMap(([first]) => first ?? []);
