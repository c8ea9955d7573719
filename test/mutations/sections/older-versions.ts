import type { Section } from "../mutant.ts";

const OLDER_TEST = "src/controllers/sections/older-version.loopback.test.ts";

/** What older versions of this program recorded of sections (ADR 20). */
export const olderVersions: Section = {
  sign: "ADR 20",
  name: "older-versions",
  mutants: [
    {
      name: "upgrade-takes-drift-for-an-edit",
      promise:
        "a difference is drift where what is declared was in force, also under the name that a section had in an older version",
      file: "src/controllers/sections/former-sections.ts",
      find: "if (formerly === undefined || before === undefined)",
      replace: "if (formerly !== undefined)",
      killer: { project: "loopback", files: [OLDER_TEST] },
    },
    {
      name: "section-of-an-older-version-in-force-as-another",
      promise: "what is declared otherwise than it was in force is an edit, also of a section that had another name",
      file: "src/controllers/sections/former-sections.ts",
      find: "before !== digestOf(formerly.declared(spec))",
      replace: 'before === ""',
      killer: { project: "loopback", files: [OLDER_TEST] },
    },
    {
      name: "former-name-forgotten",
      promise: "every name that a section ever had is known",
      file: "src/controllers/sections/addons.ts",
      find: "    formerly: FORMERLY,\n",
      replace: "",
      killer: { project: "unit", files: ["src/controllers/sections/former-sections.test.ts"] },
    },
  ],
};
