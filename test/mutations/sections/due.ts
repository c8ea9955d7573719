import type { Section } from "../mutant.ts";

const READY = "src/controllers/shared/ready.ts";
const CLOCKS = { project: "loopback", files: ["src/controllers/clocks-apart.loopback.test.ts"] } as const;
const OUTPUT_WRITE = "src/controllers/outputs/write.ts";
const DUE_TEST = "src/controllers/shared/due.loopback.test.ts";
const DUE_ELSEWHERE_TEST = "src/controllers/shared/due-elsewhere.loopback.test.ts";

/** engine.md §7: Ready of what is known not to be as declared, and the deadline of what never ends. */
export const due: Section = {
  sign: "§7",
  name: "due",
  mutants: [
    {
      name: "ready-though-known-to-differ",
      promise: "what a run found to differ, and could not write, is Ready no more",
      file: READY,
      find: '(!isDue || metric === "rateLimited")',
      replace: "metric !== undefined",
      killer: { project: "loopback", files: [DUE_TEST], only: "and cannot be written leaves no Ready" },
    },
    {
      name: "wait-for-budget-ends-ready",
      promise: "what waits for budget leaves Ready, since that is over within moments",
      file: READY,
      find: '(!isDue || metric === "rateLimited")',
      replace: "!isDue",
      killer: { project: "loopback", files: [DUE_TEST], only: "waits for budget" },
    },
    {
      name: "difference-not-noted",
      promise: "what is to be written is noted where that is decided, for each kind",
      file: "src/controllers/shared/drift.ts",
      find: "  run.noteDue(fieldsOf(write));\n",
      replace: "",
      killer: { project: "loopback", files: [DUE_ELSEWHERE_TEST], only: "the database password" },
    },
    {
      name: "what-a-policy-leaves-is-due",
      promise: "what a policy leaves as it is takes nothing from Ready",
      file: "src/controllers/shared/drift.ts",
      find: "run.noteDue(fieldsOf(write));",
      replace: "run.noteDue(fieldsOf(changes));",
      killer: { project: "loopback", files: [DUE_TEST], only: "a policy leaves" },
    },
    {
      name: "written-and-due-still",
      promise: "what was written is due no more, whatever fails after it",
      file: "src/controllers/shared/run.ts",
      find: "    this.noteDone(fields);\n",
      replace: "",
      killer: { project: "loopback", files: [DUE_TEST], only: "where that was written" },
    },
    {
      name: "redeployed-and-due-still",
      promise: "what was deployed for its environment is due no more, whatever fails after it",
      file: "src/controllers/edge-function/apply.ts",
      find: "  run.noteDone(fields);",
      replace: "  run.noteDone([]);",
      killer: { project: "loopback", files: [DUE_ELSEWHERE_TEST], only: "is due for that no more" },
    },
    {
      name: "output-read-for-want-of-budget",
      promise: "outputs are not read while their run waits for budget, which tells nothing of them",
      file: "src/controllers/outputs/publish.ts",
      find: 'kind === "rateLimited" ||',
      replace: "",
      killer: { project: "loopback", files: [DUE_ELSEWHERE_TEST], only: "its budget is spent" },
    },
    {
      name: "output-read-where-nothing-is-ready",
      promise: "outputs are not read again where Ready says already that something is not so",
      file: "src/controllers/outputs/publish.ts",
      find: 'ready?.status === "True" &&',
      replace: "ready !== undefined &&",
      killer: { project: "loopback", files: [DUE_ELSEWHERE_TEST], only: "what it is made of cannot be read" },
    },
    {
      name: "cut-off-run-forgets",
      promise: "of a run that is cut off, what it found is told all the same",
      file: "src/controllers/shared/pipeline.ts",
      find: "found.get(keyToString(key)) ?? new Set()",
      replace: "new Set<string>()",
      killer: { project: "loopback", files: [DUE_ELSEWHERE_TEST], only: "was cut off" },
    },
    {
      name: "missing-output-not-noted",
      promise: "an output that cannot be made again leaves no Ready",
      file: OUTPUT_WRITE,
      find: "  run.noteDue([kind.field]);\n  if (live === undefined) await create",
      replace: "  if (live === undefined) await create",
      killer: { project: "loopback", files: [DUE_ELSEWHERE_TEST], only: "cannot be made again" },
    },
    {
      name: "output-not-looked-at",
      promise: "an output is looked at though what it is made of cannot be read",
      file: "src/controllers/outputs/publish.ts",
      find: "      for (const { output, entries } of made) await noteIfDue(run, object, { ...output, entries, ...described });\n",
      replace: "",
      killer: { project: "loopback", files: [DUE_ELSEWHERE_TEST], only: "is gone" },
    },
    {
      name: "lost-key-of-output-not-seen",
      promise: "an output that lacks a key is not as it should be",
      file: OUTPUT_WRITE,
      find: "(!isWhole || lacks)",
      replace: "!isWhole",
      killer: { project: "loopback", files: [DUE_ELSEWHERE_TEST], only: "lacks a key" },
    },
    {
      name: "deadline-by-the-clock-of-the-node",
      promise:
        "a leader on a node whose clock is ahead takes over what was just begun, and waits for it as long as any other",
      file: "src/controllers/shared/underway.ts",
      find: "const nowMs = clusterNow(run.environment);",
      replace: "const nowMs = run.environment.clock.now();",
      killer: { ...CLOCKS, only: "counts what is under way" },
    },
    {
      name: "deadline-of-a-section-by-the-clock-of-the-node",
      promise: "so it does of sections",
      file: "src/controllers/sections/turn.ts",
      find: "return clusterNow(run.environment);",
      replace: "return run.environment.clock.now();",
      killer: { ...CLOCKS, only: "of a section" },
    },
  ],
};
