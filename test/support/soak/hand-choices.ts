import { type Action, type Choosing, type Sort, weighted } from "./choosing.ts";
import { addTheirs, driftBranch, driftFunction, driftProject, driftSecret } from "./hand-actions.ts";
import { rotateKey } from "./output-actions.ts";
import { driftSetting } from "./settings-actions.ts";

/** Sorts of what people do on the platform. */
export const HANDS: readonly Sort[] = [
  { weight: 5, hit: "by hand: function", choose: driftFunction },
  { weight: 4, hit: "by hand: secret", choose: driftSecret },
  { weight: 2, hit: "by hand: branch", choose: driftBranch },
  { weight: 1, hit: "by hand: project renamed", choose: driftProject },
  { weight: 2, hit: "by hand: something of theirs", choose: addTheirs },
  { weight: 4, hit: "by hand: setting", choose: driftSetting },
  { weight: 2, hit: "by hand: key rotated", choose: rotateKey },
];

/** Something that a person does by hand; undefined where there is nothing to do it to. */
export function handAction(choosing: Choosing): Action | undefined {
  if (choosing.garden.projectName === undefined) return undefined;
  return weighted(choosing, HANDS);
}
