import { z } from "zod";
import { newFunctionSlug } from "../../api/contract/functions.ts";
import type { World } from "../state/world.ts";
import { call, done, type Implementations, nothing } from "./call.ts";
import { existingProject } from "./of-project.ts";

/** Control calls about functions: which of their deploys fail. */

export const functionCalls = {
  functions: {
    failBundle: call({
      summary: "Let deploys of a function fail in bundling",
      input: z.strictObject({
        slug: newFunctionSlug,
        /** default: in every project */
        ref: z.string().optional(),
        /** null: every time */
        count: z.number().int().min(1).nullable().default(1),
        message: z.string().default("the module graph could not be built"),
      }),
      output: done,
    }),
    mendBundles: call({ summary: "Let every function bundle again", input: nothing, output: done }),
  },
} as const;

export function functionControl(world: World): Implementations<typeof functionCalls> {
  return {
    functions: {
      failBundle: ({ slug, ref, count, message }) => {
        if (ref !== undefined) existingProject(world, ref);
        world.bundleFailures = [...world.bundleFailures, { slug, ref, remaining: count, message }];
        return {};
      },
      mendBundles: () => {
        world.bundleFailures = [];
        return {};
      },
    },
  };
}
