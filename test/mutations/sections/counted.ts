import type { Section } from "../mutant.ts";

const CALLS = "src/api/call-metrics.ts";
const CALLS_TEST = { project: "unit", files: ["src/api/call-metrics.test.ts"] } as const;
const KUBE = "src/kube/http.ts";
const KUBE_TEST = { project: "loopback", files: ["src/kube/http-metrics.loopback.test.ts"] } as const;
const OBJECTS = "src/controllers/shared/object-metrics.ts";
const OBJECTS_TEST = { project: "unit", files: ["src/controllers/shared/object-metrics.test.ts"] } as const;
const LEDGER = "src/controllers/requests/ledger.ts";
const LEDGER_TEST = { project: "loopback", files: ["src/controllers/requests/counted.loopback.test.ts"] } as const;
const PACER = "src/api/pacing/pacer.ts";
const PACER_TEST = { project: "unit", files: ["src/api/pacing/pacer.test.ts"], only: "tell budget" } as const;

/** engine.md §8: what metrics count, each by the value that a test reads of it. */
export const counted: Section = {
  sign: "§8",
  name: "counted",
  mutants: [
    {
      name: "call-uncounted",
      promise: "baas_api_requests_total counts each sending",
      file: CALLS,
      find: "      requests.increment({ operation, outcome });\n",
      replace: "",
      killer: CALLS_TEST,
    },
    {
      name: "call-not-timed",
      promise: "baas_api_request_duration_seconds has the time of each sending",
      file: CALLS,
      find: "      durations.observe(durationMs / 1000, { operation });\n",
      replace: "",
      killer: CALLS_TEST,
    },
    {
      name: "call-timed-in-milliseconds",
      promise: "baas_api_request_duration_seconds is in seconds",
      file: CALLS,
      find: "durations.observe(durationMs / 1000, { operation });",
      replace: "durations.observe(durationMs, { operation });",
      killer: CALLS_TEST,
    },
    {
      name: "request-to-the-apiserver-uncounted",
      promise: "baas_kube_requests_total counts each request",
      file: KUBE,
      find: "      requests.increment({ method, code });\n",
      replace: "",
      killer: KUBE_TEST,
    },
    {
      name: "request-to-the-apiserver-not-timed",
      promise: "baas_kube_request_duration_seconds has the time of each request",
      file: KUBE,
      find: "      durations.observe((clock.monotonic() - startedMs) / 1000, { method });\n",
      replace: "",
      killer: KUBE_TEST,
    },
    {
      name: "run-uncounted",
      promise: "baas_reconcile_total counts each run by how it ended",
      file: "src/runtime/controller.ts",
      find: "    this.#runs.increment({ kind: key.kind, outcome: next.metric });\n",
      replace: "",
      killer: { project: "unit", files: ["src/runtime/controller.test.ts"] },
    },
    {
      name: "run-not-timed",
      promise: "baas_reconcile_duration_seconds has the time of each run",
      file: "src/runtime/controller.ts",
      find: "    this.#seconds.observe(durationMs / 1000, { kind: key.kind, outcome: next.metric });\n",
      replace: "",
      killer: { project: "unit", files: ["src/runtime/controller.test.ts"], only: "aborts a run at its deadline" },
    },
    {
      name: "run-without-its-id",
      promise: "each line of a run names it: reconcileId",
      file: "src/runtime/controller.ts",
      find: "const runLog = log.child({ reconcileId, ...traced,",
      replace: "const runLog = log.child({ ...traced,",
      killer: { project: "unit", files: ["src/runtime/controller-log.test.ts"], only: "gives each run an id" },
    },
    {
      name: "sections-uncounted",
      promise: "baas_object_sections counts the objects by the state of a section",
      file: OBJECTS,
      find: "      for (const { name, state } of sectionsOf(object)) sections.add({ kind, section: name, state }, by);\n",
      replace: "",
      killer: OBJECTS_TEST,
    },
    {
      name: "sections-of-anybodys-names",
      promise: "the labels of baas_object_sections are of a closed set, whatever a status holds",
      file: OBJECTS,
      find: 'SECTION_NAMES.has(name) && typeof state === "string" && Object.hasOwn(sectionStates, state)',
      replace: 'typeof state === "string"',
      killer: OBJECTS_TEST,
    },
    {
      name: "requests-by-annotation-uncounted",
      promise: "baas_requests_total counts what was asked for by annotation and has ended",
      file: LEDGER,
      find: '    if (state !== "Running") this.count(record.verb, state);\n',
      replace: "",
      killer: LEDGER_TEST,
    },
    {
      name: "requests-by-annotation-counted-while-under-way",
      promise: "baas_requests_total counts a request once, when it has ended",
      file: LEDGER,
      find: '    if (state !== "Running") this.count(record.verb, state);\n',
      replace: "    this.count(record.verb, state);\n",
      killer: LEDGER_TEST,
    },
    {
      name: "metric-that-shows-nothing",
      promise: "each metric that the page lists is shown by an operator that has seen what it counts",
      file: "src/controllers/shared/drift-count.ts",
      find: "if (fields > 0) total.increment({ kind, action }, fields);",
      replace: "if (fields < 0) total.increment({ kind, action }, fields);",
      killer: { project: "e2e", files: ["test/e2e/telling.e2e.test.ts"], only: "have each counted" },
    },
    {
      name: "lists-uncounted",
      promise: "baas_kube_lists_total counts the lists that fill a cache",
      file: "src/kube/reflector.ts",
      find: "    this.#metrics.lists.increment({ resource: this.type.plural });\n",
      replace: "",
      killer: { project: "loopback", files: ["src/kube/reflector-list.loopback.test.ts"], only: "page by page" },
    },
    {
      name: "budget-left-untold",
      promise: "baas_api_budget_left is what the tightest scope has left",
      file: PACER,
      find: "({ left }) => Math.max(0, left));",
      replace: "({ left }) => Math.min(0, left));",
      killer: PACER_TEST,
    },
    {
      name: "reset-of-the-budget-untold",
      promise: "baas_api_budget_reset_seconds is the time until the scope opens",
      file: PACER,
      find: "({ opensInMs }) => Math.max(0, opensInMs) / 1000,",
      replace: "({ opensInMs }) => Math.min(0, opensInMs) / 1000,",
      killer: PACER_TEST,
    },
    {
      name: "waiting-for-the-budget-untold",
      promise: "baas_api_requests_waiting is how many wait",
      file: PACER,
      find: "({ waiting }) => waiting);",
      replace: "({ waiting }) => waiting - waiting);",
      killer: PACER_TEST,
    },
    {
      name: "refusals-for-the-rate-uncounted",
      promise: "baas_api_throttled_total counts the answers of 429",
      file: PACER,
      find: "this.#throttled = (labels) => counter.increment(labels);",
      replace: "this.#throttled = (labels) => void [counter, labels];",
      killer: PACER_TEST,
    },
  ],
};
