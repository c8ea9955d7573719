import type { Section } from "../mutant.ts";

const UNHEARD = { project: "loopback", files: ["src/controllers/sections/asked-unheard.loopback.test.ts"] } as const;

/** What somebody asks for by `baas.dev/reconcile-at` while sections cannot be looked at (engine.md §6). */
export const askedLooks: Section = {
  sign: "ADR 20",
  name: "asked-looks",
  mutants: [
    {
      name: "ask-spent-by-a-run-that-looks-at-nothing",
      promise: "who asks for a look while a project is not up has it once it is",
      file: "src/controllers/shared/pipeline.ts",
      find: "if (run.isAsked) oweLooks(run);",
      replace: "",
      killer: { ...UNHEARD, only: "is asked for once after that" },
    },
    {
      name: "ask-spent-by-a-look-that-fails",
      promise: "who asks for a look while a section cannot be looked at has it once that can be",
      file: "src/controllers/sections/entries.ts",
      find: "...(owed === undefined ? {} : { owed }),",
      replace: "",
      killer: { ...UNHEARD, only: "is asked for once after that" },
    },
    {
      name: "refused-not-asked-for-by-an-owed-look",
      promise: "what was refused is asked for again by a look that was asked for and came later",
      file: "src/controllers/sections/refusal-memory.ts",
      find: "isAskedFor(turn, name) ||",
      replace: "turn.isAsked ||",
      killer: { ...UNHEARD, only: "is asked for once after that" },
    },
    {
      name: "owed-look-left-to-the-drift-check",
      promise: "a section that is owed a look is looked at as soon as it can be",
      file: "src/controllers/sections/run-sections.ts",
      find: " || isAskedFor(turn, section.name)",
      replace: "",
      killer: { ...UNHEARD, only: "changed by hand before a pause" },
    },
    {
      name: "owed-look-repairs-nothing-with-an-outage",
      promise:
        "what only an outage repairs of an unwell project is repaired for who asked before it could be looked at",
      file: "src/controllers/sections/decide.ts",
      find: "isAskedFor(turn, section.name)",
      replace: "turn.isAsked",
      killer: { ...UNHEARD, only: "what only an outage repairs" },
    },
    {
      name: "ask-had-with-each-look-at-what-is-refused",
      promise: "an ask that was had is had once, also where the platform refuses all of a section again",
      file: "src/controllers/sections/failing.ts",
      find: "isRefusal(error) ? withoutOwed(entry) : entry",
      replace: "entry",
      killer: { ...UNHEARD, only: "refused again as a whole" },
    },
  ],
};
