import type { Section } from "../mutant.ts";

const ANEW = "src/controllers/requests/same-state-anew.loopback.test.ts";
const ROOT_KEY = "src/controllers/requests/replace-root-key.loopback.test.ts";
const ROOT_KEY_FILE = "src/controllers/requests/replace-root-key.ts";
const OF_REF = "src/controllers/requests/of-ref.ts";
const LOST_MERGE = "src/controllers/branch/lost-merge.loopback.test.ts";
const WORK = "src/controllers/branch/work.ts";
const RESET = "src/controllers/branch/reset.loopback.test.ts";
const OF_BRANCH = "src/controllers/branch/requests.ts";
const OF_PROJECT = "src/controllers/project/requests.ts";

const SAME_STATE = "sent again only where the very state from before the request stands";
const OWN_EFFECT = "of a lost answer its own effect is looked for, and nobody else's";
const ANOTHER_DATABASE = "nothing is remembered of a database that may be another one";
const MEANT = "a root key is replaced by the one that was declared when that was asked for";

/** engine.md §4: requests whose answer was lost, and what others did since. */
export const lostAnswers: Section = {
  sign: "§4",
  name: "lost-answers",
  mutants: [
    ...[
      { part: "name", replace: 'name: "", fingerprint, time: new Date(request.serverNow()).toISOString(), uid' },
      { part: "fingerprint", replace: 'name, fingerprint: "", time: new Date(request.serverNow()).toISOString(), uid' },
      { part: "server-time", replace: "name, fingerprint, time: new Date().toISOString(), uid" },
    ].map(({ part, replace }) => ({
      name: `intent-without-its-${part}`,
      promise: `the intent (name, fingerprint, server time, object uid) is recorded: its ${part}`,
      file: "src/controllers/shared/create-once.ts",
      find: "name, fingerprint, time: new Date(request.serverNow()).toISOString(), uid",
      replace,
      killer: { project: "unit" as const, files: ["src/controllers/shared/create-once-doubt.test.ts"] as const },
    })),
    {
      name: "addresses-banned-since-let-in",
      promise: SAME_STATE,
      file: OF_REF,
      find: "return bansDigest(left) === before ? ABSENT : ",
      replace: "return before !== undefined ? ABSENT : ",
      killer: { project: "loopback", files: [ANEW], only: "to let addresses in" },
    },
    {
      name: "writes-let-in-once-more",
      promise: "sent again only where its effect is certainly absent: not where that would be over",
      file: OF_REF,
      find: "return at.nowMs >= sentMs + OVERRIDE_MS - INTENT_MARGIN_MS || ",
      replace: "return ",
      killer: { project: "loopback", files: [ANEW], only: "to let a database write" },
    },
    {
      name: "restoration-of-somebody-cancelled",
      promise: "sent again only where a second time takes nothing away that somebody began since",
      file: OF_PROJECT,
      find: "begun by then.\n  repeats: false,",
      replace: "begun by then.\n  repeats: true,",
      killer: { project: "loopback", files: [ANEW], only: "to cancel a restoration" },
    },
    {
      name: "deletion-scheduled-since-taken-back",
      promise: SAME_STATE,
      file: OF_BRANCH,
      find: "return branch.deletion_scheduled_at === before ? ABSENT : ",
      replace: "return before !== undefined ? ABSENT : ",
      killer: { project: "loopback", files: [ANEW], only: "to keep a branch" },
    },
    {
      name: "root-key-of-somebody-replaced",
      promise: SAME_STATE,
      file: ROOT_KEY_FILE,
      find: "    if (!(await rootKey.isMarkOf(before, there))) return traceless(REPLACED_SINCE);\n",
      replace: "",
      killer: { project: "loopback", files: [ANEW], only: "to replace a root key" },
    },
    {
      name: "another-root-key-sent",
      promise: MEANT,
      file: ROOT_KEY_FILE,
      find: "if (await rootKey.isMarkOf(meant, wanted)) return NOW;",
      replace: "if (meant.length > 0) return NOW;",
      killer: { project: "loopback", files: [ROOT_KEY], only: "is refused once the Secret holds another one" },
    },
    {
      name: "meaning-lost-with-a-refused-try",
      promise: MEANT,
      file: "src/controllers/requests/records.ts",
      find: "before: ___, ...record }",
      replace: "before: ___, meant: ____, ...record }",
      killer: { project: "loopback", files: [ROOT_KEY], only: "is refused once the Secret holds another one" },
    },
    {
      name: "meaning-read-anew-by-each-run",
      promise: MEANT,
      file: "src/controllers/requests/first-sight.ts",
      find: "...(await meantBy(run, meanings, one)), ...one }",
      replace: "...one, ...(await meantBy(run, meanings, { ...one, meant: undefined })) }",
      killer: { project: "loopback", files: [ROOT_KEY], only: "is refused once the Secret holds another one" },
    },
    {
      name: "hour-begins-anew-with-a-lost-answer",
      promise: "what could not be sent for more than an hour is never sent, whatever was tried meanwhile",
      file: "src/controllers/requests/follow.ts",
      find: "ledger.put(untried(record));",
      replace: "ledger.put({ ...untried(record), askedAt: ledger.now });",
      killer: {
        project: "loopback",
        files: ["src/controllers/project/unsent-requests.loopback.test.ts"],
        only: "for what was lost",
      },
    },
    {
      name: "run-of-another-record-taken-for-ours",
      promise: OWN_EFFECT,
      file: WORK,
      find: "others.some((other) => other.run?.id === id || (",
      replace: "others.some((other) => other.run?.id === `${id}?` || (",
      killer: { project: "loopback", files: [LOST_MERGE], only: "another object's record" },
    },
    {
      name: "one-run-taken-for-either",
      promise: OWN_EFFECT,
      file: WORK,
      find: "(isMergeInDoubt(other) && branch !== at.branchId)",
      replace: "(isMergeInDoubt(other) && branch === at.branchId)",
      killer: { project: "loopback", files: [LOST_MERGE], only: "two are in doubt" },
    },
    {
      name: "later-run-taken-for-ours",
      promise: OWN_EFFECT,
      file: "src/controllers/requests/request.ts",
      find: "atMs <= Math.min(arrivedMs, lookedMs)",
      replace: "atMs <= Math.min(arrivedMs, lookedMs + 1e12)",
      killer: { project: "loopback", files: [LOST_MERGE], only: "a moment after a" },
    },
    {
      name: "database-remembered-after-an-unknown-reset",
      promise: ANOTHER_DATABASE,
      file: OF_BRANCH,
      find: "ended: ({ verb, sentAt }: Recorded): void => {\n      const mayBeReset = ",
      replace:
        'ended: ({ verb, sentAt, state }: Recorded): void => {\n      const mayBeReset = state !== "Unknown" && ',
      killer: { project: "loopback", files: [RESET], only: "nobody knows" },
    },
    {
      name: "database-remembered-after-a-failed-reset",
      promise: ANOTHER_DATABASE,
      file: OF_BRANCH,
      find: "ended: ({ verb, sentAt }: Recorded): void => {\n      const mayBeReset = ",
      replace: 'ended: ({ verb, sentAt, state }: Recorded): void => {\n      const mayBeReset = state !== "Failed" && ',
      killer: { project: "loopback", files: [RESET], only: "failed on the way" },
    },
    {
      name: "database-forgotten-after-a-refused-reset",
      promise: "what is certain stays remembered: a request that was refused changed nothing",
      file: "src/controllers/requests/send.ts",
      find: "ledger.advance(untried(record), {",
      replace: "ledger.advance(record, {",
      killer: { project: "loopback", files: [RESET], only: "was refused" },
    },
    {
      name: "database-remembered-after-a-cancelled-restoration",
      promise: ANOTHER_DATABASE,
      file: OF_PROJECT,
      find: "ended: ({ verb, sentAt }: Recorded): void => {\n      if (",
      replace: 'ended: ({ verb, sentAt, state }: Recorded): void => {\n      if (state !== "Failed" && ',
      killer: {
        project: "loopback",
        files: ["src/controllers/project/restored-unheard.loopback.test.ts"],
        only: "cancelled on its way",
      },
    },
  ],
};
