import type { Chance } from "./chance.ts";
import { type Action, chosenAs, type Choosing, type Sort, untouched } from "./choosing.ts";
import { clusterAction, createBranch, EDITS } from "./cluster-actions.ts";
import { createFunction } from "./function-actions.ts";
import type { Garden } from "./garden.ts";
import { lose, pause, plantAnew, wither } from "./garden-actions.ts";
import { handAction, HANDS } from "./hand-choices.ts";
import { observe } from "./observing.ts";
import { failBundling, troubleServices } from "./platform-ailments.ts";
import { PLATFORM_FAULTS } from "./platform-trouble.ts";
import { missingFirst } from "./quota.ts";
import { createSecret } from "./secret-actions.ts";
import { BY_HAND, declareSetting } from "./settings-actions.ts";
import { incidents, TROUBLES } from "./trouble.ts";
import type { World } from "./world.ts";

/** What is done in a round: by hand while nothing fails, and step by step while everything does. */
export interface Choices {
  readonly hands: Action[];
  readonly steps: Action[];
}

const OBSERVED = { hit: "observed", choose: observe };
const AILMENTS = [
  { hit: "bundling fails", choose: failBundling },
  { hit: "services in trouble", choose: troubleServices },
];
/** How many edits of a garden, and things done by hand in it, are of what has not come yet. */
const EDITS_OWED = 4;
const HANDS_OWED = 2;

/** By which all is noted that comes in each seed of three hours, whatever is there to be edited in it. */
export const ALWAYS: readonly string[] = [...TROUBLES, ...PLATFORM_FAULTS, ...AILMENTS.map(({ hit }) => hit)];
/** What people do: nearly all of it comes in each seed, but that there is something to do it to, nobody can promise. */
export const DONE: readonly string[] = [OBSERVED, ...EDITS, ...HANDS].map(({ hit }) => hit);

interface Drawing {
  readonly chance: Chance;
  readonly round: number;
}

export function choices(world: World, gardens: readonly Garden[], { chance, round }: Drawing): Choices {
  const chosen: Choices = { hands: [], steps: [] };
  const hits = new Map(world.crew.hits);
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
    else live(choosing, chosen, hits);
    chosen.steps.push(...several(chance.between(1, 5), (nth) => clusterAction(choosing(10 + nth))));
  }
  chosen.steps.push(...incidents(world, chance));
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

/** What is done by hand, what is edited, and what ails the platform: first of all what has not come yet. */
function live(choosing: (nth: number) => Choosing, { hands, steps }: Choices, hits: Map<string, number>): void {
  const { chance } = choosing(0);
  if (!hits.has(OBSERVED.hit) || chance.is(0.5)) hands.push(...several(1, () => chosenAs(choosing(0), OBSERVED)));
  hands.push(...several(chance.between(0, 2), (nth) => handAction(choosing(nth))));
  if (chance.is(0.3)) steer(choosing(0), { hands, steps });
  const owed = (nth: number, sorts: readonly Pick<Sort, "hit" | "choose">[], count: number): readonly Action[] =>
    missing((attempt) => choosing(nth + attempt), sorts, { hits, count });
  hands.push(...owed(40, HANDS, HANDS_OWED));
  steps.push(...owed(60, EDITS, EDITS_OWED));
  if (chance.is(0.7)) steps.push(...owed(90, AILMENTS, 1));
}

/** Some of the sorts, those first that have not come yet: what there is nothing to do of is left to whoever comes next. */
function missing(
  choosing: (attempt: number) => Choosing,
  sorts: readonly Pick<Sort, "hit" | "choose">[],
  { hits, count }: { readonly hits: Map<string, number>; readonly count: number },
): readonly Action[] {
  const chosen: Action[] = [];
  for (const [attempt, sort] of missingFirst(choosing(0).chance.shuffled(sorts), hits).entries()) {
    if (chosen.length === count) break;
    const action = chosenAs(choosing(attempt), sort);
    if (action === undefined) continue;
    hits.set(sort.hit, (hits.get(sort.hit) ?? 0) + 1);
    chosen.push(action);
  }
  return chosen;
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
