import type { Action, Choice, Choosing } from "./choosing.ts";
import { untouched } from "./choosing.ts";
import { types } from "./manifests.ts";

/** Objects that manage something only observe for a while (`managementPolicy: Observe`), in which what they had is left as it is. */

/** Something that is as declared is observed from now on, before anything fails: so it is known what it is then. */
export function observe(choosing: Choosing): Action | undefined {
  const { garden } = choosing;
  // Where drift is not looked for, nobody could say what is shown of it.
  const functions = [...garden.functions].filter(
    ([name, { driftPolicy }]) => driftPolicy !== "Ignore" && !garden.observedFunctions.has(name),
  );
  const secrets = [...garden.secrets]
    .filter(([one, { driftPolicy }]) => driftPolicy !== "Ignore" && !garden.observedSecrets.has(one))
    .map(([one]) => one);
  const name = untouched(choosing, [...functions.map(([one]) => one), ...secrets]);
  if (name === undefined) return undefined;
  if (garden.secrets.has(name)) garden.observedSecrets.set(name, garden.secretNow(name));
  else garden.observedFunctions.set(name, garden.functionNow(name));
  return setPolicy(choosing, name, "Observe");
}

/** What was observed is managed again, and what is declared by then is in force. */
export const goOnManaging: Choice = (choosing) => {
  const { garden } = choosing;
  const name = untouched(choosing, [...garden.observedFunctions.keys(), ...garden.observedSecrets.keys()]);
  if (name === undefined) return undefined;
  garden.observedFunctions.delete(name);
  garden.observedSecrets.delete(name);
  garden.drifted.delete(name);
  garden.driftedSecrets.delete(name);
  return setPolicy(choosing, name, null);
};

function setPolicy({ world, garden }: Choosing, name: string, managementPolicy: "Observe" | null): Action {
  const { namespace } = garden;
  const type = garden.secrets.has(name) ? types.secret : types.function;
  return {
    what: `${managementPolicy === null ? "manage" : "only observe"} the ${type.kind} ${name}`,
    act: async () => {
      await world.kube.patchMerge(type, { namespace, name }, { spec: { managementPolicy } });
    },
  };
}
