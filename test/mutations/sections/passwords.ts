import type { Section } from "../mutant.ts";

const CREATE = "src/controllers/project/create.ts";
const APPLY = "src/controllers/project/apply.ts";
const DOUBT = { project: "loopback", files: ["src/controllers/project/password-in-doubt.loopback.test.ts"] } as const;
const AGAIN = { project: "loopback", files: ["src/controllers/project/password-refused.loopback.test.ts"] } as const;
const CYCLE = { project: "loopback", files: ["src/controllers/project/password-cycle.loopback.test.ts"] } as const;

/** engine.md §4 and §6, the database password: what no answer confirmed counts for nothing. */
export const passwords: Section = {
  sign: "§4",
  name: "passwords",
  mutants: [
    {
      name: "password-recorded-after-the-post",
      promise:
        "what a project is created with is recorded before the POST: its Secret may be another one by the next look",
      file: CREATE,
      find: "run.status.update({ intent, databasePassword, connection: connectionInUse(session) });",
      replace: "run.status.update({ intent, connection: connectionInUse(session) });\n        void databasePassword;",
      killer: { ...DOUBT, only: "is sent nothing more" },
    },
    {
      name: "password-of-the-latest-post-counts",
      promise: "of two passwords that may both have arrived neither is taken for the project's",
      file: CREATE,
      find: "ownIntent(run) !== undefined);",
      replace: "false && ownIntent(run) !== undefined);",
      killer: { ...DOUBT, only: "of two passwords" },
    },
    {
      name: "password-of-a-refused-retry-counts",
      promise: "a refused request leaves the password of the one before it, which may have arrived",
      file: CREATE,
      find: "intent === undefined ? undefined : passwordBefore",
      replace: "intent === undefined ? undefined : run.status.current.databasePassword",
      killer: { ...DOUBT, only: "whatever a later one was refused with" },
    },
    {
      name: "password-of-a-refused-post-counts",
      promise: "what was refused leaves no password for an existing project that is named then",
      file: CREATE,
      find: "run.status.update({ intent, databasePassword: intent === undefined ? undefined : passwordBefore }),",
      replace: "run.status.update({ intent }),",
      killer: { ...DOUBT, only: "leaves no password" },
    },
    {
      name: "unheard-password-taken-for-the-one-before",
      promise: "a password whose answer was lost may be in force: the one before, declared again, is sent again",
      file: APPLY,
      find: "if (before?.sent !== undefined) status",
      replace: "if (before === undefined) status",
      killer: { ...DOUBT, only: "taken back" },
    },
    {
      name: "refused-password-in-doubt",
      promise: "a password that was refused leaves the one before in force: it is not sent again",
      file: APPLY,
      find: "        status.update({ databasePassword: before });\n",
      replace: "",
      killer: { ...DOUBT, only: "sends nothing where" },
    },
    {
      name: "refused-password-recorded-for-ever",
      promise: "a password that is refused in the same words writes no status, whatever it is refused with",
      file: "src/controllers/shared/send-recorded.ts",
      find: "    if (!isNews) for (const field of untold) status.leave(field);\n",
      replace: "",
      killer: { ...AGAIN, only: "is told once and written no more" },
    },
    {
      name: "refused-password-forgotten-by-the-next-run",
      promise: "what is recorded of a password and known to have been refused leaves the one before in force",
      file: "src/controllers/shared/pipeline.ts",
      find: "status.recall(untold);",
      replace: "void untold;",
      killer: { ...AGAIN, only: "leaves the one before in force" },
    },
    {
      name: "unknown-restoration-forgets-nothing",
      promise: "after a restoration that may have happened, what no read tells is sent once more",
      file: "src/controllers/project/requests.ts",
      find: "ended: ({ verb, sentAt }: Recorded): void => {\n      if (",
      replace: 'ended: ({ verb, sentAt, state }: Recorded): void => {\n      if (state !== "Unknown" && ',
      killer: { project: "loopback", files: ["src/controllers/project/restored-unheard.loopback.test.ts"] },
    },
    {
      name: "password-of-an-output",
      promise:
        "an output is no source of a password: of two projects with each other's both would be rotated without end",
      file: "src/controllers/project/password.ts",
      find: "!wasOutput(secret.metadata))",
      replace: "!wasOutput(secret.metadata) || name !== secret.metadata.uid)",
      killer: { ...CYCLE, only: "an output is no source" },
    },
    {
      name: "rotations-without-end",
      promise: "what is another one again and again is written no more, and the object says so",
      file: "src/controllers/shared/convergence.ts",
      find: "const MOST_ROTATIONS = 60;",
      replace: "const MOST_ROTATIONS = 6_000_000;",
      killer: { ...CYCLE, only: "ends, and says so" },
    },
    {
      name: "rotations-held-for-ever",
      promise: "what was another one too often is written again when that hour is over",
      file: "src/controllers/shared/convergence.ts",
      find: "< seen.rotatingSince + ROTATIONS_MS;",
      replace: "< seen.rotatingSince + 1000 * ROTATIONS_MS;",
      killer: { project: "unit", files: ["src/controllers/shared/convergence.test.ts"], only: "sixty times within" },
    },
    {
      name: "rotation-never-sent",
      promise: "what was another one too often is written when that hour is over, whatever the drift policy",
      file: "src/controllers/shared/drift.ts",
      find: "if (againInMs !== undefined) environment",
      replace: "if (againInMs === 0) environment",
      killer: { ...CYCLE, only: "where no drift check comes" },
    },
    {
      name: "rotation-tried-too-early",
      promise: "the end of the hour is told as long as it lasts",
      file: "src/controllers/shared/convergence.ts",
      find: "rotatingSince + ROTATIONS_MS - this.#clock.now());",
      replace: "ROTATIONS_MS);",
      killer: { project: "unit", files: ["src/controllers/shared/convergence.test.ts"], only: "sixty times within" },
    },
    {
      name: "password-lost-untold",
      promise: "where a project is kept and its namespace goes, the generated password that goes with that is told",
      file: "src/controllers/project/finalize.ts",
      find: "if (databasePassword?.generated !== true) return undefined;",
      replace: "if (databasePassword?.generated !== false) return undefined;",
      killer: { project: "loopback", files: ["src/controllers/shared/retained.loopback.test.ts"] },
    },
    {
      name: "kept-password-told-lost",
      promise: "a generated password outlives its object where the namespace stays, and is not told to be lost",
      file: "src/controllers/shared/releases.ts",
      find: "lostWithNamespace !== undefined && namespace?.metadata.deletionTimestamp !== undefined;",
      replace: "lostWithNamespace !== undefined;",
      killer: { project: "loopback", files: ["src/controllers/shared/retained.loopback.test.ts"] },
    },
  ],
};
