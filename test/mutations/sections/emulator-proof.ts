import type { Killer, Mutant, Section } from "../mutant.ts";
import { emulatedRefusedWords } from "./emulator-refused-words.ts";
import { emulatedWrites } from "./emulator-writes.ts";

const property = (file: string, only?: string): Killer => ({
  project: "loopback",
  files: [`test/${file}.test.ts`],
  ...(only === undefined ? {} : { only }),
});

const REQUESTS: Killer = {
  project: "loopback",
  files: ["src/emulator/http/any-request.loopback.test.ts"],
  only: "is refused in every way",
};
const SERVICES = "src/emulator/services";
const KEYS = "src/emulator/keys/api-keys.ts";
const ORGANIZATIONS = "src/emulator/organizations";
const LIMITS = "src/emulator/http/limits.ts";
const WORK = "src/emulator/branches/ready-branch.ts";

/** "At least 10,000 generated requests": each answer as declared, none with a secret. */
const anyRequest: readonly Mutant[] = [
  {
    name: "json-without-its-type",
    promise: "an answer has the content type that its operation declares",
    file: "src/emulator/http/answer.ts",
    find: 'const JSON_TYPE = "application/json; charset=utf-8";',
    replace: 'const JSON_TYPE = "text/json; charset=utf-8";',
    killer: REQUESTS,
  },
  {
    name: "secret-in-a-header",
    promise: "no header of an answer holds a secret that was stored",
    file: "src/emulator/http/answer.ts",
    find: "      return jsonAnswer(success.status, reply);\n",
    replace:
      '      return { ...jsonAnswer(success.status, reply), headers: { "content-type": JSON_TYPE, "x-seen": "canary-7f3a" } };\n',
    killer: REQUESTS,
  },
];

/** "Limits never exceeded nor under-used." */
const limits: readonly Mutant[] = [
  {
    name: "classes-share-a-window",
    promise: "what is spent on one class of endpoints is no other's",
    file: LIMITS,
    find: "const key = `${limitClass.name} ${windowMs} ${subject}`;",
    replace: "const key = `${windowMs} ${subject}`;",
    killer: property("emulator/limits"),
  },
  {
    name: "window-a-millisecond-longer",
    promise: "a window that has ended refuses nothing",
    file: LIMITS,
    find: "if (known !== undefined && nowMs < known.endsMs) return known;",
    replace: "if (known !== undefined && nowMs <= known.endsMs) return known;",
    killer: property("emulator/limits"),
  },
  {
    name: "only-the-first-window-counts",
    promise: "a request counts in every window that it passes",
    file: LIMITS,
    find: "for (const { key, window } of passed) {",
    replace: "for (const { key, window } of passed.slice(0, 2)) {",
    killer: property("emulator/limits"),
  },
  {
    name: "branch-counted-for-itself",
    promise: "a request for a branch counts against the project that it belongs to",
    file: "src/emulator/access/limit-scope.ts",
    find: '?.parentRef;\n    case "identity"',
    replace: '?.projectRef;\n    case "identity"',
    killer: property("emulator/limits"),
  },
];

/** "State machines never leave their graph." */
const machines: readonly Mutant[] = [
  {
    name: "work-in-a-branch-that-is-made",
    promise: "work in a branch is refused while it is being made",
    file: WORK,
    find: 'if (status === "CREATING_PROJECT") throw',
    replace:
      'if (status === "CREATING_PROJECT") return;\n  if (status === "MIGRATIONS_PASSED" && projectRef === "") throw',
    killer: property("emulator/branch-machine"),
  },
  {
    name: "work-refused-after-a-failure",
    promise: "work in a branch is taken whatever has become of other work",
    file: WORK,
    find: 'if (status === "CREATING_PROJECT") throw',
    replace: 'if (status === "CREATING_PROJECT" || status === "MIGRATIONS_FAILED") throw',
    killer: property("emulator/branch-machine"),
  },
  {
    name: "work-begun-twice",
    promise: "what is accepted begins one run",
    file: "src/emulator/branches/runs.ts",
    find: "  world.runs.set(branch.parentRef, run.id, run);\n  updateBranch(",
    replace:
      "  world.runs.set(branch.parentRef, run.id, run);\n  world.runs.set(branch.parentRef, `${run.id}2`, { ...run, id: `${run.id}2` });\n  updateBranch(",
    killer: property("emulator/branch-machine"),
  },
  {
    name: "paused-project-paused-again",
    promise: "only a project that runs is paused",
    file: "src/emulator/projects/pause-and-restore.ts",
    find: "if (!isActive(status)) throw badRequest(`Project cannot be paused",
    replace: 'if (!isActive(status) && status !== "INACTIVE") throw badRequest(`Project cannot be paused',
    killer: property("emulator/project-machine"),
  },
  {
    name: "restoration-given-up-at-any-time",
    promise: "only a restoration that is under way is given up",
    file: "src/emulator/projects/pause-and-restore.ts",
    find: 'if (status !== "RESTORING") throw',
    replace: 'if (status !== "RESTORING" && !isActive(status)) throw',
    killer: property("emulator/project-machine"),
  },
  {
    name: "failed-upgrade-goes-on",
    promise: "an upgrade goes to its end or its error, and stays there",
    file: "src/emulator/projects/upgrade-schedule.ts",
    find: "const last = error === null ? UPGRADE_PROGRESS.length - 1 : lastStepBefore(error);",
    replace: "const last = UPGRADE_PROGRESS.length - 1;",
    killer: property("emulator/machines"),
  },
  {
    name: "removal-of-a-replica-begun-anew",
    promise: "a read replica that goes down is gone when its removal has taken its time",
    file: "src/emulator/infrastructure/read-replicas.ts",
    find: '  if (statusAt(replica.life, nowMs) === "GOING_DOWN") return;\n',
    replace: "",
    killer: property("emulator/server-machines"),
  },
  {
    name: "enforcement-applied-at-once",
    promise: "SSL is enforced when the database has restarted",
    file: "src/emulator/infrastructure/ssl-enforcement.ts",
    find: 'nowMs + lasts(world.settings, "restartingMs")',
    replace: "nowMs",
    killer: property("emulator/database-machines"),
  },
];

/** "None leaks a secret that was stored." */
const storedSecrets: readonly Mutant[] = [
  {
    name: "secret-in-the-request-log",
    promise: "the request log shows no text that the schema of its operation calls secret",
    file: "src/emulator/http/redact.ts",
    find: "    if (secrets.has(inner)) return CENSOR;\n",
    replace: "",
    killer: property("emulator/stored-secrets"),
  },
  {
    name: "drain-secret-shown",
    promise: "secrets of a log drain come back as REDACTED",
    file: "src/emulator/analytics/log-drain-config.ts",
    find: "if (isSecret(fieldOf(LOG_DRAIN_CONFIGS[backend], key))) shown[key]",
    replace: 'if (key !== "password" && isSecret(fieldOf(LOG_DRAIN_CONFIGS[backend], key))) shown[key]',
    killer: property("emulator/stored-secrets"),
  },
  {
    name: "headers-of-a-drain-shown",
    promise: "headers of a log drain come back as REDACTED",
    file: "src/emulator/analytics/log-drain-config.ts",
    find: "[name, hide(`${key}.${name}`, one)]",
    replace: "[name, String(one)]",
    killer: property("emulator/stored-secrets"),
  },
];

/** "For every operation: a success test through the typed client that then reads the effect." */
const everyEffect: readonly Mutant[] = [
  {
    name: "lifted-ban-kept",
    promise: "a ban that was lifted is listed no more",
    file: "src/emulator/infrastructure/network-bans.ts",
    find: "if (isMeant(ban, body, address)) world.networkBans.delete(ref, key);",
    replace: 'if (isMeant(ban, body, address) && key === "") world.networkBans.delete(ref, key);',
    killer: property("api/every-effect"),
  },
  {
    name: "subdomain-not-given-back",
    promise: "a subdomain that was deleted is in use no more",
    file: "src/emulator/domains/vanity-subdomain.ts",
    find: "world.vanitySubdomains.reset(visibleProject(world, caller, params.ref).ref);",
    replace: "visibleProject(world, caller, params.ref);",
    killer: property("api/every-effect"),
  },
  {
    name: "page-without-an-end",
    promise: "a page has as many projects as were asked for",
    file: `${ORGANIZATIONS}/organizations.ts`,
    find: "matching.slice(offset, offset + limit)",
    replace: "matching.slice(offset)",
    killer: property("api/every-effect"),
  },
];

/** "Each documented refusal." */
const everyRefusal: readonly Mutant[] = [
  {
    name: "functions-beyond-the-plan",
    promise: "a function that the plan has no room for is refused with 402",
    file: "src/emulator/functions/function-store.ts",
    find: "throw paymentRequired(",
    replace: "throw notFound(",
    killer: property("emulator/every-refusal", "every other refusal"),
  },
  {
    name: "unknown-status-searched",
    promise: "a list by a status that there is not is refused with 400",
    file: `${ORGANIZATIONS}/organizations.ts`,
    find: 'if (status !== "ACTIVE_HEALTHY" && status !== "INACTIVE") {',
    replace: 'if (status !== "ACTIVE_HEALTHY" && status !== "INACTIVE" && name === "") {',
    killer: property("emulator/every-refusal", "every other refusal"),
  },
  {
    name: "legacy-key-deleted-alone",
    promise: "a legacy key is not changed or deleted by itself: 400",
    file: KEYS,
    find: "if (isLegacyKey(id) && hasLegacyKeys(world, project)) {\n    throw",
    replace: 'if (isLegacyKey(id) && id === "none") {\n    throw',
    killer: property("emulator/every-refusal", "every other refusal"),
  },
  {
    name: "storage-of-a-starting-branch",
    promise: "the storage of a branch that starts is 404",
    file: `${SERVICES}/storage.ts`,
    find: "if (project.branchOf !== undefined && isProvisioning(",
    replace: "if (project.branchOf === ref && isProvisioning(",
    killer: property("emulator/every-refusal", "every other refusal"),
  },
];

/** The properties of the emulator as a whole: what each sees that no test of one part would. */
export const emulatorProof: Section = {
  sign: "emulator",
  name: "emulator-proof",
  mutants: [
    ...emulatedWrites,
    ...anyRequest,
    ...limits,
    ...machines,
    ...storedSecrets,
    ...everyEffect,
    ...everyRefusal,
    ...emulatedRefusedWords,
  ],
};
