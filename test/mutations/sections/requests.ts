import type { Section } from "../mutant.ts";

const REFUSED = "src/controllers/requests/refused-tries.loopback.test.ts";
const SEND = "src/controllers/requests/send.ts";
const RECORDED = "src/controllers/shared/send-recorded.ts";
const FOLLOW = "src/controllers/requests/follow.ts";
const RUN = "src/controllers/requests/run-requests.ts";
const REQUESTS = "src/controllers/project/requests.loopback.test.ts";
const RESTORE = "src/controllers/project/restore-to.loopback.test.ts";
const UNSENT = "src/controllers/project/unsent-requests.loopback.test.ts";
const BRANCH = "src/controllers/branch/requests.loopback.test.ts";
const TRANSFER = "src/controllers/project/transfer.loopback.test.ts";
const LOST_MERGE = "src/controllers/branch/lost-merge.loopback.test.ts";
const SPENT = "src/controllers/requests/spent.loopback.test.ts";
const UPGRADE = "src/controllers/project/upgrade.loopback.test.ts";

/** engine.md §4: what is asked for once. */
export const requests: Section = {
  sign: "§4",
  name: "requests",
  mutants: [
    {
      name: "request-not-recorded",
      promise: "recorded with an optimistic lock before it is sent",
      file: RECORDED,
      find: "    await run.lockStatus(() => {\n      const before",
      replace: "    await Promise.resolve().then(() => {\n      const before",
      killer: { project: "loopback", files: [RESTORE], only: "dies after any one request" },
    },
    {
      name: "lost-request-sent-again",
      promise: "sent again only where its effect is certainly absent",
      file: FOLLOW,
      find: 'if (trace.kind === "absent" && kind.repeats) {',
      replace: "if (doubtMs(ledger, record) <= 0) {",
      killer: { project: "loopback", files: [RESTORE], only: "is never sent again" },
    },
    {
      name: "destroying-request-sent-again",
      promise: "sent again only where a second time destroys nothing",
      file: FOLLOW,
      find: 'if (trace.kind === "absent" && kind.repeats) {',
      replace: 'if (trace.kind === "absent") {',
      killer: { project: "loopback", files: [BRANCH], only: "never for a reset" },
    },
    {
      name: "run-behind-newer-ones-not-looked-for",
      promise:
        "sent again only where its effect is certainly absent: not where only the newest runs were looked through",
      file: "src/controllers/branch/work.ts",
      find: "if (since.length === MOST_RUNS_LOOKED_AT) return undefined;",
      replace: "if (since.length === RUNS_PER_PAGE) return since;",
      killer: { project: "loopback", files: [LOST_MERGE], only: "it is looked for behind them" },
    },
    {
      name: "runs-too-far-back-taken-for-none",
      promise: "sent again only where its effect is certainly absent: not where not all runs since were looked through",
      file: "src/controllers/branch/work.ts",
      find: "if (since.length === MOST_RUNS_LOOKED_AT) return undefined;",
      replace: "if (since.length === MOST_RUNS_LOOKED_AT) return since;",
      killer: { project: "loopback", files: [LOST_MERGE], only: "nobody looks as far back" },
    },
    {
      name: "run-of-another-branch-taken-for-ours",
      promise: "of a lost answer its own effect is looked for, and nobody else's",
      file: "src/controllers/branch/work.ts",
      find: "const candidates = since.filter(({ branch_id: id }) => branches.includes(id));",
      replace: "const candidates = since.filter(({ branch_id: id }) => id !== undefined || branches.length === 0);",
      killer: { project: "loopback", files: [LOST_MERGE], only: "another branch's run of the same moment" },
    },
    {
      name: "doubt-not-waited-out",
      promise: "sent again only where its effect is certainly absent: not while it may still arrive",
      file: FOLLOW,
      find: "  if (doubtMs(ledger, record) > 0) {",
      replace: "  if (doubtMs(ledger, record) > 1e12) {",
      killer: { project: "loopback", files: [REQUESTS], only: "certain that nothing came of them" },
    },
    {
      name: "lost-answer-not-looked-for",
      promise: "of a lost answer the effect is looked for",
      file: SEND,
      find: '  if (trace.kind === "arrived") ledger.advance(record, trace.progress);\n',
      replace: "  void trace;\n",
      killer: { project: "loopback", files: [REQUESTS], only: "known by the state that it leads through" },
    },
    {
      name: "request-of-a-copy-carried-out",
      promise: "what stood on an object when it was first seen is never carried out",
      file: "src/controllers/requests/first-sight.ts",
      find: "    status.asked({ requests: seen, requestsFor: uid,",
      replace: "    void seen;\n    status.asked({ requests: [], requestsFor: uid,",
      killer: { project: "loopback", files: [UNSENT], only: "when it was first seen" },
    },
    {
      name: "forgotten-request-carried-out-again",
      promise: "carried out exactly once: an id stays spent when its record is forgotten",
      file: RUN,
      find: "  if (ledger.isSpent(verb, id)) {",
      replace: "  if (ledger.isSpent(verb, id) && observes) {",
      killer: { project: "loopback", files: [SPENT], only: "of long ago" },
    },
    {
      name: "spent-ids-forgotten-with-void-records",
      promise: "carried out exactly once: ids stay spent where records are void",
      file: "src/controllers/requests/first-sight.ts",
      find: "const spent = withSpent(spentRequests, requests);",
      replace: "const spent = withSpent(spentRequests, []);",
      killer: { project: "loopback", files: [SPENT], only: "its records are void" },
    },
    {
      name: "requests-of-another-uid-believed",
      promise: "only a status of the same uid counts",
      file: "src/controllers/requests/first-sight.ts",
      find: "if (requestsFor !== uid) {",
      replace: "if (requestsFor === undefined) {",
      killer: { project: "loopback", files: [UNSENT], only: "made again with the status" },
    },
    {
      name: "correction-of-an-unsent-request-refused",
      promise: "nothing of an unsent request is remembered once nobody asks for it: its id may be corrected",
      file: "src/controllers/requests/first-sight.ts",
      find: "if (!sameJson(dated, requests)) status",
      replace: "if (dated.length !== requests.length) status",
      killer: { project: "loopback", files: [UNSENT], only: "corrected before it was sent" },
    },
    {
      name: "age-of-an-annotation-by-the-own-clock",
      promise: "times in objects are compared with the apiserver's clock",
      file: "src/controllers/requests/unsent.ts",
      find: "environment.kube.serverNow() ?? Number.NaN",
      replace: "environment.clock.now()",
      killer: { project: "loopback", files: [UNSENT], only: "nobody watched" },
    },
    {
      name: "half-run-taken-for-a-run",
      promise: "a life that ends between what was asked for and what is declared loses no edit",
      file: "src/controllers/watching.ts",
      find: "observedGeneration: Math.min(observedGeneration, spoken),",
      replace: "observedGeneration: Math.max(observedGeneration, spoken),",
      killer: { project: "unit", files: ["src/controllers/watching.test.ts"] },
    },
    {
      name: "observer-sends-requests",
      promise: "managementPolicy Observe: reads only",
      file: RUN,
      find: "  return observes ? ",
      replace: "  return observes && text === verb ? ",
      killer: { project: "loopback", files: [UNSENT], only: "only observes" },
    },
    {
      name: "requests-sent-at-once",
      promise: "requests of an object go one after another",
      file: RUN,
      find: "kind.amid === true ? undefined : ledger.underWay()",
      replace: "undefined",
      killer: { project: "loopback", files: [BRANCH], only: "one after another" },
    },
    {
      name: "transfer-not-recorded",
      promise: "a transfer is recorded before it is asked for",
      file: "src/controllers/project/transfer.ts",
      find: "        status.update({ transfer: record });\n",
      replace: "",
      killer: { project: "loopback", files: [TRANSFER], only: "answer that is lost|dies after any one request" },
    },
    {
      name: "transfer-without-preview",
      promise: "the preview of a transfer comes first: its errors block",
      file: "src/controllers/project/transfer.ts",
      find: "if (!valid || found.errors.length > 0) {",
      replace: "if (!valid && found.errors.length > 99) {",
      killer: { project: "loopback", files: [TRANSFER], only: "keeps the project where it is" },
    },
    {
      name: "moved-project-brought-back",
      promise: "what somebody moved to another organization is not brought back",
      file: "src/controllers/project/transfer.ts",
      find: "  if (!isOwnOrganization(run, slug)) throw movedByHand(ref, slug, wanted);\n",
      replace: "",
      killer: { project: "loopback", files: [TRANSFER], only: "that is not brought back" },
    },
    {
      name: "upgrade-asked-for-again",
      promise: "an upgrade that failed is not begun again by itself",
      file: "src/controllers/project/upgrade.ts",
      find: '  if (record.state === ("Failed" satisfies StepState)) return hasFailed(record);\n',
      replace: "",
      killer: { project: "loopback", files: [UPGRADE], only: "not begun again by itself" },
    },
    {
      name: "window-not-waited-for",
      promise: "an upgrade begins only inside the maintenance window",
      file: "src/controllers/project/upgrade.ts",
      find: "  if (untilMs === 0) return start(",
      replace: "  if (untilMs >= 0) return start(",
      killer: { project: "loopback", files: [UPGRADE], only: "is waited for, also after the edit" },
    },
    {
      name: "old-request-sent",
      promise: "what could not be sent for more than an hour is never sent",
      file: "src/controllers/requests/unsent.ts",
      find: 'return nowMs - Date.parse(record?.askedAt ?? "") > LONGEST_UNSENT_MS;',
      replace: "return record === undefined && nowMs < 0;",
      killer: { project: "loopback", files: [UNSENT], only: "as the platform was away" },
    },
    {
      name: "unwatched-request-sent",
      promise: "what stood for more than an hour while nobody watched is never sent",
      file: RUN,
      find: "if (await wasSetLongAgo(ledger.run, verb)) return",
      replace: "if ((await wasSetLongAgo(ledger.run, verb)) && observes) return",
      killer: { project: "loopback", files: [UNSENT], only: "what nobody watched" },
    },
    {
      name: "recorded-before-there-is-budget",
      promise: "what waits for budget writes no status",
      file: RECORDED,
      find: "  try {\n    return await",
      replace: "  await beforeSending();\n  try {\n    return await",
      killer: { project: "unit", files: ["src/controllers/requests/send.test.ts"] },
    },
    {
      name: "refused-try-taken-back-each-time",
      promise: "a try that is refused as the one before writes no more than its record",
      file: RECORDED,
      find: "    if (!isNews) for (const one of untold) status.leave(one);\n",
      replace: "",
      killer: { project: "loopback", files: [REFUSED], only: "writes once for each try" },
    },
    {
      name: "run-that-ends-refused-writes-twice",
      promise: "that a request was refused, and that its run ends with that, is written at once",
      file: SEND,
      find: "    if (!ENDS_RUN.has(error.code)) await",
      replace: "    if (error.code !== undefined) await",
      killer: { project: "loopback", files: [REFUSED], only: "writes once for each try" },
    },
    {
      name: "try-counts-as-the-refused-one-before",
      promise: "of a try that begins nothing is known, whatever came of the one before",
      file: RECORDED,
      find: "    refusedTries.begin(uid, what);\n",
      replace: "",
      killer: {
        project: "loopback",
        files: ["src/controllers/project/password-refused.loopback.test.ts"],
        only: "a later try whose answer is lost",
      },
    },
    {
      name: "lost-upgrade-asked-for-at-once",
      promise: "an upgrade whose answer was lost is asked for again once it certainly did not arrive, and not before",
      file: "src/controllers/project/upgrade.ts",
      find: "if (record !== undefined && isAskedFor(record)) return { remote,",
      replace: 'if (record?.state === "Running") return { remote,',
      killer: { project: "loopback", files: [UPGRADE], only: "before it is certain" },
    },
    {
      name: "doubt-of-another-project-counts",
      promise:
        "a run of the parent is doubtful where another branch of the same project asked for a merge, and not elsewhere",
      file: "src/controllers/branch/requests.ts",
      find: " && parentRef === projectRef)",
      replace: " && parentRef !== undefined && projectRef !== undefined)",
      killer: { project: "loopback", files: [LOST_MERGE], only: "in doubt in another project" },
    },
  ],
};
