import type { Section } from "../mutant.ts";

const IN = "src/controllers/sections";
const SETTINGS = "src/resources/settings";
const SERVED = { project: "loopback", files: [`${IN}/served-hostname.loopback.test.ts`] } as const;
const HISTORY = { project: "loopback", files: [`${IN}/recovery-history.loopback.test.ts`] } as const;
const POLICIES = { project: "loopback", files: [`${IN}/policies-hold.loopback.test.ts`] } as const;
const DATA_API = { project: "loopback", files: [`${IN}/data-api.loopback.test.ts`] } as const;

/** What a section takes away, refuses and tells, by what is declared and by the policies. */
export const sectionPolicies: Section = {
  sign: "ADR 20",
  name: "section-policies",
  mutants: [
    {
      name: "addon-removed-under-a-hostname",
      promise: "what serves is taken away by its own section or by hand, never by what it needs",
      file: `${IN}/addons.ts`,
      find: "      if (variant === undefined) await guard?.require(at);\n",
      replace: "",
      killer: { ...SERVED, only: "is not removed" },
    },
    {
      name: "hostname-declared-without-its-addon",
      promise: "an add-on that is declared off is refused beside what needs it",
      file: `${SETTINGS}/domains.ts`,
      find: "spec.addons?.customDomain !== false || !isNamed(spec)",
      replace: "true",
      killer: { ...SERVED, only: "is refused" },
    },
    {
      name: "recovery-declared-of-a-small-size",
      promise: "an add-on is refused beside a size that is declared and has none",
      file: `${SETTINGS}/addons.ts`,
      find: "instanceSize === undefined || !TOO_SMALL.includes(instanceSize)",
      replace: "instanceSize !== null",
      killer: { ...SERVED, only: "is refused" },
    },
    {
      name: "own-name-called-taken",
      promise: "beside a custom hostname in service, a vanity subdomain says that that is in its way",
      file: `${IN}/vanity-subdomain.ts`,
      find: 'status !== "custom-domain-used"',
      replace: 'status !== "active"',
      killer: { ...SERVED, only: "what is in its way" },
    },
    {
      name: "name-asked-for-before-the-hostname-goes",
      promise: "a name that a hostname stands in the way of comes after that one has gone",
      file: `${IN}/vanity-subdomain.ts`,
      find: "customHostname?.absent === true &&",
      replace: "customHostname?.hostname !== undefined &&",
      killer: { ...SERVED, only: "comes after the hostname" },
    },
    {
      name: "refused-read-asked-for-again",
      promise:
        "what a plan does not have is not asked for again until the plan is another, also where the read is refused",
      file: `${IN}/vanity-subdomain.ts`,
      find: 'return { status: "not-used", refused };',
      replace: "throw refused;",
      killer: {
        project: "loopback",
        files: [`${IN}/domains.loopback.test.ts`],
        only: "until the plan is another|is so on a plan without them",
      },
    },
    {
      name: "facts-lost-with-a-failed-write",
      promise: "what was read is shown, whatever becomes of the section after that",
      file: `${IN}/run-sections.ts`,
      find: "    tellFacts(turn, look);\n",
      replace: "",
      killer: { project: "loopback", files: [`${IN}/facts.loopback.test.ts`], only: "the write after it failed" },
    },
    {
      name: "order-of-schemas-means-nothing",
      promise: "a list whose order means something is another one in another order",
      file: `${SETTINGS}/builders.ts`,
      find: "isOrdered === true ? found",
      replace: "isOrdered === undefined ? found",
      killer: { ...DATA_API, only: "another order is another value" },
    },
    {
      name: "name-that-no-secret-has",
      promise: "a name that no object can have is refused",
      file: `${SETTINGS}/references.ts`,
      find: "((-+|[.])[a-z0-9]+)*$",
      replace: "([-.]*[a-z0-9]+)*$",
      killer: { project: "unit", files: [`${SETTINGS}/references.test.ts`], only: "for the operator either" },
    },
    {
      name: "fields-that-are-only-answered-untold",
      promise: "the reference names what the platform answers and does not take",
      file: `${IN}/auth.ts`,
      find: "(responseOnly === true ? [name] : [])",
      replace: "(responseOnly === true ? [] : [name])",
      killer: { project: "unit", files: ["tools/generate/reference.test.ts"], only: "answers and does not take" },
    },
    {
      name: "field-of-a-refused-section-unnamed",
      promise: "what the platform refuses ends terminal, with the field named",
      file: `${IN}/failing.ts`,
      find: "decision?.write.map(({ field }) => field) ?? wanted",
      replace: "wanted",
      killer: { project: "loopback", files: ["test/sections/refused-values.test.ts"], only: "ends terminal" },
    },
    {
      name: "history-cut-by-a-repair",
      promise: "a repair takes away nothing that is not to be had back",
      file: `${IN}/addons.ts`,
      find: "daysOf(wanted) < daysOf(selected)",
      replace: "daysOf(wanted) < 0",
      killer: { ...HISTORY, only: "is told and left" },
    },
    {
      name: "history-cut-by-a-lost-status",
      promise: "what loses something for good is an edit only of what was recorded as declared",
      file: `${IN}/decide.ts`,
      find: "disruption.isForGood === true ? isUnrecorded(turn, looked) : isFirstSeen(turn, looked)",
      replace: "isFirstSeen(turn, looked)",
      killer: { ...HISTORY, only: "where its status was lost" },
    },
    {
      name: "history-never-cut",
      promise: "once the look that left it made a record, an edit shortens it",
      file: `${IN}/decide.ts`,
      find: "return applied === undefined && sending === undefined;",
      replace: "return true;",
      killer: { ...HISTORY, only: "is shortened" },
    },
    {
      name: "history-left-short",
      promise: "what loses nothing is repaired",
      file: `${IN}/addons.ts`,
      find: "daysOf(wanted) < daysOf(selected)",
      replace: "daysOf(wanted) < Infinity",
      killer: { ...HISTORY, only: "is repaired" },
    },
    {
      name: "advice-that-the-policy-refuses",
      promise: "where nothing is written, what cannot be had is a difference and no failure",
      file: `${IN}/observed-section.ts`,
      find: "      changes: options.plan(declared, observed),\n",
      replace: `      changes: options.plan(declared, observed).map((change) => {
        const blocked = options.blocked?.(declared, observed);
        if (blocked !== undefined) throw blocked;
        return change;
      }),\n`,
      killer: { ...POLICIES, only: "only observed|by hand" },
    },
    {
      name: "what-cannot-be-had-asked-for",
      promise: "what cannot be had from there is refused in the place of a write, with what to do",
      file: `${IN}/observed-section.ts`,
      find: "        if (blocked !== undefined) throw blocked;\n",
      replace: "",
      killer: { ...POLICIES, only: "where it would be written" },
    },
    {
      name: "observed-webhooks-claimed",
      promise: "of what nothing tells, nothing is claimed",
      file: `${IN}/webhooks.ts`,
      find: "{ unknown: UNTOLD }",
      replace: "{}",
      killer: { ...POLICIES, only: "nothing that is known" },
    },
  ],
};
