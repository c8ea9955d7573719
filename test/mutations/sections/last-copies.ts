import type { Section } from "../mutant.ts";

const MADE_OF = "src/controllers/outputs/made-of.ts";
const MARKS = "src/controllers/outputs/marks.ts";
const PLAN = "src/controllers/outputs/plan.ts";
const LAST_COPY_TEST = { project: "loopback", files: ["src/controllers/outputs/last-copy.loopback.test.ts"] } as const;

/** What an output holds that cannot be told any more (engine.md §4). */
export const lastCopies: Section = {
  sign: "§4",
  name: "last copies in outputs",
  mutants: [
    {
      name: "unmarked-output-is-anothers",
      promise: "an output that an older version left unmarked is of the project that there is",
      file: MARKS,
      find: "if (marked !== undefined) return marked === ref;",
      replace: "return marked === ref;",
      killer: { ...LAST_COPY_TEST, only: "an older version left unmarked" },
    },
    {
      name: "unmarked-output-is-of-any",
      promise: "an unmarked output that is older than the project is of another",
      file: MARKS,
      find: "return !(Date.parse(creationTimestamp) + CLOCKS_APART_MS < Date.parse(createdAt));",
      replace: "return createdAt !== creationTimestamp;",
      killer: { ...LAST_COPY_TEST, only: "older than the project itself" },
    },
    {
      name: "edit-voids-the-last-copy",
      promise: "another text beside it takes no last copy away",
      file: PLAN,
      find: "live.changed.isDisjointFrom(sources)",
      replace:
        '[...wanted].every(([key, one]) => one.looked.kind !== "known" || live.entries.get(key) === one.looked.value)',
      killer: { ...LAST_COPY_TEST, only: "somebody edits what is beside it" },
    },
    {
      name: "void-copy-stays",
      promise: "what was made of what has changed goes, whatever the texts beside it say",
      file: MADE_OF,
      find: 'if (told === "changed") changed.add(source);',
      replace: 'if (told === "unknown") changed.add(source);',
      killer: { ...LAST_COPY_TEST, only: "no other entry tells" },
    },
    {
      name: "fact-forgotten-while-unread",
      promise: "what cannot be told now is compared with what it was when it was known last",
      file: MADE_OF,
      find: "facts.get(source) ?? before.get(source)",
      replace: "facts.get(source)",
      killer: { project: "unit", files: ["src/controllers/outputs/made-of.test.ts"] },
    },
  ],
};
