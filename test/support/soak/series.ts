import { operations } from "../../../src/api/contract/contract.ts";
import { STANDARD_LIMIT } from "../../../src/api/contract/operation.ts";
import { fluxSourceTypes } from "../../../src/controllers/shared/flux-types.ts";
import { touchedKinds } from "../../../src/controllers/touched.ts";
import { sectionNames } from "../../../src/controllers/sections/sections.ts";
import { sectionStates } from "../../../src/resources/settings/status.ts";
import { branchVerbs, projectVerbs, requestStates } from "../../../src/resources/requests.ts";
import { kinds } from "../../../src/resources/kinds.ts";
import { lanes } from "../../../src/runtime/lane.ts";
import { type Family, parseExposition } from "../metrics/exposition.ts";
import { OPERATIONS, STATUSES } from "./platform-trouble.ts";

/**
 * How many series of metrics an operator may have, whatever it has lived through: as many as the closed sets of its labels allow. A value that
 * is in none of them (the name of an object, a ref, a message) would make more with everything that comes and goes.
 */

/** Operations that are met in a soak and that no fault is meant for alone. */
const UNTROUBLED = ["functions.bulkUpdate", "addons.list"];
const FAILURES = ["notSent", "lost", "timedOut", "tooLarge", "aborted", "mayNotStart"];
const RUNS = [
  "done",
  "waiting",
  "rateLimited",
  "terminal",
  "transient",
  "deadline",
  "unexpected",
  "conflict",
  "aborted",
];
const ANSWERS = ["200", "201", "204", ...STATUSES];
const KUBE_ANSWERS = ["ok", "aborted", "Unavailable", "Timeout", "UnexpectedResponse", "NotLeader", "200", ...STATUSES];
const LIMITS = operations.flatMap(({ id, limitClass }) => (OPERATIONS.includes(id) ? (limitClass?.name ?? []) : []));
const RESTARTS = ["ended", "gone", "silent", "throttled", "unreadable", "refused", "error"];

const KINDS = kinds.map(({ type }) => type.kind);
const RECONCILED = [...KINDS, ...touchedKinds];

/** Values of each label, for all metrics or for the one that is named before it. */
const closed = new Map<string, readonly string[]>([
  ["kind", KINDS],
  ["baas_reconcile_total kind", RECONCILED],
  ["baas_reconcile_duration_seconds kind", RECONCILED],
  ["lane", lanes],
  ["operation", [...OPERATIONS, ...UNTROUBLED]],
  ["condition", ["Ready", "Stalled", "Drifted", "Converging", "Paused"]],
  ["status", ["True", "False", "Unknown"]],
  ["action", ["corrected", "left"]],
  ["scope", ["project", "organization", "identity"]],
  ["limit", [...new Set([STANDARD_LIMIT.name, ...LIMITS])]],
  ["method", ["GET", "POST", "PUT", "PATCH", "DELETE"]],
  [
    "resource",
    [
      ...kinds.map(({ type }) => type.plural),
      ...fluxSourceTypes.map(({ plural }) => plural),
      "secrets",
      "configmaps",
      "namespaces",
    ],
  ],
  ["type", ["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "UNREADABLE"]],
  ["reason", RESTARTS],
  ["result", ["sent", "aggregated", "limited", "dropped"]],
  ["code", KUBE_ANSWERS],
  ["section", sectionNames],
  ["verb", Object.keys({ ...projectVerbs, ...branchVerbs })],
  ["baas_requests_total state", Object.keys(requestStates)],
  ["baas_object_sections state", Object.keys(sectionStates)],
  ["baas_reconcile_total outcome", RUNS],
  ["baas_reconcile_duration_seconds outcome", RUNS],
  ["baas_api_requests_total outcome", [...ANSWERS, ...FAILURES]],
  ["baas_api_retries_total cause", ["throttled", "tokenReplaced", ...ANSWERS, ...FAILURES]],
  ["baas_released_total cause", ["NoCredential", "DeletionTimeout", "ByHand", "Unconfirmed"]],
]);

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
    strangers: ours.flatMap(strangersIn),
  };
}

function valuesOf(metric: string, label: string): readonly string[] {
  return closed.get(`${metric} ${label}`) ?? closed.get(label) ?? [];
}

function labelsOf({ samples }: Family): readonly string[] {
  const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
  return [...labels].filter((label) => label !== "le");
}

/** The product of its labels' sets; of a histogram once for each bucket, the sum and the count. */
function mostOf(family: Family): number {
  const buckets = new Set(family.samples.flatMap(({ labels }) => labels["le"] ?? []));
  const each = buckets.size === 0 ? 1 : buckets.size + 2;
  return labelsOf(family).reduce((most, label) => most * valuesOf(family.name, label).length, each);
}

function strangersIn(family: Family): readonly string[] {
  return labelsOf(family).flatMap((label) => {
    const values = new Set(family.samples.flatMap(({ labels }) => labels[label] ?? []));
    const known = valuesOf(family.name, label);
    return [...values].filter((value) => !known.includes(value)).map((value) => `${family.name} ${label}="${value}"`);
  });
}
