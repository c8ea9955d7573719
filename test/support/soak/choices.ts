import type { Chance } from "./chance.ts";
import { type Action, type Choice, type Choosing, untouched } from "./choosing.ts";
import { clusterAction, createBranch } from "./cluster-actions.ts";
import { createFunction } from "./function-actions.ts";
import type { Garden } from "./garden.ts";
import { lose, pause, plantAnew, wither } from "./garden-actions.ts";
import { BRANCH_ASKED, askOfBranch } from "./branch-requests.ts";
import { BRANCH_LEFT, driftBranch } from "./hand-actions.ts";
import { handAction } from "./hand-choices.ts";
import { askForRestart, restForAWhile, RESTART_ASKED, RESTED } from "./life-actions.ts";
import { observe } from "./observing.ts";
import { BUNDLING_FAILS, failBundling, SERVICES_IN_TROUBLE, troubleServices } from "./platform-ailments.ts";
import {
  KEY_ROTATED,
  meddleWithOutput,
  OUTPUT_MEDDLED,
  PASSWORD_ROTATED,
  rotateKey,
  rotatePassword,
} from "./output-actions.ts";
import { createSecret } from "./secret-actions.ts";
import { BY_HAND, declareSetting, driftSetting, SETTING_DRIFTED } from "./settings-actions.ts";
import { incidents } from "./trouble.ts";
import type { World } from "./world.ts";

/** What is done in a round: by hand while nothing fails, and step by step while everything does. */
export interface Choices {
  readonly hands: Action[];
  readonly steps: Action[];
}

interface Drawing {
  readonly chance: Chance;
  readonly round: number;
}

export function choices(world: World, gardens: readonly Garden[], { chance, round }: Drawing): Choices {
  const chosen: Choices = { hands: [], steps: [] };
  for (const [index, garden] of gardens.entries()) {
    const touched = new Set<string>();
    garden.restarts = [];
    garden.branchRequests = [];
    const choosing = (nth: number): Choosing => {
      return { world, garden, chance, touched, word: `r${round}-${index}-${nth}` };
    };
    const isNew = garden.projectName === undefined;
    const end = isNew ? plantAnew(world, garden, chance) : ending(choosing(0), round);
    if (end !== undefined) chosen.steps.push(end);
    if (end !== undefined && !isNew) continue;
    if (isNew) chosen.steps.push(...furnish(choosing));
    else live(choosing, chosen, round + index);
    chosen.steps.push(...several(chance.between(1, 5), (nth) => clusterAction(choosing(10 + nth))));
  }
  chosen.steps.push(...incidents(world, chance, round));
  return chosen;
}

/** What a garden has from the beginning, so that there is something to be done to it. */
export function furnish(choosing: (nth: number) => Choosing): readonly Action[] {
  const first = [
    createFunction,
    createSecret,
    createFunction,
    createBranch,
    createFunction,
    declareSetting,
    declareSetting,
    declareSetting,
  ];
  return several(first.length, (nth) => first[nth]?.(choosing(20 + nth)));
}

/** What is done by hand, and what ails the platform; some of it in its turn, so that each of that comes in every seed. */
function live(choosing: (nth: number) => Choosing, { hands, steps }: Choices, turn: number): void {
  const { chance } = choosing(0);
  if (turn % 2 === 0) hands.push(...several(1, () => observe(choosing(0))));
  hands.push(...several(chance.between(0, 2), (nth) => handAction(choosing(nth))));
  if (chance.is(0.3)) steer(choosing(0), { hands, steps });
  // What a garden had no use for in its turn is left to whoever comes next: so nearly all of it comes in every seed.
  hands.push(...inTurn(choosing(8), ON_THE_PROJECT, turn));
  steps.push(...inTurn(choosing(9), OF_THE_PROJECT, turn), ...inTurn(choosing(0), AILMENTS, turn));
}

interface InTurn {
  /** by which it is noted when it comes */
  readonly hit: string;
  readonly choose: Choice;
}

const AILMENTS: readonly InTurn[] = [
  { hit: BUNDLING_FAILS, choose: failBundling },
  { hit: SERVICES_IN_TROUBLE, choose: troubleServices },
  { hit: "no ailment", choose: () => undefined },
];
const ON_THE_PROJECT: readonly InTurn[] = [
  { hit: SETTING_DRIFTED, choose: driftSetting },
  { hit: BRANCH_LEFT, choose: driftBranch },
  { hit: KEY_ROTATED, choose: rotateKey },
  { hit: "nothing by hand", choose: () => undefined },
];
const OF_THE_PROJECT: readonly InTurn[] = [
  { hit: BRANCH_ASKED, choose: askOfBranch },
  { hit: RESTART_ASKED, choose: askForRestart },
  { hit: PASSWORD_ROTATED, choose: rotatePassword },
  { hit: OUTPUT_MEDDLED, choose: meddleWithOutput },
  { hit: RESTED, choose: restForAWhile },
];

/** The first that has not come before, or else the one whose turn it is; none where there is nothing to do it to. */
function inTurn(choosing: Choosing, all: readonly InTurn[], turn: number): readonly Action[] {
  const { hits } = choosing.world.crew;
  const own = all[turn % all.length];
  const next = [...all.filter(({ hit }) => !hits.has(hit)), ...(own === undefined ? [] : [own])];
  for (const { choose } of next) {
    const action = choose(choosing);
    if (action !== undefined) return [action];
  }
  return [];
}

function several(count: number, choose: (nth: number) => Action | undefined): readonly Action[] {
  return Array.from({ length: count }, (_, nth) => choose(nth)).filter((one) => one !== undefined);
}

/** The garden goes, or its project; mostly neither. */
function ending({ world, garden, chance }: Choosing, round: number): Action | undefined {
  if (round > 2 && chance.is(0.12)) {
    // That it is to be kept is an edit, which would put its name right or come too late for that.
    return wither(world, garden, { whole: chance.is(0.3), kept: chance.is(0.3) && garden.driftedName === undefined });
  }
  // Who says that it may be made again does not pause it.
  const mayBeLost = garden.thieves.size === 0 && garden.pausedAs === undefined;
  return mayBeLost && chance.is(0.08) ? lose(world, garden, chance.between(0, 900_000)) : undefined;
}

/** The Project is paused while it is as declared, before anything fails; or goes on while everything does. */
function steer(choosing: Choosing, { hands, steps }: Choices): void {
  const { world, garden, touched } = choosing;
  if (garden.pausedAs !== undefined) steps.push(pause(world, garden, false));
  // While drift is left, going on puts nothing right of what was done by hand meanwhile.
  else if (garden.settings.driftPolicy !== "Correct") return;
  else if (!touched.has(BY_HAND) && untouched(choosing, ["shop"]) !== undefined) hands.push(pause(world, garden, true));
}
