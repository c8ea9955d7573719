import { z } from "zod";
import { RUN_STEPS } from "../../api/contract/actions.ts";
import { newId } from "../state/ids.ts";
import type { World } from "../state/world.ts";
import { call, done, type Implementations, nothing } from "./call.ts";

/** Control calls about action runs: which of their steps fail. */

export const actionCalls = {
  actions: {
    failStep: call({
      summary: "Let a step of runs on a branch fail: what it and the later ones would do does not happen",
      input: z.strictObject({
        /** id, name or project ref of the branch in which the work is done; also of one yet to be created, by name; default: any */
        refOrName: z.string().optional(),
        step: z.enum(RUN_STEPS),
        /** null: every time */
        count: z.number().int().min(1).nullable().default(1),
        message: z.string().default("the step ended with exit code 1"),
      }),
      output: done,
    }),
    mend: call({ summary: "Let every run succeed again", input: nothing, output: done }),
  },
} as const;

export function actionControl(world: World): Implementations<typeof actionCalls> {
  return {
    actions: {
      failStep: ({ count, ...failure }) => {
        const id = newId();
        world.runFailures.set(id, { id, ...failure, remaining: count });
        return {};
      },
      mend: () => {
        world.runFailures.clear();
        return {};
      },
    },
  };
}
