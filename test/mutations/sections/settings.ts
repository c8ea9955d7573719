import type { Section } from "../mutant.ts";

const MERGE = { project: "loopback", files: ["src/controllers/sections/merge-sections.loopback.test.ts"] } as const;
const WHOLE = { project: "loopback", files: ["src/controllers/sections/whole-project.loopback.test.ts"] } as const;
const REFUSED = { project: "loopback", files: ["src/controllers/sections/refused.loopback.test.ts"] } as const;
const EVERY = { project: "unit", files: ["src/controllers/sections/every-setting.test.ts"] } as const;
const ADDONS = { project: "loopback", files: ["src/controllers/sections/addons.loopback.test.ts"] } as const;
const DIED = { project: "loopback", files: ["src/controllers/sections/restarts-died.loopback.test.ts"] } as const;
const HEALTH = { project: "loopback", files: ["src/controllers/sections/health.loopback.test.ts"] } as const;

/** Sections of a project (ADR 20). */
export const settings: Section = {
  sign: "ADR 20",
  name: "settings",
  mutants: [
    {
      name: "steady-section-read-for-an-edit-of-another",
      promise: "an edit of one section reads that one",
      file: "src/controllers/sections/run-sections.ts",
      find: "const isInForce = applied === declared || at.isObserved;",
      replace: 'const isInForce = applied === "" || at.isObserved;',
      killer: MERGE,
    },
    {
      name: "edit-of-a-section-taken-for-drift",
      promise: "whether a difference is drift or an edit is told by a digest of the section",
      file: "src/controllers/sections/decide.ts",
      find: "const isInForce = before.get(section.name)?.applied === declared;",
      replace: "const isInForce = before.get(section.name)?.applied !== declared;",
      killer: MERGE,
    },
    {
      name: "failing-section-ends-the-turn",
      promise: "one failing section never holds up the others",
      file: "src/controllers/sections/carry-out.ts",
      find: "    await fail(turn, one, error);\n    return undefined;",
      replace: "    throw error;",
      killer: MERGE,
    },
    {
      name: "refused-section-asked-again",
      promise: "what the plan or an add-on does not allow is not asked for again until something of it changes",
      file: "src/controllers/sections/run-sections.ts",
      find: "  turn.entries.set(entry.name, entry);\n  return true;",
      replace: "  return false;",
      killer: ADDONS,
    },
    {
      name: "resize-within-a-restart",
      promise: "what restarts the database has its turn after a restart that is under way",
      file: "src/controllers/sections/carry-out.ts",
      find: "      restarting = one.section.name;\n",
      replace: "",
      killer: WHOLE,
    },
    {
      name: "awaited-restart-unrecorded",
      promise: "what is stored and awaits a restart is recorded before it is stored",
      file: "src/controllers/sections/database-settings.ts",
      find: "  if (awaitsRestart !== found.awaitsRestart) await record(awaitsRestart);\n",
      replace: "",
      killer: DIED,
    },
    {
      name: "restart-that-came-made-again",
      promise: "a section that is found as declared has brought the restart that was left to it",
      file: "src/controllers/sections/restart-for.ts",
      find: "other.look.changes.length === 0;",
      replace: "false;",
      killer: DIED,
    },
    {
      name: "restart-asked-for-unrecorded",
      promise: "a restart that is asked for by itself is recorded before",
      file: "src/controllers/sections/restart-for.ts",
      find: "({ fields, since }) => ({ fields, since, askedAt: kubeTime(now(turn)) }));",
      replace: "(before) => before);",
      killer: DIED,
    },
    {
      name: "unread-restart-asked-for-again",
      promise: "a restart of which nobody can read whether it came is not asked for again",
      file: "src/controllers/sections/restart-for.ts",
      find: 'failure?.effect === "unknown" ? { askedAt: kubeTime(now(turn)) } : isRefused',
      replace: 'failure?.effect === "none" ? { askedAt: kubeTime(now(turn)) } : isRefused',
      killer: DIED,
    },
    {
      name: "hand-made-size-taken-back",
      promise: "a compute size that somebody changed by hand is left, since a resize is an outage",
      file: "src/controllers/sections/decide.ts",
      find: "const held = inForce && !disruption.isRepaired(object.spec);",
      replace: "const held = false;",
      killer: ADDONS,
    },
    {
      name: "adopted-project-resized",
      promise: "the size that an adopted project has is no edit",
      file: "src/controllers/sections/decide.ts",
      find: "return object.metadata.generation === 1;",
      replace: "return false;",
      killer: ADDONS,
    },
    {
      name: "observed-project-resized",
      promise: "the size that an observed project has is no edit",
      file: "src/controllers/sections/decide.ts",
      find: '(entry.state === "InSync" || entry.state === "Drifted");',
      replace: 'entry.state === "InSync";',
      killer: ADDONS,
    },
    {
      name: "late-size-taken-for-found",
      promise: "a size that is declared later is an edit",
      file: "src/controllers/sections/decide.ts",
      find: "return object.metadata.generation === 1;",
      replace: "return true;",
      killer: ADDONS,
    },
    {
      name: "unwell-project-never-configured",
      promise: "what was configured once can be edited while a service is not well",
      file: "src/controllers/project/reconcile.ts",
      find: 'if (phase.reason === "Unhealthy" && isConfigured(run.status.current)) {',
      replace: 'if (phase.reason === "Unhealthy" && run.status.current.ref === "") {',
      killer: HEALTH,
    },
    {
      name: "refusal-without-its-fields",
      promise: "what the platform refuses is told with the fields that were asked for",
      file: "src/controllers/sections/turn.ts",
      find: "(decision?.write ?? []).map(",
      replace: "(decision?.write ?? []).slice(0, 0).map(",
      killer: REFUSED,
    },
    {
      name: "refused-for-a-size-that-came",
      promise: "what was refused for a compute size is asked for again once the declared one is there",
      file: "src/controllers/sections/run-sections.ts",
      find: "turn.isFull || turn.isEdited || wasUnderWay;",
      replace: "turn.isFull || turn.isEdited || (wasUnderWay && turn.before.size === 0);",
      killer: REFUSED,
    },
    {
      name: "held-section-keeps-the-object-waiting",
      promise: "what waits for a refused section lets the object rest as terminal",
      file: "src/controllers/sections/sum.ts",
      find: ") && !held.has(name));",
      replace: ') && name !== "");',
      killer: REFUSED,
    },
    {
      name: "body-that-no-request-takes-is-a-bug",
      promise: "what a spec lets pass and no request takes ends terminal with the field named",
      file: "src/controllers/sections/request-body.ts",
      find: "schema.safeParse(body);",
      replace: "{ data: schema.parse(body), error: undefined };",
      killer: { project: "unit", files: ["src/controllers/sections/request-body.test.ts"] },
    },
    {
      name: "size-of-nothing-let-pass",
      promise: "whatever a setting may be declared as is taken by the request that carries it",
      file: "src/resources/settings/builders.ts",
      find: "const least = notZero === true ? 1 : 0;",
      replace: "const least = notZero === true ? 0 : 0;",
      killer: EVERY,
    },
  ],
};
