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
      file: "src/controllers/shared/pipeline.ts",
      find: '(lane === "progress" && environment.driftChecks.isDue(object))',
      replace: "false",
      killer: BESIDE,
    },
    {
      name: "each-sooner-look-a-drift-check",
      promise: "a look for something that is in the way looks at that alone",
      file: "src/controllers/shared/drift-checks.ts",
      find: "this.#clock.monotonic() - atMs >= intervalMs",
      replace: "this.#clock.monotonic() >= atMs",
      killer: { ...BESIDE, only: "which is that alone" },
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
