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
  ],
};
