import type { Section } from "../mutant.ts";

const NULLS = { project: "unit", files: ["src/controllers/sections/every-null.test.ts"] } as const;

/** What the platform takes as null can be declared. */
export const nulls: Section = {
  sign: "ADR 20",
  name: "nulls",
  mutants: [
    {
      name: "automatic-as-a-number",
      promise: "what is left to the platform is null to it, and no number",
      file: "src/resources/settings/automatic.ts",
      find: 'typeof parsed === "number" ? parsed : null',
      replace: 'typeof parsed === "number" ? parsed : 0',
      killer: NULLS,
    },
    {
      name: "any-word-is-automatic",
      promise: "a word that is none is refused, and told what to write",
      file: "src/resources/settings/automatic.ts",
      find: "value === AUTOMATIC)",
      replace: "value !== min)",
      killer: { project: "unit", files: ["src/resources/settings/automatic.test.ts"] },
    },
    {
      name: "choice-of-none-dropped",
      promise: "what a request takes as null can be declared so",
      file: "src/resources/settings/auth/security.ts",
      find: "    None: null,\n",
      replace: "",
      killer: NULLS,
    },
    {
      name: "unset-moment-differs-for-ever",
      promise: "a moment that is unset is the same as an answer of null",
      file: "src/resources/settings/builders.ts",
      find: "isSameWire(wanted, observed) || at(wanted)",
      replace: "at(wanted)",
      killer: NULLS,
    },
  ],
};
