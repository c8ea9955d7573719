import type { Section } from "../mutant.ts";

const IN = "src/controllers/sections";
const SERVED = { project: "loopback", files: [`${IN}/served-hostname.loopback.test.ts`] } as const;
const DOMAINS = { project: "loopback", files: [`${IN}/domains.loopback.test.ts`] } as const;
const ABSENT = { project: "loopback", files: [`${IN}/domains-lost.loopback.test.ts`] } as const;
const SWITCHES = { project: "loopback", files: [`${IN}/switches.loopback.test.ts`] } as const;
const ROOT_KEY = { project: "loopback", files: [`${IN}/encryption-root-key.loopback.test.ts`] } as const;

/** That the platform has none of something, and what is done only then. */
export const sectionAbsences: Section = {
  sign: "ADR 20",
  name: "section-absences",
  mutants: [
    {
      name: "any-400-taken-for-no-vanity-subdomain",
      promise: "that there is none is believed where the plan is known to have none",
      file: `${IN}/vanity-subdomain.ts`,
      find: "return !PLANS.some((one) => one === plan);",
      replace: "return plan.length > 0;",
      killer: { ...DOMAINS, only: "is not so for any 400" },
    },
    {
      name: "vanity-subdomain-without-a-plan-read-again",
      promise: "a plan that the platform says is without them needs no other look",
      file: `${IN}/vanity-subdomain.ts`,
      find: '  if (isApiError(error, "PLAN_REQUIRED")) return true;\n',
      replace: "",
      killer: { ...DOMAINS, only: "whatever the plan is called" },
    },
    {
      name: "hostname-absent-at-one-400",
      promise: "that a hostname is gone is believed of two looks",
      file: `${IN}/domains.ts`,
      find: 'believeNone(at, { ...NONE, following: "tell" });',
      replace: "foundOne(at, NAME);",
      killer: { ...ABSENT, only: "is not so for one 400" },
    },
    {
      name: "absent-hostname-doubted-at-each-start",
      promise: "that there is none, as the status says, needs no second look",
      file: `${IN}/domains.ts`,
      find: "entry.applied === digestOf(declared);",
      replace: "entry.applied === undefined;",
      killer: { ...ABSENT, only: "by an operator that starts" },
    },
    {
      name: "addon-removed-under-a-hostname-on-its-way",
      promise: "the add-on stays under a hostname whatever its state",
      file: `${IN}/addons.ts`,
      find: "if (found === undefined) return;",
      replace: "if (found === undefined || !isActive(found)) return;",
      killer: { ...SERVED, only: "is on its way" },
    },
    {
      name: "addon-removed-at-one-400",
      promise: "what has no way back follows from two looks that find nothing, a minute apart",
      file: `${IN}/domains.ts`,
      find: 'believeNone(at, { ...NONE, following: "end" });',
      replace: "foundOne(at, NAME);",
      killer: { ...SERVED, only: "for one answer|a minute apart" },
    },
    {
      name: "addon-removed-after-seconds",
      promise: "what has no way back follows from two looks that find nothing, a minute apart",
      file: `${IN}/believe-none.ts`,
      find: 'following === "tell" ? TOLD_ABSENCE_MS : FINAL_ABSENCE_MS',
      replace: 'following === "tell" ? FINAL_ABSENCE_MS : TOLD_ABSENCE_MS',
      killer: { ...SERVED, only: "a minute apart" },
    },
    {
      name: "addon-removed-for-a-look-of-long-ago",
      promise: "a look that found nothing counts as long as it is recent",
      file: `${IN}/believe-none.ts`,
      find: "noteMissedLately(at.uid",
      replace: "noteMissed(at.uid",
      killer: { ...SERVED, only: "a look of long ago" },
    },
    {
      name: "addon-removed-for-a-deletion-of-long-ago",
      promise: "a deletion tells of what is there as long as it is recent",
      file: "src/controllers/shared/absences.ts",
      find: "nowMs - known.lastMs > RECENT_ABSENCE_MS",
      replace: "(known.sinceMs !== -Infinity && nowMs - known.lastMs > RECENT_ABSENCE_MS)",
      killer: { ...SERVED, only: "was deleted long ago" },
    },
    {
      name: "deletion-prolonged-by-looks",
      promise: "a deletion tells of what is there as long as it is recent, however often that was looked for since",
      file: "src/controllers/shared/absences.ts",
      find: "sinceMs === -Infinity ? lastMs : nowMs",
      replace: "nowMs",
      killer: {
        project: "unit",
        files: ["src/controllers/shared/absences.test.ts"],
        only: "however often",
      },
    },
    {
      name: "legacy-keys-gone-at-one-404",
      promise: "that the platform has no legacy keys any more is believed of two looks",
      file: `${IN}/switches.ts`,
      find: "if (!isTold) believeNone(",
      replace: "if (isTold) believeNone(",
      killer: { ...SWITCHES, only: "one answer does not find" },
    },
    {
      name: "doubt-told-at-once",
      promise: "of a doubt that is over within seconds nobody is told, where all else stands as it stood",
      file: `${IN}/sum.ts`,
      find: "{ untold: isUntold }",
      replace: "{ untold: false }",
      killer: { ...SWITCHES, only: "nobody is told" },
    },
    {
      name: "wait-taken-for-a-doubt",
      promise: "what waits as it waited is told with what else the run found",
      file: `${IN}/run-sections.ts`,
      find: "isOnItsWay(entry) && !untold.has(entry.name)",
      replace: "isOnItsWay(entry) && untold.has(entry.state)",
      killer: { ...ROOT_KEY, only: "that no Secret holds is waited for" },
    },
    {
      name: "failure-kept-back-by-a-doubt",
      promise: "a doubt keeps nothing back that is to be told",
      file: `${IN}/run-sections.ts`,
      find: ": isDeepStrictEqual(entry, was)",
      replace: ": isDeepStrictEqual(entry, entry)",
      killer: { ...SWITCHES, only: "with what else is told" },
    },
    {
      name: "vanity-subdomain-of-an-unknown-plan-fails",
      promise: "where nothing tells the plan, that there is no vanity subdomain is believed of two looks",
      file: `${IN}/vanity-subdomain.ts`,
      find: "  return name === undefined;\n",
      replace: "  return name === null;\n",
      killer: { ...ABSENT, only: "nothing tells the plan" },
    },
    {
      name: "plan-asked-for-at-each-check",
      promise: "that there is no vanity subdomain, as the status says, is believed without another look at the plan",
      file: `${IN}/vanity-subdomain.ts`,
      find: "!isKnownNone(entry, declared, refused) && ",
      replace: "",
      killer: { ...ABSENT, only: "nothing tells the plan" },
    },
  ],
};
