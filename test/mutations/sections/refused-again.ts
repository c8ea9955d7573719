import type { Section } from "../mutant.ts";

const SENDING = "src/controllers/sections/sending.ts";
const TRIES = "src/controllers/sections/vain-tries.ts";
const AGAIN = {
  project: "loopback",
  files: ["src/controllers/sections/refused-again.loopback.test.ts"],
} as const;

const BESIDE = {
  project: "loopback",
  files: ["src/controllers/sections/beside-other-looks.loopback.test.ts"],
} as const;

const SHARE = { project: "loopback", files: ["src/controllers/sections/drift-share.loopback.test.ts"] } as const;
const RUN_SECTIONS = "src/controllers/sections/run-sections.ts";
const REFUSALS = "src/controllers/sections/refusal-memory.ts";
const OUTPUT = "src/controllers/outputs/write.ts";
const OF_CHECKS = { project: "unit", files: ["src/controllers/shared/drift-checks.test.ts"] } as const;
const CHECKS = "src/controllers/shared/drift-checks.ts";
const PIPELINE = "src/controllers/shared/pipeline.ts";
const RUN = "src/controllers/shared/run.ts";

/** ADR 20: what is refused again and again. */
export const refusedAgain: Section = {
  sign: "ADR 20",
  name: "refused-again",
  mutants: [
    {
      name: "refused-try-gives-up-what-is-in-force",
      promise: "of an edit that is refused again and again the status says what is in force, whatever life reads it",
      file: SENDING,
      find: "const told = isAgain ? ",
      replace: "const told = isAgain && known.length === 0 ? ",
      killer: { ...AGAIN, only: "leaves what a hand did" },
    },
    {
      name: "drift-check-put-off-by-sooner-looks",
      promise: "what is looked at time and again for something else comes to its drift checks all the same",
      file: CHECKS,
      find: "nowMs - last.begunAtMs >= intervalMs",
      replace: "nowMs - last.begunAtMs === Infinity",
      killer: { ...BESIDE, only: "by the drift check while|fails since it was edited" },
    },
    {
      name: "each-sooner-look-a-drift-check",
      promise: "a look for something that is in the way looks at that alone",
      file: CHECKS,
      find: "nowMs - last.begunAtMs >= intervalMs",
      replace: "nowMs >= last.begunAtMs",
      killer: { ...BESIDE, only: "which is that alone" },
    },
    {
      name: "drift-check-counted-from-its-end",
      promise: "a drift check is due when what it looked at first is",
      file: CHECKS,
      find: "this.#open.delete(check);\n  }\n\n  isOverdue",
      replace:
        "this.#open.delete(check);\n    Object.assign(check, { begunAtMs: this.#clock.monotonic() });\n  }\n\n  isOverdue",
      killer: { ...OF_CHECKS, only: "however long it took" },
    },
    {
      name: "first-look-of-a-process-no-drift-check",
      promise: "the first look of a process looks at everything, in whatever lane it comes",
      file: CHECKS,
      find: "last === undefined || nowMs",
      replace: "last !== undefined && nowMs",
      killer: { ...BESIDE, only: "first look of a process" },
    },
    {
      name: "refused-amid-a-wait-never-asked-again",
      promise: "where drift is ignored, too, what the plan refused is asked for again, whatever else goes on",
      file: CHECKS,
      find: "sections.some(isRefusedEntry)",
      replace: "sections.every(isRefusedEntry)",
      killer: { ...BESIDE, only: "drift is ignored" },
    },
    {
      name: "drift-check-repeated-with-its-failure",
      promise: "a drift check of which something fails is repeated for that alone",
      file: PIPELINE,
      find: 'lane === "drift" && context.failures === 0',
      replace: 'lane === "drift"',
      killer: { ...BESIDE, only: "is not repeated" },
    },
    {
      name: "failed-drift-check-goes-on-for-ever",
      promise: "a drift check ends with the run that came to its end, whatever failed in it",
      file: PIPELINE,
      find: "if (!CUTS_OFF.has(outcome.kind)) run.check.end();",
      replace: "",
      killer: { ...BESIDE, only: "which is that alone" },
    },
    {
      name: "drift-check-lost-with-a-run-that-came-to-nothing",
      promise: "a run that ended before it looked at anything was no drift check",
      file: CHECKS,
      find: "    this.#begin = begin;\n",
      replace: "    this.#begin = begin;\n    this.begin();\n",
      killer: { ...BESIDE, only: "before it came to anything" },
    },
    {
      name: "drift-looked-for-at-the-cost-of-others",
      promise: "what is looked at for a drift check alone spends the share of drift, whatever the run is for",
      file: RUN,
      find: 'isAsked || check.isOverdue || lane === "drift" ? call',
      replace: "isAsked || check.isOverdue || lane.length > 0 ? call",
      killer: { ...BESIDE, only: "spends the share" },
    },
    {
      name: "drift-check-begun-anew-for-want-of-budget",
      promise: "a drift check goes on with what it had no budget for, and is due for no more",
      file: RUN_SECTIONS,
      find: ": check.isDue(section.name);\n  return isDue",
      replace: ": check.made !== undefined;\n  return isDue",
      killer: { ...BESIDE, only: "goes on in the next run" },
    },
    {
      name: "write-of-a-drift-check-lost-for-want-of-budget",
      promise: "what a drift check writes is told and counted, also where its share is spent right then",
      file: RUN_SECTIONS,
      find: "    ({ call } = at);\n",
      replace: "",
      killer: { ...SHARE, only: "goes with that" },
    },
    ...[
      { what: "refusal", file: REFUSALS, find: "  check.looked(what);\n", replace: "", only: "looked into" },
      {
        what: "look-that-may-pass",
        file: RUN_SECTIONS,
        find: "    run.check.looked(section.name);\n",
        replace: "",
        only: "what may pass",
      },
      {
        what: "share-of-what-may-pass",
        file: RUN_SECTIONS,
        find: 'isForDrift = resting.kind === "section" || ',
        replace: "isForDrift = ",
        only: "what may pass",
      },
      {
        what: "moment-of-what-may-pass",
        file: RUN_SECTIONS,
        find: "return putOffMs ?? [];",
        replace: "return [];",
        only: "what may pass",
      },
      {
        what: "contested-output",
        file: OUTPUT,
        find: "  run.check.looked(part);\n",
        replace: "",
        only: "taken back once",
      },
      {
        what: "output-without-a-section",
        file: OUTPUT,
        find: "!run.check.isDue(part)",
        replace: "(run.check.begin(), !run.check.isDue(part))",
        only: "comes to no section",
      },
    ].map(({ what, only, ...change }) => ({
      name: `drift-check-in-many-runs-${what}`,
      promise:
        "a drift check that waits for budget looks at all else once, in its share and in time, and begins with the sections",
      ...change,
      killer: { ...SHARE, only },
    })),
    {
      name: "drift-checks-of-the-gone-kept",
      promise: "nothing is remembered of an object that is gone, also where it went during its run",
      file: PIPELINE,
      find: "        environment.driftChecks.forget(key);\n",
      replace: "",
      killer: { ...BESIDE, only: "deleted meanwhile" },
    },
    {
      name: "another-edit-taken-for-the-refused-one",
      promise: "an edit that was not refused yet is in doubt once it is sent, whatever was refused before it",
      file: TRIES,
      find: "digestOf([memory, due.map(({ field, difference }) => [field, difference])])",
      replace: "digestOf([memory.length, due.map(({ field }) => field)])",
      killer: { ...AGAIN, only: "as another edit" },
    },
    {
      name: "lost-answer-leaves-a-try-refused",
      promise: "what was refused before its last answer was lost is in doubt when it is sent again",
      file: TRIES,
      find: "attempts: [] });",
      replace: "attempts: this.#memory.vain(this.#key, this.#uid, name) });",
      killer: { ...AGAIN, only: "whose last answer was lost" },
    },
    {
      name: "busy-platform-taken-for-a-refusal",
      promise: "what was not taken since the platform is busy may be taken any time, and is recorded for each try",
      file: "src/controllers/sections/carry-out.ts",
      find: 'if (turn.records.end(section.name)?.state === "Failed") turn.tries',
      replace: 'if (turn.records.end(section.name)?.state !== "InSync") turn.tries',
      killer: { ...AGAIN, only: "is busy" },
    },
    {
      name: "refused-secret-counts-as-the-one-before",
      promise: "the hash of a secret that is sent again is given up, though it was refused: no read tells it",
      file: SENDING,
      find: "[{ ...entry, secrets }];",
      replace: "[];",
      killer: { ...AGAIN, only: "of a secret all the same" },
    },
    {
      name: "second-request-of-what-was-refused-unrecorded",
      promise: "once a refused edit is taken at last, it is in doubt before the next request of it",
      file: "src/controllers/sections/section-records.ts",
      find: " && !this.#unstored.has(name);",
      replace: ";",
      killer: { ...AGAIN, only: "before the next request of it" },
    },
    {
      name: "refused-restart-awaited",
      promise:
        "what was refused awaits no restart of the database: a life that believed it would restart it for nothing",
      file: "src/controllers/sections/sending.ts",
      find: '    isActedOn: "awaitsRestart" in sending.noted,\n',
      replace: "",
      killer: {
        project: "loopback",
        files: ["src/controllers/sections/restarts-refused.loopback.test.ts"],
        only: "refused again and again",
      },
    },
    {
      name: "refused-restart-never-asked-for",
      promise: "a restart that was refused is not said to have been asked for, however often it is refused",
      file: "src/controllers/sections/restart-for.ts",
      find: "        isActedOn: true,\n",
      replace: "",
      killer: {
        project: "loopback",
        files: ["src/controllers/sections/restarts-died.loopback.test.ts"],
        only: "again and again",
      },
    },
  ],
};
