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
      find: "isHad ? withoutOwed(entry) : entry",
      replace: "entry",
      killer: { ...UNHEARD, only: "refused again as a whole" },
    },
    {
      name: "ask-had-with-each-write-that-the-token-may-not-make",
      promise: "an ask that was had is had once, also where the token does not have what it asks for",
      file: "src/controllers/sections/failing.ts",
      find: "decision !== undefined || isRefusal(error)",
      replace: 'decision?.write.length === 0 || outcome.kind === "transient" || isRefusal(error)',
      killer: { ...UNHEARD, only: "not taken for the token" },
    },
    {
      name: "failed-outage-sent-with-each-run",
      promise: "an outage that somebody asked for once is sent once, also where it fails",
      file: "src/controllers/sections/failing.ts",
      find: "decision !== undefined || isRefusal(error)",
      replace: '(decision !== undefined && outcome.kind === "terminal") || isRefusal(error)',
      killer: { ...UNHEARD, only: "an outage that fails" },
    },
    {
      name: "owed-without-the-echo",
      promise: "looks are owed in the same write of the status that says that the ask was heard",
      file: "src/controllers/shared/pipeline.ts",
      find: "  disownLooks(run);\n",
      replace: "",
      killer: { ...UNHEARD, only: "says nothing of the ask" },
    },
    {
      name: "earlier-ask-lost-by-a-run-untold",
      promise: "a run of which nobody is told leaves owed what an earlier ask is owed",
      file: "src/controllers/shared/owed-looks.ts",
      find: "owed.has(entry.name) ? entry",
      replace: "owed.size < 0 ? entry",
      killer: { ...UNHEARD, only: "leaves owed what an earlier ask" },
    },
  ],
};
