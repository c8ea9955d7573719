import { z } from "zod";
import { snippetSeedSchema } from "../sql/snippet-state.ts";
import { putSnippet, removeSnippet } from "../sql/snippet-store.ts";
import type { World } from "../state/world.ts";
import { call, type Implementations } from "./call.ts";

/** Control calls about SQL snippets, which no operation writes. */
export const snippetCalls = {
  snippets: {
    put: call({
      summary: "Save an SQL snippet of a project, or replace the one of its id",
      input: snippetSeedSchema,
      output: z.object({ id: z.string() }),
    }),
    remove: call({
      summary: "Remove an SQL snippet",
      input: z.strictObject({ id: z.string() }),
      output: z.object({ removed: z.boolean() }),
    }),
  },
} as const;

export function snippetControl(world: World): Implementations<typeof snippetCalls> {
  return {
    snippets: {
      put: (snippet) => ({ id: putSnippet(world, snippet).id }),
      remove: ({ id }) => ({ removed: removeSnippet(world, id) }),
    },
  };
}
