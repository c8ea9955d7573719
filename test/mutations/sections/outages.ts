import type { Section } from "../mutant.ts";

const IN = "src/controllers/sections";
const ONCE = { project: "loopback", files: [`${IN}/outage-once.loopback.test.ts`] } as const;

/** What a platform makes something else of, and is written with an outage. */
export const outages: Section = {
  sign: "ADR 20",
  name: "outages",
  mutants: [
    {
      name: "outage-repeated-in-vain",
      promise: "what interrupts what is served is written once, whatever the platform makes of it",
      file: `${IN}/in-vain.ts`,
      find: "(spent.includes(change.field) && look.restarts([change])) || ",
      replace: "",
      killer: { ...ONCE, only: "goes with one write" },
    },
    {
      name: "outage-forgotten-with-the-operator",
      promise: "an operator that starts repeats no outage",
      file: `${IN}/in-vain.ts`,
      find: 'entry.state === "InSync" ? []',
      replace: 'entry.state !== "Drifted" ? []',
      killer: { ...ONCE, only: "right after it" },
    },
    {
      name: "vain-writes-begun-anew-by-each-life",
      promise: "what was written three times in vain is not written by an operator that starts",
      file: `${IN}/in-vain.ts`,
      find: " || (isSame && stuck.includes(change))",
      replace: "",
      killer: { ...ONCE, only: "three times" },
    },
    {
      name: "asked-in-vain",
      promise: "who asks for a look has what was written in vain written anew",
      file: `${IN}/decide.ts`,
      find: "if (turn.isAsked) convergence",
      replace: "if (turn.at.isObserved) convergence",
      killer: { ...ONCE, only: "goes with one write" },
    },
    {
      name: "outage-kept-after-it-came-into-force",
      promise: "what came into force and is changed by hand is repaired as any",
      file: "src/controllers/sections/in-vain.ts",
      find: "recorded.filter((field) => after.changes.some((change) => change.field === field))",
      replace: "recorded",
      killer: { ...ONCE, only: "is repaired when somebody changes it" },
    },
  ],
};
