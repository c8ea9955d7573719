import type { Section } from "../mutant.ts";

const WIRED = "src/controllers/claims-wired.ts";
const TESTED = { project: "unit", files: ["src/controllers/claims-wired.test.ts"] } as const;

/** ADR 4: who lost a name or ref has its turn once the other one lets go of it. */
export const letGo: Section["mutants"] = [
  {
    name: "owner-lets-go-unheard",
    promise: "who lost a thing to another object has its turn when that lets go of it",
    file: WIRED,
    find: "      wakeWaiting(waitingFor(left, before), enqueue);\n",
    replace: "",
    killer: TESTED,
  },
  {
    name: "refused-wake-each-other",
    promise: "objects of one name, each refused by the platform, ask it as often as others do",
    file: WIRED,
    find: '"Ready")?.reason === reason;',
    replace: '"Ready")?.reason !== "";',
    killer: { project: "loopback", files: ["src/controllers/refused-names.loopback.test.ts"], only: "two servers" },
  },
  {
    name: "lets-go-in-the-middle-of-a-run-unheard",
    promise: "who loses a thing in a run that is under way while the other one lets go of it has its turn then, too",
    file: WIRED,
    find: "return !hasSpoken(object) || findCondition",
    replace: "return findCondition",
    killer: { ...TESTED, only: "while the first run|while an edit" },
  },
  {
    name: "name-of-another-project-let-go",
    promise: "who lets go of a name wakes who waits for it in the same project",
    file: WIRED,
    find: "places.some((ref) => others.includes(ref))",
    replace: "places.some(() => others.length > 0)",
    killer: { ...TESTED, only: "in another project" },
  },
];
