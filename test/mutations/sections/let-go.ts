import type { Section } from "../mutant.ts";

const WIRED = "src/controllers/claims-wired.ts";
const CONNECTIONS = "src/controllers/connections-wired.ts";
const REFERENCES = "src/controllers/references-wired.ts";
const SESSIONS = "src/controllers/shared/sessions.ts";
const OF_RIVALS = { project: "unit", files: ["src/controllers/rivals.test.ts"] } as const;
const TESTED = { project: "unit", files: ["src/controllers/claims-wired.test.ts"] } as const;

/** ADR 4: who lost a name or ref has its turn once the other one lets go of it. */
export const letGo: Section["mutants"] = [
  {
    name: "owner-lets-go-unheard",
    promise: "who lost a thing to another object has its turn when that lets go of it",
    file: WIRED,
    find: "      wakeWaiting(waitingFor([{ by: before, claims: left }]), enqueue);\n",
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
    find: "kind.reader.byIndex(index, one)",
    replace: "(index === CLAIM_INDEX ? kind.reader.list() : kind.reader.byIndex(index, one))",
    killer: { ...TESTED, only: "in another project" },
  },
  {
    name: "lost-name-unheard-of-another-connection",
    promise: "who lost to another object goes on when the connection of that is another, wherever it is",
    file: CONNECTIONS,
    find: "wakeWaiting(withRivals(users), enqueue, heldUp);",
    replace: "wakeWaiting(users, enqueue, heldUp);",
    killer: { ...TESTED, only: "lost it in another namespace" },
  },
  {
    name: "lost-name-unheard-of-a-connection-that-comes",
    promise: "who lost to another object hears of the connection of that when it comes",
    file: CONNECTIONS,
    find: "added: (object) => wakeWithRivals(idOf(object)),",
    replace: "added: (object) => wakeUsers(idOf(object)),",
    killer: { ...TESTED, only: "lost it in another namespace" },
  },
  {
    name: "lost-name-unheard-of-a-session",
    promise: "who lost to another object goes on when the connection of that works no more, or as another account",
    file: CONNECTIONS,
    find: "    if (endsClaims(before, sessions.get(id))) wakeWithRivals(id);\n    else wakeUsers(id);\n",
    replace: "    wakeUsers(id);\n",
    killer: { ...TESTED, only: "lost it in another namespace" },
  },
  ...[
    {
      what: "is-for-deletions-alone",
      find: "if (now === undefined || now.deletionOnly) return true;",
      replace: "if (now === undefined) return true;",
    },
    { what: "has-another-account", find: "return before.account !== now.account || ", replace: "return " },
    {
      what: "allows-other-refs",
      find: " || !sameJson(before.allowedRefs, now.allowedRefs);",
      replace: ";",
    },
  ].map(({ what, ...change }) => ({
    name: `lost-name-unheard-of-a-session-that-${what}`,
    promise: "who lost to another object goes on when that acts in fewer places",
    file: SESSIONS,
    ...change,
    killer: { ...TESTED, only: "lost it in another namespace" },
  })),
  ...[
    {
      what: "a-session-that-begins",
      find: "if (before === undefined || before.deletionOnly) return false;",
      replace: "if (before === undefined || before.deletionOnly) return true;",
    },
    {
      what: "another-token",
      find: "return before.account !== now.account ||",
      replace: "return before.client !== now.client ||",
    },
  ].map(({ what, ...change }) => ({
    name: `${what}-wakes-rivals`,
    promise: "a session by which nobody lets go of anything wakes its users alone",
    file: SESSIONS,
    ...change,
    killer: { ...TESTED, only: "nobody lets go" },
  })),
  {
    name: "rivals-looked-for-by-each-user",
    promise: "a change of a connection costs as much as there are users, not that many for each",
    file: WIRED,
    find: "distinct(claimed.flatMap((one) => soughtFor(one)))",
    replace: "claimed.flatMap((one) => soughtFor(one))",
    killer: { ...OF_RIVALS, only: "twice the work" },
  },
  {
    name: "secrets-looked-through-by-each-user",
    promise: "a change of a connection costs as much as there are users, not that many for each",
    file: WIRED,
    find: "new Set(distinct(places).flatMap((place) => namedBy(environment, place)))",
    replace: "places.flatMap((place) => namedBy(environment, place))",
    killer: { ...OF_RIVALS, only: "secrets of one project" },
  },
  {
    name: "lost-name-unheard-by-another-parent",
    promise: "who lost to another object hears of its connection, by whatever parent they name their place",
    file: WIRED,
    find: "[place.ref, ...parentsAt(environment, place.ref)]",
    replace: "[place.ref]",
    killer: { ...TESTED, only: "by another parent of it" },
  },
  {
    name: "lost-name-unheard-of-a-namespace",
    promise: "who lost to an object of another namespace goes on when its connection admits that no more",
    file: REFERENCES,
    find: "withRivals(admitted(before, now))",
    replace: "admitted(before, now)",
    killer: { ...OF_RIVALS, only: "is let in no more" },
  },
  {
    name: "namespace-seen-late-wakes-rivals",
    promise: "a namespace that is seen wakes only whom it lets in, however many want the same elsewhere",
    file: REFERENCES,
    find: "wakeWaiting(admitted(undefined, namespace), enqueue, heldUp)",
    replace: "wakeWaiting(withRivals(admitted(undefined, namespace)), enqueue, heldUp)",
    killer: { ...OF_RIVALS, only: "for the first time" },
  },
  {
    name: "use-of-a-connection-wakes-rivals",
    promise: "that a connection is in use wakes nobody who has to do with others",
    file: CONNECTIONS,
    find: "isTellingWhy(before, now, id)) wakeUsers(id);",
    replace: "isTellingWhy(before, now, id)) wakeWithRivals(id);",
    killer: { ...TESTED, only: "is in use" },
  },
  {
    name: "edited-connection-asks-again-everywhere",
    promise: "of who uses another connection, only who wants the same thing hears of an edit",
    file: WIRED,
    find: ".flatMap((one) => kind.reader.byIndex(index, one))",
    replace: ".flatMap(() => kind.reader.list())",
    killer: { ...TESTED, only: "another name" },
  },
  {
    name: "lost-secret-unheard-of-another-connection",
    promise:
      "who lost a secret goes on when the connection of the other object is another, by whatever parent they name their place",
    file: WIRED,
    find: "  return [...parents]\n    .flatMap((parent) => secrets.reader.byIndex(PARENT_INDEX, parent))",
    replace: "  return [...parents]\n    .flatMap((): KubeObject[] => [])",
    killer: { ...TESTED, only: "lost a secret" },
  },
];
