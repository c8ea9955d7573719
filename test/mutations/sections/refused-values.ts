import type { Section } from "../mutant.ts";

const REFUSED_DATA = {
  project: "loopback",
  files: ["src/controllers/sections/refused-data.loopback.test.ts"],
} as const;

const DRAWN = {
  project: "loopback",
  files: ["test/sections/refused-draws.test.ts"],
  only: "nothing that chance",
} as const;

const AGAIN = { project: "loopback", files: ["src/controllers/sections/asked-again.loopback.test.ts"] } as const;
const REQUESTS = { project: "loopback", files: ["test/sections/refused-requests.test.ts"] } as const;

/** What a refusal hangs on of the Secrets and ConfigMaps that a section is made of (ADR 20). */
export const refusedValues: Section = {
  sign: "ADR 20",
  name: "refused-values",
  mutants: [
    {
      name: "refusal-hangs-on-versions",
      promise: "another version of a Secret or ConfigMap with the same values asks for nothing that was refused",
      file: "src/controllers/sections/inputs.ts",
      find: "  { texts }: Inputs,\n",
      replace:
        "  { secrets, documents, marked: texts = new Map<unknown, unknown>([...secrets, ...documents.entries()]) }: " +
        "Inputs & { readonly marked?: ReadonlyMap<unknown, unknown> },\n",
      killer: { ...REFUSED_DATA, only: "other annotations" },
    },
    {
      name: "refusal-hangs-on-no-values",
      promise: "another value in a Secret or ConfigMap has what was refused of its section asked for at once",
      file: "src/controllers/sections/refusal-memory.ts",
      find: 'made.told === "same"',
      replace: "true",
      killer: { ...REFUSED_DATA, only: "asked for at once" },
    },
    {
      name: "refusal-hangs-on-all-values",
      promise: "a Secret that is rotated beside what was refused is written without it",
      file: "src/controllers/sections/inputs.ts",
      find: "fields?.includes(fieldOf(path)) ?? true",
      replace: "fields?.includes(fieldOf(path)) !== null",
      killer: { ...REFUSED_DATA, only: "beside them" },
    },
    {
      name: "refusal-of-values-that-were-not-sent",
      promise: "a value that came while another one was refused is asked for",
      file: "src/controllers/sections/refusal-memory.ts",
      find: "look === undefined ? section",
      replace: "look === undefined || section.madeOf !== undefined ? section",
      killer: { ...REFUSED_DATA, only: "while the platform refuses" },
    },
    {
      name: "least-size-refused",
      promise: "no value is refused here that is as it is asked for",
      file: "src/resources/settings/builders.ts",
      find: "bytes >= least &&",
      replace: "bytes > least &&",
      killer: DRAWN,
    },
    {
      name: "number-of-its-own-meaning-refused",
      promise: "no number is refused here that the words name",
      file: "src/resources/settings/postgres-values.ts",
      find: "bare.includes(value)",
      replace: "value === 0",
      killer: DRAWN,
    },
    {
      name: "rule-beyond-its-words",
      promise: "no rule over several members refuses more than it says",
      file: "src/resources/settings/auth/auth.ts",
      find: 'unit !== "Percent" || maxSize === undefined',
      replace: "maxSize === undefined",
      killer: DRAWN,
    },
    {
      name: "refused-name-unsaid",
      promise: "what the platform refuses of a manifest is named by its path there",
      file: "src/controllers/project/apply.ts",
      find: "projects.update({ ref, body: { name } }, run.call), [change.field]",
      replace: "projects.update({ ref, body: { name } }, run.call)",
      killer: { ...REQUESTS, only: "another name" },
    },
    {
      name: "refused-creation-unsaid",
      promise: "what is declared of a project that the platform refuses to make is named",
      file: "src/controllers/project/create.ts",
      find: '"highAvailability", "templateUrl"]',
      replace: '"highAvailability"]',
      killer: { ...REQUESTS, only: "a new project, with all" },
    },
    {
      name: "refused-branch-unsaid",
      promise: "what is declared of a branch that the platform refuses to change is named",
      file: "src/controllers/branch/patch.ts",
      find: "branches.update(input, options), fields)",
      replace: "branches.update(input, options), fields?.slice(1))",
      killer: { ...REQUESTS, only: "settings of a branch" },
    },
    {
      name: "refused-function-asked-for-by-defaults",
      promise: "of what is refused of a function, no member is named that nobody declared",
      file: "src/controllers/edge-function/apply.ts",
      find: "CARRIED, FUNCTION_DEFAULTS)",
      replace: "CARRIED)",
      killer: { ...REQUESTS, only: "a new function" },
    },
    {
      name: "name-of-a-refused-function-unsaid",
      promise: "what gave a function its slug is named where the platform refuses it",
      file: "src/controllers/edge-function/apply.ts",
      find: '[nameFrom(object.spec, "slug"), ...carried]',
      replace: "carried",
      killer: { ...REQUESTS, only: "a new function" },
    },
    {
      name: "refusal-that-may-pass-frozen-beside-a-plan",
      promise:
        "what is refused in words of no field is asked for again every hour, also beside what the plan does not allow",
      file: "src/controllers/sections/write-allowed.ts",
      find: "gates.size > 0 ? writeUngated(unnamed, write)",
      replace: "gates.size < 0 ? writeUngated(unnamed, write)",
      killer: { ...AGAIN, only: "in words of no field beside" },
    },
    {
      name: "files-asked-for-every-hour",
      promise: "a size of files that the plan does not have is not asked for again until something changes",
      file: "src/controllers/sections/merge-sections.ts",
      find: "> FREE_FILE_SIZE ? LARGE_FILE_PLANS : undefined",
      replace: "> FREE_FILE_SIZE && LARGE_FILE_PLANS.length === 0 ? LARGE_FILE_PLANS : undefined",
      killer: { ...AGAIN, only: "as a bad value is" },
    },
    {
      name: "plan-of-refused-files-unsaid",
      promise: "a refusal as of a bad value names the plans that would do, where the organization has none of them",
      file: "src/controllers/sections/refusal.ts",
      find: "const isShort = plan !== undefined && ",
      replace: "const isShort = plan === null && ",
      killer: { ...AGAIN, only: "as a bad value is" },
    },
    {
      name: "plan-named-for-small-files",
      promise: "no plan is said to be needed for a size of files that the organization's has",
      file: "src/controllers/sections/merge-sections.ts",
      find: "Number(value) > FREE_FILE_SIZE",
      replace: "Number(value) > 0",
      killer: { ...AGAIN, only: "no value that the plan has" },
    },
  ],
};
