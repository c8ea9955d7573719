import { type Action, type Choice, type Choosing, weighted } from "./choosing.ts";
import { addTheirs, driftBranch, driftFunction, driftProject, driftSecret } from "./hand-actions.ts";
import { rotateKey } from "./output-actions.ts";
import { driftSetting } from "./settings-actions.ts";

const CHOICES: readonly (readonly [weight: number, Choice])[] = [
  [5, driftFunction],
  [4, driftSecret],
  [2, driftBranch],
  [1, driftProject],
  [2, addTheirs],
  [4, driftSetting],
  [2, rotateKey],
];

/** Something that a person does by hand; undefined where there is nothing to do it to. */
export function handAction(choosing: Choosing): Action | undefined {
  if (choosing.garden.projectName === undefined) return undefined;
  return weighted(choosing, CHOICES);
}
