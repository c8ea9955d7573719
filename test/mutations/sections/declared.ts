import type { Section } from "../mutant.ts";

const GOES_ON = { project: "loopback", files: ["src/controllers/project/goes-on.loopback.test.ts"] } as const;
const BRANCH_GOES_ON = { project: "loopback", files: ["src/controllers/branch/goes-on.loopback.test.ts"] } as const;
const ATTEMPT = { project: "unit", files: ["src/controllers/shared/attempt.test.ts"] } as const;
const OF_DEFAULT = "src/controllers/branch/of-default.loopback.test.ts";
const HASH = "src/controllers/edge-function/source-hash.ts";
const HASH_TEST = "src/controllers/edge-function/source-hash.test.ts";
const LEFT = {
  project: "loopback",
  files: ["src/controllers/shared/pipeline.loopback.test.ts"],
  only: "leaves the spec as somebody wrote it",
} as const;

const REFUSED_AGAIN = {
  project: "loopback",
  files: ["src/controllers/project/refused-again.loopback.test.ts"],
} as const;
const AUTH = { project: "unit", files: ["src/controllers/sections/auth.test.ts"] } as const;

/** engine.md §6, the declared side: the spec is its author's, and another way to write the same is no difference. */
export const declared: Section = {
  sign: "§6",
  name: "declared",
  mutants: [
    {
      name: "spec-written-with-the-finalizer",
      promise: "the spec is never written",
      file: "src/controllers/shared/finalizers.ts",
      find: "[unchanged, ...patch, ...noted]",
      replace: '[unchanged, ...patch, ...noted, { op: "add", path: "/spec/adoptionPolicy", value: "Never" }]',
      killer: LEFT,
    },
    {
      name: "spec-written-with-the-record",
      promise: "the spec is never written",
      file: "src/controllers/shared/run.ts",
      find: "annotations: { [annotations.ref]: text } } };",
      replace: 'annotations: { [annotations.ref]: text } }, spec: { adoptionPolicy: "Never" } };',
      killer: LEFT,
    },
    {
      name: "reordered-files-are-another-source",
      promise: "reordered lists are not drift",
      file: HASH,
      find: "files.toSorted((a, b) => byText(a.path, b.path))",
      replace: "files",
      killer: { project: "unit", files: [HASH_TEST] },
    },
    {
      name: "reordered-patterns-are-another-source",
      promise: "reordered lists are not drift",
      file: HASH,
      find: "staticPatterns.toSorted(byText)",
      replace: "staticPatterns",
      killer: { project: "unit", files: [HASH_TEST] },
    },
    {
      name: "reordered-services-are-a-change",
      promise: "reordered lists are not drift: services in another order make no write",
      file: "src/controllers/shared/project-states.ts",
      find: "\n    .toSorted((a, b) => (a.name < b.name ? -1 : 1));",
      replace: ";",
      killer: { project: "unit", files: ["src/controllers/branch/status.test.ts"] },
    },
    {
      name: "blanks-are-another-token",
      promise: "blanks are no difference: what an editor puts around a credential is none of it",
      file: "src/controllers/connection/credential.ts",
      find: '?.toString("utf8").trim();',
      replace: '?.toString("utf8");',
      killer: { project: "unit", files: ["src/controllers/connection/credential.test.ts"] },
    },
    {
      name: "failure-of-a-part-ends-the-run",
      promise: "a part of an object that fails holds up neither settings nor outputs",
      file: "src/controllers/shared/attempt.ts",
      find: '    if (!isReconcileError(error) || error.reason === ("ConnectionNotReady" satisfies Reason)) throw error;\n',
      replace: "    throw error;\n",
      killer: { ...GOES_ON, only: "a name that the platform refuses" },
    },
    {
      name: "blocked-transfer-holds-up-settings",
      promise: "a transfer that does not come about holds up neither settings nor outputs",
      file: "src/controllers/project/transfer.ts",
      find: "if (moved.failure instanceof WaitingError) throw",
      replace: "throw",
      killer: { ...GOES_ON, only: "a transfer that the platform refuses" },
    },
    {
      name: "refused-name-taken-for-drift",
      promise: "a spec that could not be made so is not in force",
      file: "src/controllers/project/apply.ts",
      find: "if (failures.length === 0 && ",
      replace: "if (",
      killer: { ...GOES_ON, only: "is no drift, but done" },
    },
    {
      name: "settings-wait-for-a-refused-pause",
      promise: "a project that is not paused is configured",
      file: "src/controllers/project/apply.ts",
      find: "made.attempts.get(change)?.ok !== true;",
      replace: "!made.attempts.has(change);",
      killer: { ...GOES_ON, only: "a pause that the platform refuses" },
    },
    {
      name: "unanswered-pause-not-looked-at",
      promise: "what may be on its way is not configured",
      file: "src/controllers/project/apply.ts",
      find: "  if (isCertain) return",
      replace: "  if (isCertain || attempts.size > 0) return",
      killer: { ...GOES_ON, only: "a pause of which no answer came" },
    },
    {
      name: "unreadable-eligibility-holds-up-settings",
      promise: "an upgrade that cannot be asked for holds up neither settings nor outputs",
      file: "src/controllers/project/upgrade.ts",
      find: "attempt(() => followDeclared(run, context, remote));",
      replace:
        "followDeclared(run, context, remote).then((value) => ({ ok: true as const, value, failure: undefined }));",
      killer: { ...GOES_ON, only: "an upgrade of which the token may" },
    },
    {
      name: "refused-branch-holds-up-settings",
      promise: "a part of a branch that is refused holds up neither settings nor outputs",
      file: "src/controllers/branch/apply.ts",
      find: "  if (!written.ok) return { remote, drift, failure: written.failure };\n",
      replace: "  if (!written.ok) throw written.failure;\n",
      killer: { ...BRANCH_GOES_ON, only: "a name that the platform refuses" },
    },
    {
      name: "failure-puts-off-what-is-due",
      promise: "what failed puts off no drift check and no end of a ttl",
      file: "src/controllers/shared/attempt.ts",
      find: "const looks = [...ends.map(({ recheckAfterMs }) => recheckAfterMs), dueInMs]",
      replace: "const looks = ends.map(({ recheckAfterMs }) => recheckAfterMs)",
      killer: ATTEMPT,
    },
    {
      name: "refused-upgrade-tells-less-each-time",
      promise: "what refuses an upgrade is listed as long as it does, whatever life reads it",
      file: "src/controllers/project/upgrade.ts",
      find: "...(blockers === undefined ? {} : { blockers: [...blockers] })",
      replace: "...(blockers === undefined ? {} : {})",
      killer: { ...REFUSED_AGAIN, only: "lists why" },
    },
    {
      name: "upgrade-under-way-lists-what-refused-it",
      promise: "what refused an upgrade is listed no more once one is under way",
      file: "src/controllers/project/upgrade.ts",
      find: "  const { blockers: _former, ...record } = sent;\n",
      replace: "  const record = sent;\n",
      killer: { ...REFUSED_AGAIN, only: "answer to the one that was taken is lost" },
    },
    {
      name: "refused-transfer-tells-less-each-time",
      promise: "what refuses a transfer is listed as long as it does, whatever life reads it",
      file: "src/controllers/project/transfer.ts",
      find: "...(errors === undefined ? {} : { errors: [...errors] })",
      replace: "...(errors === undefined ? {} : {})",
      killer: { ...REFUSED_AGAIN, only: "lists why" },
    },
    {
      name: "host-of-any-text",
      promise: "what is no name of a host is refused where it is declared",
      file: "src/resources/settings/hosts.ts",
      find: "const pattern = `^(${form})?$`;",
      replace: "const pattern = `^(${form})?`;",
      killer: AUTH,
    },
    {
      name: "stored-host-that-stops-its-section",
      promise: "a host that was stored before its form was asked for stops no repair of its section, and no rotation",
      file: "src/resources/settings/hosts.ts",
      find: ".refine((value) => value.length <= LONGEST_HOST, message)",
      replace: ".refine((value) => value.length <= LONGEST_HOST && new RegExp(pattern).test(value), message)",
      killer: {
        project: "loopback",
        files: ["src/controllers/sections/refused-sections.loopback.test.ts"],
        only: "stored before its form",
      },
    },
    {
      name: "address-is-no-mail-server",
      promise: "a mail server may be named by its address",
      file: "src/resources/settings/auth/mailer.ts",
      find: "form: `${serverName}|${ipAddress}`",
      replace: "form: serverName",
      killer: AUTH,
    },
    {
      name: "absolute-name-is-no-mail-server",
      promise: "a mail server may be named absolutely",
      file: "src/resources/settings/hosts.ts",
      find: '[A-Za-z0-9_])?[.]?";',
      replace: '[A-Za-z0-9_])?";',
      killer: AUTH,
    },
    {
      name: "host-in-lower-case-is-another",
      promise: "the name of a host is the same in lower case and without blanks around it",
      file: "src/resources/settings/hosts.ts",
      find: "value.trim().toLowerCase()",
      replace: "value.trim()",
      killer: AUTH,
    },
    {
      name: "log-drains-not-listed",
      promise: "what the API has for a project or branch and no object sets is listed",
      file: "tools/generate/not-settable.ts",
      find: '["logDrains.create", "logDrains.update", "logDrains.delete"]',
      replace: '["logDrains.create", "logDrains.update"]',
      killer: {
        project: "unit",
        files: ["tools/generate/not-settable.test.ts"],
        only: "is listed, whatever else is written",
      },
    },
    {
      name: "adopted-otherwise-untold",
      promise: "who takes over what was made otherwise than declared is told what nobody can change of it",
      file: "src/controllers/shared/fixed-fields.ts",
      find: "declared !== found,",
      replace: "declared === found,",
      killer: { project: "loopback", files: ["src/controllers/project/made-elsewhere.loopback.test.ts"] },
    },
    {
      name: "adopted-branch-otherwise-untold",
      promise: "of a branch as well",
      file: "src/controllers/branch/settle.ts",
      find: "declared: postgresEngine, found: of?.postgres_engine",
      replace: "declared: postgresEngine, found: postgresEngine",
      killer: { project: "loopback", files: [OF_DEFAULT], only: "tells once" },
    },
    {
      name: "unread-branch-not-adopted",
      promise: "and a branch whose making cannot be read is taken over all the same",
      file: "src/controllers/branch/settle.ts",
      find: 'isAsked ? await attempt(() => calling("read the branch", () => shared.get(0, run.call))) : undefined;',
      replace: "isAsked ? { ok: true, value: await shared.get(0, run.call) } : undefined;",
      killer: { project: "loopback", files: [OF_DEFAULT], only: "cannot be read" },
    },
  ],
};
