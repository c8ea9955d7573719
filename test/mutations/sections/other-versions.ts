import type { Section } from "../mutant.ts";

const LABELS = { project: "loopback", files: ["src/controllers/other-labels.loopback.test.ts"] } as const;
const DIED = { project: "loopback", files: ["src/controllers/secret/edit-died.loopback.test.ts"] } as const;

/** Secrets and ConfigMaps that are other versions with the same values (engine.md §6, §7). */
export const otherVersions: Section = {
  sign: "§6",
  name: "other-versions",
  mutants: [
    {
      name: "password-version-is-news",
      promise: "no write when nothing changed: another version of the password's Secret with the same values",
      file: "src/controllers/project/apply.ts",
      find: '      status.leaveVersion("databasePassword", "secretResourceVersion");\n',
      replace: "",
      killer: { ...LABELS, only: "are no write to any of them" },
    },
    {
      name: "setting-version-is-news",
      promise: "no write when nothing changed: another version of a setting's Secret with the same values",
      file: "src/controllers/sections/run-sections.ts",
      find: '  run.status.leaveVersion("sections", "secretResourceVersion");\n',
      replace: "",
      killer: { ...LABELS, only: "are no write to any of them" },
    },
    {
      name: "source-version-is-news",
      promise: "no write when nothing changed: another version of a function's ConfigMap with the same files",
      file: "src/controllers/edge-function/reconcile.ts",
      find: '  if (object.status.sourceHash === step.source.hash) run.status.leaveVersion("source", "resourceVersion");\n',
      replace: "",
      killer: { ...LABELS, only: "are no write to any of them" },
    },
    {
      name: "values-version-is-news",
      promise: "no write when nothing changed: another version of a Secret object's Secret with the same values",
      file: "src/controllers/secret/reconcile.ts",
      find: 'if (!redeploys) status.leaveVersion("sources", "resourceVersion");',
      replace: "",
      killer: { ...LABELS, only: "are no write to any of them" },
    },
    {
      name: "version-untold-to-functions",
      promise: "a function waits for a Secret object of which another version was not looked at yet, and no longer",
      file: "src/controllers/secret/reconcile.ts",
      find: "if (!redeploys) status.leaveVersion",
      replace: "status.leaveVersion",
      killer: { ...LABELS, only: "are told where functions wait" },
    },
    {
      name: "other-version-is-an-edit",
      promise: "another version with the same values is no edit: what differs then is drift",
      file: "src/controllers/secret/source.ts",
      find: 'return valuesMark === undefined || source.marked.told === "changed";',
      replace: "return true;",
      killer: { ...LABELS, only: "are no edit" },
    },
    {
      name: "edit-half-way-is-drift",
      promise: "what an edit set that was taken back before it was in force is set back, whatever the drift policy",
      file: "src/controllers/secret/environment.ts",
      find: "    ...(edited && valuesMark !== undefined ? { valuesMark: undefined } : {}),\n",
      replace: "",
      killer: { ...LABELS, only: "on its way before" },
    },
    {
      name: "edit-of-a-life-that-ended-is-drift",
      promise: "so is what a life set that ended before it could write its status",
      file: "src/controllers/secret/environment.ts",
      find: "await run.lockStatus(() => run.status.update(record));",
      replace: "run.status.update(record);",
      killer: { ...DIED, only: "is taken back with the values" },
    },
  ],
};
