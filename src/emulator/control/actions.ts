import { runFailureOrder } from "../branches/run-failure-state.ts";
import { orderRunFailure } from "../branches/runs.ts";
import type { World } from "../state/world.ts";
import { call, done, type Implementations, nothing } from "./call.ts";

/** Control calls about action runs: which of their steps fail. */

export const actionCalls = {
  actions: {
    failStep: call({
      summary: "Let a step of runs on a branch fail: what it and the later ones would do does not happen",
      input: runFailureOrder,
      output: done,
    }),
    mend: call({ summary: "Let every run succeed again", input: nothing, output: done }),
  },
} as const;

export function actionControl(world: World): Implementations<typeof actionCalls> {
  return {
    actions: {
      failStep: (order) => orderRunFailure(world, order),
      mend: () => world.runFailures.clear(),
    },
  };
}
