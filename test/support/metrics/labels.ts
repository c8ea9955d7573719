import { resendCauses } from "../../../src/api/call-metrics.ts";
import { operations } from "../../../src/api/contract/contract.ts";
import { STANDARD_LIMIT } from "../../../src/api/contract/operation.ts";
import { scopeKinds } from "../../../src/api/pacing/pacer.ts";
import { transportFailures } from "../../../src/api/transport.ts";
import { sectionNames } from "../../../src/controllers/sections/sections.ts";
import { driftActions } from "../../../src/controllers/shared/drift-count.ts";
import { fluxSourceTypes } from "../../../src/controllers/shared/flux-types.ts";
import { conditionStatuses, toldConditions } from "../../../src/controllers/shared/object-metrics.ts";
import { releaseCauses } from "../../../src/controllers/shared/releases.ts";
import { touchedKinds } from "../../../src/controllers/touched.ts";
import { eventResults } from "../../../src/kube/events.ts";
import { requestFailures } from "../../../src/kube/failure.ts";
import { watchEventTypes } from "../../../src/kube/reflector-metrics.ts";
import { restartReasons } from "../../../src/kube/reflector-recovery.ts";
import { kinds } from "../../../src/resources/kinds.ts";
import { branchVerbs, projectVerbs, requestStates } from "../../../src/resources/requests.ts";
import { sectionStates } from "../../../src/resources/settings/status.ts";
import { lanes } from "../../../src/runtime/lane.ts";
import { outcomes } from "../../../src/runtime/outcome.ts";
import { spanResults } from "../../../src/runtime/tracing.ts";
import type { Family } from "./exposition.ts";

/** The closed set of values of each label of each metric, as the sources have them: what a page explains, and what a series may have. */

/** Sets of few words, by label and metric: docs/operations.md explains each word of them. */
export const words: Readonly<Record<string, readonly string[]>> = {
  "outcome baas_reconcile_total": outcomes,
  "outcome baas_reconcile_duration_seconds": outcomes,
  "lane baas_workqueue_ready": lanes,
  "lane baas_workqueue_waiting": lanes,
  "lane baas_workqueue_oldest_seconds": lanes,
  "lane baas_workqueue_wait_seconds": lanes,
  "condition baas_object_conditions": toldConditions,
  "status baas_object_conditions": conditionStatuses,
  "state baas_object_sections": Object.keys(sectionStates),
  "action baas_drift_total": driftActions,
  "cause baas_released_total": releaseCauses,
  "outcome baas_api_requests_total": transportFailures,
  "cause baas_api_retries_total": resendCauses,
  "scope baas_api_throttled_total": scopeKinds,
  "scope baas_api_budget_left": scopeKinds,
  "scope baas_api_budget_reset_seconds": scopeKinds,
  "scope baas_api_requests_waiting": scopeKinds,
  "code baas_kube_requests_total": requestFailures,
  "type baas_kube_watch_events_total": watchEventTypes,
  "reason baas_kube_watch_restarts_total": restartReasons,
  "result baas_kube_events_total": eventResults,
  "result baas_trace_spans_total": spanResults,
};

const ownKinds = kinds.map(({ type }) => type.kind);
const ran = [...ownKinds, ...touchedKinds];

/** Sets that pages of their own list, by label and metric, or by label for all metrics. */
const listed: Readonly<Record<string, readonly string[]>> = {
  kind: ownKinds,
  "kind baas_reconcile_total": ran,
  "kind baas_reconcile_duration_seconds": ran,
  limit: [...new Set([STANDARD_LIMIT.name, ...operations.flatMap(({ limitClass }) => limitClass?.name ?? [])])],
  method: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  operation: operations.map(({ id }) => id),
  resource: [
    ...[...kinds.map(({ type }) => type), ...fluxSourceTypes].map(({ plural }) => plural),
    "secrets",
    "configmaps",
    "namespaces",
  ],
  section: sectionNames,
  "state baas_requests_total": Object.keys(requestStates),
  verb: Object.keys({ ...projectVerbs, ...branchVerbs }),
};

/** Labels that have the status of an answer where there was one. */
const answered: readonly string[] = [
  "outcome baas_api_requests_total",
  "cause baas_api_retries_total",
  "code baas_kube_requests_total",
];

/** What may be met, where it is less than the sets say: fewer operations, these statuses. */
export interface Met {
  readonly operations?: readonly string[];
  readonly statuses: readonly string[];
}

/** The values that a label of a metric may have; none for a label that is not known. */
export function valuesOf(metric: string, label: string, met: Met): readonly string[] {
  if (label === "operation" && met.operations !== undefined) return met.operations;
  const name = `${label} ${metric}`;
  const set = words[name] ?? listed[name] ?? listed[label] ?? [];
  return answered.includes(name) ? [...set, "ok", ...met.statuses] : set;
}

/** The labels of a family, but for that of the buckets of a histogram. */
export function labelsOf({ samples }: Family): readonly string[] {
  const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
  return [...labels].filter((label) => label !== "le");
}

/** Values in no closed set, each as `metric label="value"`: the name of an object, a ref or a message would make more series with all that comes and goes. */
export function strangersIn(family: Family, met: Met): readonly string[] {
  return labelsOf(family).flatMap((label) => {
    const given = new Set(family.samples.flatMap(({ labels }) => labels[label] ?? []));
    const known = valuesOf(family.name, label, met);
    return [...given].filter((value) => !known.includes(value)).map((value) => `${family.name} ${label}="${value}"`);
  });
}
