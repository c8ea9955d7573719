import type { Section } from "../mutant.ts";

const REVERTED = { project: "loopback", files: ["src/controllers/sections/reverted.loopback.test.ts"] } as const;
const FUNCTION = { project: "loopback", files: ["src/controllers/edge-function/reverted.loopback.test.ts"] } as const;

const WRONG = { project: "loopback", files: ["src/controllers/sections/wrong-answers.loopback.test.ts"] } as const;
const DOMAINS = { project: "loopback", files: ["src/controllers/sections/domains.loopback.test.ts"] } as const;
const NOTIFY = { project: "unit", files: ["src/resources/branch/notify-url.test.ts"] } as const;

/** What arrived and was not heard of, and what was read wrongly (ADR 20). */
export const unheard: Section = {
  sign: "ADR 20",
  name: "unheard",
  mutants: [
    {
      name: "edit-unrecorded-before-it-is-sent",
      promise: "an edit that arrived unheard and is taken back is an edit again, and no drift",
      file: "src/controllers/sections/carry-out.ts",
      find: "  await recordSending(turn, decided);\n",
      replace: "",
      killer: { ...REVERTED, only: "wherever the operator's life ended" },
    },
    {
      name: "each-write-recorded",
      promise: "a hand-made change is taken back without another write of the status",
      file: "src/controllers/sections/sending.ts",
      find: "const isKnown = before.applied !== undefined && !isInForce(before, one);",
      replace: "const isKnown = before.applied !== undefined;",
      killer: { ...REVERTED, only: "is none where a hand-made change" },
    },
    {
      name: "unseen-edit-taken-for-gone",
      promise: "what was sent before and does not show yet is waited for before the former value counts as in force",
      file: "src/controllers/sections/entries.ts",
      find: "      if (!mayShowYet(ended)) return inSync(base, look);\n",
      replace: "      if (mayShowYet(ended)) return inSync(base, look);\n",
      killer: { ...REVERTED, only: "showed it late" },
    },
    {
      name: "unseen-edit-waited-for-without-end",
      promise: "what was sent before and never shows is waited for two minutes",
      file: "src/controllers/sections/entries.ts",
      find: "nowMs - Date.parse(since) < UNSEEN_MS",
      replace: "Date.parse(since) < Infinity",
      killer: { ...REVERTED, only: "rests where it never came" },
    },
    {
      name: "rotation-unrecorded-before-it-is-sent",
      promise: "a Secret whose rotation arrived unheard is sent again when it is the former one again",
      file: "src/controllers/sections/sending.ts",
      find: "remembered === true ? [field] : []",
      replace: "remembered === undefined && field === '' ? [field] : []",
      killer: { ...REVERTED, only: "of a Secret" },
    },
    {
      name: "config-map-taken-for-drift",
      promise: "a ConfigMap that changed is an edit of the section that is made of it",
      file: "src/controllers/sections/in-force.ts",
      find: " && digestOf(entry.documents ?? []) === digestOf(look.documents ?? [])",
      replace: "",
      killer: { ...REVERTED, only: "of a ConfigMap" },
    },
    {
      name: "source-unrecorded-before-it-is-sent",
      promise: "a source that arrived unheard and is taken back is deployed again, whatever the drift policy",
      file: "src/controllers/edge-function/apply.ts",
      find: "...(sourceHash === undefined || sourceHash === source.hash ? {} : { sourceHash: undefined }),",
      replace: "",
      killer: FUNCTION,
    },
    {
      name: "refused-source-forgets-the-deployed-one",
      promise: "what a refused source was to replace is not deployed again when it is taken back",
      file: "src/controllers/edge-function/apply.ts",
      find: "run.status.update({ redeployment, sourceHash });",
      replace: "run.status.update({ redeployment });",
      killer: { ...FUNCTION, only: "the other one was refused" },
    },
    {
      name: "settings-replaced-on-one-read",
      promise: "the database's settings are written only on two reads that agree",
      file: "src/controllers/sections/database-settings.ts",
      find: "  if (digestOf(overrides) === digestOf(before)) return overrides;\n",
      replace: '  if (digestOf(before) !== "") return overrides;\n',
      killer: { ...WRONG, only: "the read right before the write" },
    },
    {
      name: "foreign-answer-taken-for-settings",
      promise: "an answer that names no setting is none of the database's settings",
      file: "src/controllers/sections/database-settings.ts",
      find: "if (wires.length === 0 || wires.some(",
      replace: "if (wires.length >= 0 || wires.some(",
      killer: { ...WRONG, only: "that is of something else" },
    },
    {
      name: "empty-answer-taken-for-a-section",
      promise: "an answer with none of a section's fields is the basis of no write",
      file: "src/controllers/sections/field-section.ts",
      find: "if (rows.every(({ wire }) => valueAt(answer, wire) === undefined)) {",
      replace: "if (rows.length === 0) {",
      killer: { ...WRONG, only: "is none: nothing is written" },
    },
    {
      name: "refused-section-not-looked-at",
      promise: "a section that was refused is looked at by drift checks, and in sync once nothing differs",
      file: "src/controllers/sections/run-sections.ts",
      find: "!(turn.isFull && refused.refused?.mayPass === true)",
      replace: "refused.refused !== undefined",
      killer: { ...WRONG, only: "is looked at by drift checks" },
    },
    {
      name: "look-at-a-refused-section-writes",
      promise: "what was refused is asked for no more by a drift check that finds it as it was",
      file: "src/controllers/sections/run-sections.ts",
      find: "    if (refused !== undefined && look.changes.length > 0) return undefined;\n",
      replace: "",
      killer: { ...WRONG, only: "is looked at by drift checks" },
    },
    {
      name: "deleted-hostname-untold",
      promise: "a hostname that served and was deleted is told until the declared one is in force",
      file: "src/controllers/sections/run-sections.ts",
      find: ".map(withGone);",
      replace: ".map((entry) => (entry.gone === undefined ? withGone(entry) : entry));",
      killer: { ...DOMAINS, only: "that serves and is replaced" },
    },
    {
      name: "hostname-deleted-for-one-that-is-taken",
      promise: "no hostname is deleted for one that another object's project is known to have",
      file: "src/controllers/sections/domains.ts",
      find: "    if (hostname !== undefined) requireFree(at, hostname);\n",
      replace: '    if (hostname === "") requireFree(at, hostname);\n',
      killer: { ...DOMAINS, only: "that serves and is replaced" },
    },
    {
      name: "no-url-taken-for-one",
      promise: "what is no URL is refused as spec.notifyUrl, before a request names it otherwise",
      file: "src/resources/branch/notify-url.ts",
      find: "URL.canParse(value)",
      replace: 'value !== ""',
      killer: NOTIFY,
    },
  ],
};
