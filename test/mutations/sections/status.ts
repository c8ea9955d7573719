import type { Section } from "../mutant.ts";

const READY = "src/controllers/shared/ready.ts";
const READY_TEST = "src/controllers/shared/ready.test.ts";
const CONDITIONS = "src/controllers/shared/conditions.ts";
const CONDITIONS_TEST = "src/controllers/shared/conditions.test.ts";
const UNDERWAY = "src/controllers/shared/underway.ts";
const UNDERWAY_TEST = "src/controllers/shared/underway.test.ts";
const IDLE = {
  project: "loopback",
  files: ["src/controllers/project/project.loopback.test.ts"],
  only: "an idle hour writes nothing",
} as const;

/** engine.md §7: status that tells the truth, quietly. */
export const status: Section = {
  sign: "§7",
  name: "status",
  mutants: [
    {
      name: "stalled-not-said",
      promise: "terminal: Stalled=True with what to do",
      file: READY,
      find: '      draft.set("Stalled", "True", reason, message);\n',
      replace: "",
      killer: { project: "unit", files: [READY_TEST] },
    },
    {
      name: "stalled-and-ready",
      promise: "conditions as kstatus reads them: Stalled is not Ready",
      file: READY,
      find: '      draft.set("Ready", "False", reason, message);\n',
      replace: "",
      killer: { project: "unit", files: [READY_TEST] },
    },
    {
      name: "reconciling-stays",
      promise: "conditions as kstatus reads them: at rest Reconciling is absent",
      file: READY,
      find: 'const ended: readonly ConditionType[] = ["Reconciling", "Stalled", "Paused"];',
      replace: 'const ended: readonly ConditionType[] = ["Stalled", "Paused"];',
      killer: { project: "unit", files: [READY_TEST] },
    },
    {
      name: "creating-is-a-failure",
      promise: "while creating: Ready=Unknown with reason, so that Argo CD waits instead of failing",
      file: READY,
      find: 'draft.set("Ready", "Unknown", "Creating", message);',
      replace: 'draft.set("Ready", "False", "Creating", message);',
      killer: { project: "unit", files: [READY_TEST] },
    },
    {
      name: "passing-failure-ends-ready",
      promise: "a failure that says nothing of the remote side leaves Ready as it was seen",
      file: READY,
      find: '      if (SAYS_NOTHING.has(metric) && speaksOf(draft.condition("Ready"), generation)) return;\n',
      replace: "",
      killer: { project: "unit", files: [READY_TEST] },
    },
    {
      name: "new-object-taken-for-ready",
      promise: "observedGeneration: default -1 in the CRD",
      file: "src/resources/status.ts",
      find: "    .default(-1)\n",
      replace: "    .default(0)\n",
      killer: { project: "unit", files: ["src/resources/status.test.ts"] },
    },
    {
      name: "observed-generation-not-bumped",
      promise: "observedGeneration on the status",
      file: "src/controllers/shared/status-draft.ts",
      find: "this.#current = { ...this.#current, observedGeneration, lastHandledReconcileAt };",
      replace: "this.#current = { ...this.#current, lastHandledReconcileAt };",
      killer: {
        project: "loopback",
        files: ["src/controllers/shared/pipeline.loopback.test.ts"],
        only: "which generation it looked at",
      },
    },
    {
      name: "not-bumped-on-failure",
      promise: "bumped on failure too",
      file: "src/controllers/shared/pipeline.ts",
      find: "  run.observe();\n  return attempt(run, async () => {\n    const parsed = controller.store.parse(run.raw);\n    if (!parsed.ok)",
      replace:
        "  return attempt(run, async () => {\n    const parsed = controller.store.parse(run.raw);\n    if (parsed.ok) run.observe();\n    if (!parsed.ok)",
      killer: {
        project: "loopback",
        files: ["src/controllers/shared/pipeline.loopback.test.ts"],
        only: "which generation it looked at",
      },
    },
    {
      name: "condition-of-an-old-generation",
      promise: "observedGeneration on each condition",
      file: CONDITIONS,
      find: "    before.message === message &&\n    before.observedGeneration === moment.generation\n",
      replace: "    before.message === message\n",
      killer: { project: "unit", files: [CONDITIONS_TEST] },
    },
    {
      name: "transition-time-moves",
      promise: "lastTransitionTime moves only when the status changes",
      file: CONDITIONS,
      find: "lastTransitionTime: before?.status === claim.status ? before.lastTransitionTime : kubeTime(moment.nowMs),",
      replace: "lastTransitionTime: kubeTime(moment.nowMs),",
      killer: { project: "unit", files: [CONDITIONS_TEST] },
    },
    {
      name: "status-written-every-run",
      promise: "no write when nothing changed: an idle hour is 0 writes to etcd",
      file: "src/controllers/shared/status-draft.ts",
      find: "return mergePatch(asJson(this.#stored), asJson(this.#bounded().status));",
      replace: "return asJson(this.#bounded().status);",
      killer: IDLE,
    },
    {
      name: "write-on-every-drift-check",
      promise: "and 0 to the Management API",
      file: "src/controllers/project/plan.ts",
      find: "if (name !== undefined && remote.name !== name) {",
      replace: "if (name !== undefined) {",
      killer: { project: "unit", files: ["src/controllers/project/plan.test.ts"] },
    },
    {
      name: "annotation-written-every-run",
      promise: "no heartbeats: the record is written once",
      file: "src/controllers/shared/run.ts",
      find: "    if (this.#recorded === text) return;\n",
      replace: "",
      killer: IDLE,
    },
    {
      name: "counter-in-the-status",
      promise: "no counters in status: a message of Ready says the same as long as nothing changes",
      file: READY,
      find: 'draft.set("Ready", "True", reason, but.length === 0 ? message',
      replace: 'draft.set("Ready", "True", reason, but.length === 0 ? `${message} (${performance.now()})`',
      killer: IDLE,
    },
    {
      name: "no-deadline",
      promise: "a deadline for what never ends: Stalled",
      file: UNDERWAY,
      find: "if (elapsedMs < durationMs(timeout)) return waiting",
      replace: "if (elapsedMs < Infinity) return waiting",
      killer: { project: "unit", files: [UNDERWAY_TEST] },
    },
    {
      name: "time-stuck-begins-anew",
      promise: "Stalled with the time stuck",
      file: UNDERWAY,
      find: "before?.operation === operation ? before.since : kubeTime(nowMs)",
      replace: "kubeTime(nowMs)",
      killer: { project: "unit", files: [UNDERWAY_TEST] },
    },
    {
      name: "stuck-and-left",
      promise: "and still watched",
      file: UNDERWAY,
      find: "    { recheckAfterMs: STUCK_LOOK_MS },\n",
      replace: "",
      killer: { project: "unit", files: [UNDERWAY_TEST] },
    },
    {
      name: "whole-body-shown",
      promise: "the server's words are shown from the JSON message alone",
      file: "src/api/response.ts",
      find: 'return typeof message === "string" ? message : undefined;',
      replace: 'return typeof message === "string" ? message : JSON.stringify(body);',
      killer: { project: "loopback", files: ["src/api/client.loopback.test.ts"], only: "what is read" },
    },
    {
      name: "message-not-cut",
      promise: "cut at 256 characters",
      file: "src/api/redaction.ts",
      find: "const LONGEST_MESSAGE = 256;",
      replace: "const LONGEST_MESSAGE = 1024;",
      killer: { project: "unit", files: ["src/api/redaction.test.ts"] },
    },
    {
      name: "message-with-a-secret",
      promise: "free of secrets",
      file: "src/api/response.ts",
      find: "    secrets: details.secrets,\n",
      replace: "    secrets: [],\n",
      killer: { project: "loopback", files: ["src/api/client.loopback.test.ts"], only: "what messages hold" },
    },
  ],
};
