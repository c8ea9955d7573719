import { requestAnnotation } from "../../../src/resources/requests.ts";
import { type Choice, untouched } from "./choosing.ts";
import { types } from "./manifests.ts";

/** What people ask of their Project itself: a restart, once, and to be paused and to run again. */

/** At most one of these in a round: a restart is refused by a project that is paused. */
const LIFE = "the life of the project";

/** Verb of the request that is asked for. */
export const RESTART = "restart";

export const askForRestart: Choice = (choosing) => {
  const { world, garden, word } = choosing;
  if (garden.projectName === undefined || garden.pausedAs !== undefined) return undefined;
  if (untouched(choosing, [LIFE]) === undefined) return undefined;
  const { namespace } = garden;
  garden.restarts.push(word);
  return {
    what: `ask for a restart, ${word}`,
    act: async () => {
      const annotations = { [requestAnnotation(RESTART)]: word };
      await world.kube.patchMerge(types.project, { namespace, name: "shop" }, { metadata: { annotations } });
    },
  };
};

/** The project rests for a while, in which nothing in it can be reached. */
export const restForAWhile: Choice = (choosing) => {
  const { world, garden, chance } = choosing;
  if (garden.projectName === undefined || garden.pausedAs !== undefined) return undefined;
  if (untouched(choosing, [LIFE]) === undefined) return undefined;
  const { namespace } = garden;
  const ms = chance.between(1000, 600_000);
  garden.driftedName = undefined; // an edit
  const declare = async (state: "Paused" | "Running"): Promise<void> => {
    await world.kube.patchMerge(types.project, { namespace, name: "shop" }, { spec: { state } });
  };
  return {
    what: `have the project rest for ${ms} ms`,
    act: async () => {
      await declare("Paused");
      await world.time.run(ms);
      await declare("Running");
    },
  };
};
