import { HEALTH_SERVICES } from "../../../src/api/contract/fields.ts";
import type { Emulator } from "../../../src/emulator/emulator.ts";
import type { Action, Choosing } from "./choosing.ts";
import { SLUGS } from "./function-actions.ts";
import { refOf } from "./hand-actions.ts";

/** What ails the platform of one garden in a round, beside requests that fail: functions that do not bundle, services that are not well. */

/** Deployments are refused, as that of a source is which does not build. */
export function failBundling({ world: { emulator }, garden }: Choosing): Action {
  return {
    what: "let nothing bundle",
    act: async () => {
      const ref = await refOf(emulator, garden);
      for (const slug of SLUGS) await emulator.control.functions.failBundle({ ref, slug });
    },
  };
}

/** A service of the project and of each of its branches is not well, or is slow to say how it is. */
export function troubleServices({ world: { emulator }, garden, chance }: Choosing): Action {
  const service = chance.oneOf(HEALTH_SERVICES);
  const trouble = chance.oneOf([
    { status: "UNHEALTHY" },
    { status: "COMING_UP" },
    { answersAfterMs: chance.between(100, 60_000) },
  ] as const);
  return {
    what: `trouble with ${service}: ${JSON.stringify(trouble)}`,
    act: async () => {
      const own = await refOf(emulator, garden);
      const { projects } = await emulator.control.state.read({});
      const refs = projects.filter(({ ref, branchOf }) => ref === own || branchOf === own).map(({ ref }) => ref);
      for (const ref of refs) await emulator.control.services.trouble({ ref, service, ...trouble });
    },
  };
}

/** Whatever ails any platform ends. */
export async function mendAilments({ control }: Emulator): Promise<void> {
  await control.functions.mendBundles({});
  const { projects } = await control.state.read({});
  for (const { ref } of projects) await control.services.mend({ ref });
}
