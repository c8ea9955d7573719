import type { Lever } from "./lever.ts";
import { nameLevers } from "./name-levers.ts";
import { ownLevers } from "./own-levers.ts";
import { settingLevers } from "./setting-levers.ts";

/** All of them, auth apart. */
export const levers: readonly Lever[] = [...settingLevers, ...ownLevers, ...nameLevers];
