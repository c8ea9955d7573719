import { type Family, parseExposition } from "../metrics/exposition.ts";
import { labelsOf, type Met, strangersIn, valuesOf } from "../metrics/labels.ts";
import { OPERATIONS, STATUSES } from "./platform-trouble.ts";

/**
 * How many series of metrics an operator may have, whatever it has lived through: as many as the closed sets of its labels allow.
 */

/** What is met in a soak: operations that faults are meant for and a few that none is, and the statuses of faults and of success. */
const MET: Met = {
  operations: [...OPERATIONS, "functions.bulkUpdate", "addons.list"],
  statuses: ["200", "201", "204", ...STATUSES],
};

/** Series of Node.js and of the process itself: their labels are names of its own parts. */
const MOST_OF_NODE = 120;

/** How many series there are, how many there may be, and values that are in no closed set. */
export interface Series {
  readonly count: number;
  readonly most: number;
  readonly strangers: readonly string[];
}

export function seriesOf(text: string): Series {
  const families = parseExposition(text);
  const ours = families.filter(({ name }) => name.startsWith("baas_"));
  const node = families
    .filter((family) => !ours.includes(family))
    .reduce((sum, { samples }) => sum + samples.length, 0);
  return {
    count: node + ours.reduce((sum, { samples }) => sum + samples.length, 0),
    most: MOST_OF_NODE + ours.reduce((sum, family) => sum + mostOf(family), 0),
    strangers: ours.flatMap((family) => strangersIn(family, MET)),
  };
}

/** The product of its labels' sets; of a histogram once for each bucket, the sum and the count. */
function mostOf(family: Family): number {
  const buckets = new Set(family.samples.flatMap(({ labels }) => labels["le"] ?? []));
  const each = buckets.size === 0 ? 1 : buckets.size + 2;
  return labelsOf(family).reduce((most, label) => most * valuesOf(family.name, label, MET).length, each);
}
