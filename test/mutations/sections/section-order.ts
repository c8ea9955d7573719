import type { Section } from "../mutant.ts";

const REFUSED = { project: "loopback", files: ["src/controllers/sections/refused.loopback.test.ts"] } as const;
const RESTS = {
  project: "loopback",
  files: ["src/controllers/sections/rests.loopback.test.ts"],
  only: "Drifted",
} as const;

/** Which section waits for which (ADR 20). */
export const sectionOrder: Section = {
  sign: "ADR 20",
  name: "section-order",
  mutants: [
    {
      name: "branch-read-after-an-answer",
      promise: "an answer that tells what there is saves the read after it, of a branch too",
      file: "src/controllers/sections/field-section.ts",
      find: "const next = told ?? (await",
      replace: "const next = (await",
      killer: {
        project: "loopback",
        files: ["src/controllers/sections/every-setting.loopback.test.ts"],
        only: "of a Branch",
      },
    },
    {
      name: "section-that-waits-overdue-for-good",
      promise: "a section that waits for others is due for no drift check",
      file: "src/controllers/sections/carry-out.ts",
      find: "  turn.run.environment.sections.drop(turn.run.key, name);\n}",
      replace: "}",
      killer: { project: "loopback", files: ["src/controllers/sections/domains.loopback.test.ts"] },
    },
    {
      name: "drifted-section-holds-up-others",
      promise: "a section that is left as it is holds up nobody",
      file: "src/controllers/sections/run-sections.ts",
      find: 'entry?.state === "Applying" ||',
      replace: 'entry?.state === "Applying" || entry?.state === "Drifted" ||',
      killer: RESTS,
    },
    {
      name: "failed-section-holds-up-others",
      promise: "a section that failed holds up nobody",
      file: "src/controllers/sections/run-sections.ts",
      find: 'entry?.state === "Applying" ||',
      replace: 'entry?.state === "Applying" || entry?.state === "Failed" ||',
      killer: REFUSED,
    },
    {
      name: "recovery-asked-for-before-its-size",
      promise: "what needs a compute size comes after the one that the same spec declares",
      file: "src/controllers/sections/addons.ts",
      find: 'addons?.pitr !== undefined && addons.pitr !== "Off"',
      replace: 'addons?.pitr === "Off"',
      killer: REFUSED,
    },
    {
      name: "addon-given-up-before-its-hostname",
      promise: "an add-on goes after what needs it",
      file: "src/controllers/sections/addons.ts",
      find: "addons?.customDomain === false && customHostname?.absent === true",
      replace: "addons?.customDomain === false && customHostname?.hostname !== undefined",
      killer: REFUSED,
    },
    {
      name: "refused-addon-without-its-plans",
      promise: "a refusal names the plan or add-on that is needed, also of an add-on",
      file: "src/controllers/sections/addons.ts",
      find: "    needs,\n    hangsOn",
      replace: "    hangsOn",
      killer: REFUSED,
    },
    {
      name: "branch-configured-by-another-name",
      promise: "a Branch's ref takes the same sections as a project's",
      file: "src/controllers/branch/reconcile.ts",
      find: "const { project_ref: ref, id } = remote;",
      replace: "const { parent_project_ref: ref, id } = remote;",
      killer: {
        project: "loopback",
        files: ["test/sections/whole-spec.test.ts", "src/controllers/sections/every-setting.loopback.test.ts"],
        only: "Branch",
      },
    },
    {
      name: "drift-of-a-branch-unseen",
      promise: "what somebody changes of a Branch's section is put back",
      file: "src/controllers/branch/reconcile.ts",
      find: "runSections(run, { object, session: place.session, ref, policies, surroundings, others: drift });",
      replace:
        'runSections(run, { object, session: place.session, ref, policies: { ...policies, driftPolicy: { ...policies.driftPolicy, value: "Report" } }, surroundings, others: drift });',
      killer: {
        project: "loopback",
        files: ["src/controllers/sections/every-setting.loopback.test.ts"],
        only: "Branch",
      },
    },
  ],
};
