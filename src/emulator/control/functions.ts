import { bundleFailureOrder } from "../functions/bundle-failure-state.ts";
import { orderBundleFailure } from "../functions/deploy.ts";
import type { World } from "../state/world.ts";
import { call, done, type Implementations, nothing } from "./call.ts";
import { existingProject } from "./of-project.ts";

/** Control calls about functions: which of their deploys fail. */

export const functionCalls = {
  functions: {
    failBundle: call({
      summary: "Let deploys of a function fail in bundling",
      input: bundleFailureOrder,
      output: done,
    }),
    mendBundles: call({ summary: "Let every function bundle again", input: nothing, output: done }),
  },
} as const;

export function functionControl(world: World): Implementations<typeof functionCalls> {
  return {
    functions: {
      failBundle: (order) => {
        if (order.ref !== undefined) existingProject(world, order.ref);
        orderBundleFailure(world, order);
      },
      mendBundles: () => world.bundleFailures.clear(),
    },
  };
}
