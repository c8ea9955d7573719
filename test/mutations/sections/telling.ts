import type { Section } from "../mutant.ts";

const EVENTS = "src/kube/events.ts";
const EVENTS_TEST = "src/kube/events.loopback.test.ts";
const CONTROLLER = "src/runtime/controller.ts";
const LOG_TEST = "src/runtime/controller-log.test.ts";
const DRIFT_TOLD = "src/controllers/shared/drift-told.loopback.test.ts";
const PIPELINE_TEST = "src/controllers/shared/pipeline.loopback.test.ts";
const LEVEL = 'const level = next.logLevel === "debug" && changes.length > 0 ? "info" : next.logLevel;';

/** engine.md §6 and §7, and docs/operations.md: what is told in events, log lines and traces, and how much of it. */
export const telling: Section = {
  sign: "§7",
  name: "telling",
  mutants: [
    {
      name: "events-without-limit",
      promise: "one object causes only so many events",
      file: EVENTS,
      find: "if (!this.#limits.take(subjectKey(input.regarding), clock.monotonic())) {",
      replace: "if (!this.#limits.take(subjectKey(input.regarding), clock.monotonic()) && this.#queue.length < 0) {",
      killer: { project: "loopback", files: [EVENTS_TEST], only: "lets one object cause only so many" },
    },
    {
      name: "one-limit-for-all-objects",
      promise: "one object's events do not take another's place",
      file: EVENTS,
      find: "this.#limits.take(subjectKey(input.regarding), clock.monotonic())",
      replace: 'this.#limits.take("any", clock.monotonic())',
      killer: { project: "loopback", files: [EVENTS_TEST], only: "lets one object cause only so many" },
    },
    {
      name: "event-limit-never-refills",
      promise: "an object that was quiet may tell again",
      file: "src/kube/event-limits.ts",
      find: "bucket.tokens + (nowMs - bucket.atMs) / this.#limit.refillMs",
      replace: "bucket.tokens",
      killer: { project: "unit", files: ["src/kube/event-limits.test.ts"] },
    },
    {
      name: "found-deployment-told-by-each-run",
      promise: "a deployment for a changed environment is told of once",
      file: "src/controllers/edge-function/memory.ts",
      find: "if (this.#told.get(uid) === version) return;",
      replace: "",
      killer: {
        project: "loopback",
        files: ["src/controllers/edge-function/redeploy-held.loopback.test.ts"],
        only: "is told of once",
      },
    },
    {
      name: "each-repetition-an-event",
      promise: "repeated, an event is counted in a series",
      file: EVENTS,
      find: "if (known !== undefined) {",
      replace: "if (known !== undefined && known.queued) {",
      killer: { project: "loopback", files: [EVENTS_TEST] },
    },
    {
      name: "idle-runs-told-at-info",
      promise: "one line for each run, at info only when it changed something",
      file: CONTROLLER,
      find: LEVEL,
      replace: 'const level = next.logLevel === "debug" ? "info" : next.logLevel;',
      killer: { project: "unit", files: [LOG_TEST] },
    },
    {
      name: "changes-told-at-debug",
      promise: "one line for each run, at info when it changed something",
      file: CONTROLLER,
      find: LEVEL,
      replace: "const level = next.logLevel;",
      killer: { project: "unit", files: [LOG_TEST] },
    },
    {
      name: "two-lines-for-a-run",
      promise: "one line for each run",
      file: CONTROLLER,
      find: 'log[level](fields, "reconciled");',
      replace:
        'log[level](fields, "reconciled");\n      for (const change of fields.changes ?? []) log.info({ ...change }, "changed");',
      killer: { project: "unit", files: [LOG_TEST] },
    },
    {
      name: "traces-to-a-default-collector",
      promise: "traces are off unless a collector is named",
      file: "src/cli/operator-flags.ts",
      find: 'none when absent (OTEL_EXPORTER_OTLP_ENDPOINT)",\n      otlpEndpoint,',
      replace: 'none when absent (OTEL_EXPORTER_OTLP_ENDPOINT)",\n      otlpEndpoint ?? "http://localhost:4318",',
      killer: { project: "loopback", files: ["test/workshop/docs.test.ts"], only: "with its default" },
    },
    {
      name: "traceparent-without-a-trace",
      promise: "no trace context is sent where traces are off",
      file: "src/base/tracer.ts",
      find: "  headers: {},\n",
      replace: '  headers: { traceparent: `00-${"1".repeat(32)}-${"1".repeat(16)}-00` },\n',
      killer: {
        project: "loopback",
        files: ["src/api/client-alone.loopback.test.ts"],
        only: "sends no trace context",
      },
    },
    {
      name: "drift-corrected-before-it-is",
      promise: "that drift was corrected is told of a write that was made",
      file: "src/controllers/shared/drift.ts",
      find: "  run.repairs(fieldsOf(repairs));\n",
      replace: '  run.repairs(fieldsOf(repairs));\n  run.wrote("Updated", "writes", fieldsOf(repairs));\n',
      killer: { project: "loopback", files: [DRIFT_TOLD], only: "the name of a Project" },
    },
    {
      name: "drift-corrected-untold",
      promise: "every write that corrects drift says so",
      file: "src/controllers/shared/run.ts",
      find: "fields.filter((field) => this.#repairs.delete(field))",
      replace: "fields.filter((field) => this.#repairs.has(field) && fields.length > 1)",
      killer: { project: "loopback", files: [DRIFT_TOLD], only: "the name of a Project" },
    },
    {
      name: "mistyped-annotation-untold",
      promise: "an annotation of ours that does nothing is told of, on objects of every kind",
      file: "src/controllers/shared/pipeline.ts",
      find: '  run.status.remove("Paused");\n  tellIgnoredAnnotations(run);\n',
      replace: '  run.status.remove("Paused");\n',
      killer: { project: "loopback", files: [PIPELINE_TEST], only: "annotation that does nothing" },
    },
    {
      name: "mistyped-annotation-told-by-each-run",
      promise: "an annotation of ours that does nothing is told of once",
      file: "src/controllers/shared/ignored-annotations.ts",
      find: 'run.announce("Warning", condition)',
      replace: 'run.announce("Warning", { ...condition, type: "Ready" })',
      killer: { project: "loopback", files: [PIPELINE_TEST], only: "annotation that does nothing" },
    },
    {
      name: "mistyped-annotation-seen-by-chance",
      promise: "an annotation of ours that does nothing is told of when it is set",
      file: "src/controllers/watching.ts",
      find: "    ignoresAnother(before, now) ||\n",
      replace: "",
      killer: { project: "unit", files: ["src/controllers/watching.test.ts"] },
    },
    {
      name: "annotation-of-another-kind-taken-for-known",
      promise: "an annotation of ours on a kind that does not take it is told of",
      file: "src/resources/known-annotations.ts",
      find: "return knownAnnotations.get(kind) ?? [];",
      replace: "return knownAnnotations.has(kind) ? [...knownAnnotations.values()].flat() : [];",
      killer: { project: "unit", files: ["src/resources/known-annotations.test.ts"] },
    },
    {
      name: "mistyped-annotation-refused",
      promise: "an annotation of ours that does nothing is warned of when it is applied, and refused by nobody",
      file: "deploy/helm/baas-operator/templates/annotation-warnings.yaml",
      find: "validationActions: [Warn]",
      replace: "validationActions: [Deny]",
      killer: { project: "loopback", files: ["test/chart/annotation-warnings.test.ts"] },
    },
    {
      name: "status-refused-for-one-item",
      promise: "a status is written with what its lists hold, and is not refused for more",
      file: "src/controllers/shared/status-draft.ts",
      find: "return mergePatch(asJson(this.#stored), asJson(this.#bounded().status));",
      replace: "return mergePatch(asJson(this.#stored), asJson(this.#written()));",
      killer: { project: "unit", files: ["src/controllers/shared/status-left-out.test.ts"] },
    },
    {
      name: "left-out-uncounted",
      promise: "what a status has no room for is counted",
      file: "src/controllers/shared/run.ts",
      find: "    this.#countLeftOut();\n",
      replace: "",
      killer: { project: "unit", files: ["src/controllers/shared/status-left-out.test.ts"] },
    },
    {
      name: "missing-reference-told-as-normal",
      promise: "what waits for somebody to act is told by a warning",
      file: "src/controllers/shared/pipeline.ts",
      find: 'waitsForSomebody(reason) ? "Warning" : event',
      replace: "event",
      killer: { project: "loopback", files: ["src/controllers/shared/event-types.loopback.test.ts"] },
    },
  ],
};
