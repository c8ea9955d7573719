import type { Section } from "../mutant.ts";

const PARENTS = "src/controllers/parents-wired.ts";
const CONNECTIONS = "src/controllers/connections-wired.ts";
const REFERENCES = "src/controllers/references-wired.ts";
const TOUCHED = "src/controllers/touched.ts";
const DEPENDENTS = "src/controllers/shared/dependents.ts";
const OF_PARENTS = { project: "unit", files: ["src/controllers/parents-wired.test.ts"] } as const;
const OF_CONNECTIONS = { project: "unit", files: ["src/controllers/connections-wired.test.ts"] } as const;
const ASKED = { project: "loopback", files: ["src/controllers/touched.loopback.test.ts"] } as const;

/** engine.md §7: who is woken by what happens beside an object, and who is not. */
export const touched: Section = {
  sign: "§7",
  name: "touched",
  mutants: [
    {
      name: "label-of-a-parent-asks-again",
      promise: "what is written to a parent beside what its children look at has nothing asked for that was refused",
      file: PARENTS,
      find: "if (!sameJson(standingOf(environment, before), standingOf(environment, now))) wake(now);",
      replace: "wake(now);",
      killer: { ...ASKED, only: "somebody labels that" },
    },
    ...[
      { what: "ready", find: "ready: isReadyNow(parent), ", replace: "" },
      { what: "edit", find: "const stands = { generation, ", replace: "const stands = { " },
      { what: "state", find: "...reached, state, organization", replace: "...reached, organization" },
      {
        what: "ref",
        find: "const reached = { recordedFor, ref, connection };",
        replace: "const reached = { recordedFor, connection };",
      },
      {
        what: "record",
        find: "const reached = { recordedFor, ref, connection };",
        replace: "const reached = { ref, connection };",
      },
      {
        what: "connection",
        find: "const reached = { recordedFor, ref, connection };",
        replace: "const reached = { recordedFor, ref };",
      },
    ].map(({ what, find, replace }) => ({
      name: `parent-wakes-nobody-by-its-${what}`,
      promise: "who waits for a parent goes on when that is otherwise",
      file: PARENTS,
      find,
      replace,
      killer: { ...OF_PARENTS, only: "is woken by its parent" },
    })),
    {
      name: "project-unheard-in-its-branches",
      promise: "who waits in a Branch for the state of its Project goes on with that",
      file: PARENTS,
      find: 'if (child.kind === "Branch") wakeChildren(environment, child);',
      replace: "void child;",
      killer: { ...OF_PARENTS, only: "in a Branch is woken by the Project" },
    },
    {
      name: "any-connection-asks-again",
      promise: "a connection wakes only who may use it",
      file: CONNECTIONS,
      find: "!mayUse(environment, object, id) || isHeldUp(environment, object)",
      replace: "isHeldUp(environment, object)",
      killer: { ...ASKED, only: "another connection says otherwise" },
    },
    {
      name: "words-of-a-working-connection-ask-again",
      promise: "what a connection that works says of itself wakes nobody",
      file: CONNECTIONS,
      find: "(!isOpen(environment, id) && complainsOtherwise(before, now))",
      replace: "complainsOtherwise(before, now)",
      killer: { ...OF_CONNECTIONS, only: "while that works" },
    },
    ...[
      {
        what: "record",
        find: "  if (dependsOnByRecord(object, id)) return true;\n",
        replace: "",
        only: "it was reached through it",
      },
      {
        what: "default",
        find: "kind: undefined, name: DEFAULT_CONNECTION",
        replace: 'kind: undefined, name: ""',
        only: "it names none",
      },
      {
        what: "project",
        find: 'if (last?.kind === "Project") return last.object;',
        replace: 'if (last?.kind === "Project") return child;',
        only: "its Project names another",
      },
      {
        what: "project-record",
        find: "return dependsOnByRecord(asking, id) || mayMean(asking, id);",
        replace: "return mayMean(asking, id);",
        only: "its Project was reached through it",
      },
      {
        what: "branch",
        find: 'return above?.kind === "Branch" ? above.object : child;',
        replace: "return above === undefined ? undefined : child;",
        only: "its Branch names another",
      },
      {
        what: "unreadable",
        find: "if (parsed?.ok !== true) return true;",
        replace: "if (parsed?.ok !== true) return false;",
        only: "cannot be read",
      },
      {
        what: "absent-project",
        find: "return object.status.connection === undefined;",
        replace: "return false;",
        only: "its Project is not there",
      },
    ].map(({ what, only, ...change }) => ({
      name: `connection-of-an-object-misjudged-by-its-${what}`,
      promise: "a connection wakes all who may use it, and nobody else",
      file: DEPENDENTS,
      ...change,
      killer: { ...OF_CONNECTIONS, only },
    })),
    {
      name: "mark-of-a-namespace-asks-again",
      promise: "of a namespace only what admits it, and its end, wake what is in it",
      file: REFERENCES,
      find: "if (goes) wakeIn(",
      replace: 'if (goes || now.kind !== "") wakeIn(',
      killer: { ...ASKED, only: "marks its namespace" },
    },
    {
      name: "namespace-admitted-unheard",
      promise: "who waits to be admitted goes on when a label of the namespace lets it in",
      file: REFERENCES,
      find: "      else wakeAdmitted(before, now);\n",
      replace: "",
      killer: { ...OF_CONNECTIONS, only: "is admitted by a label" },
    },
    {
      name: "namespace-seen-late-unheard",
      promise: "a namespace that is seen after what is in it wakes whom it lets in",
      file: REFERENCES,
      find: "added: (namespace) => wakeAdmitted(undefined, namespace),",
      replace: "added: () => undefined,",
      killer: { ...OF_CONNECTIONS, only: "is seen after what is in it" },
    },
    {
      name: "going-namespace-unheard",
      promise: "who is in a namespace that goes looks at once",
      file: REFERENCES,
      find: "if (goes) wakeIn(now.metadata.name, () => false);",
      replace: "if (goes) return;",
      killer: { ...OF_CONNECTIONS, only: "wakes who waits or was refused" },
    },
    {
      name: "annotated-secret-asks-again",
      promise: "a Secret that holds what it held has nothing asked for that was refused",
      file: REFERENCES,
      find: " && !isRefused(user)",
      replace: "",
      killer: { ...ASKED, only: "annotates the Secret" },
    },
    {
      name: "held-values-unread",
      promise: "another value has what was refused asked for at once",
      file: TOUCHED,
      find: "[metadata?.uid, data, binaryData, users.toSorted()]",
      replace: "[metadata?.uid, binaryData, users.toSorted()]",
      killer: { ...ASKED, only: "each other password" },
    },
    {
      name: "touched-secret-always-another",
      promise: "what a Secret held is remembered",
      file: TOUCHED,
      find: "    this.#of.set(place, mark);\n",
      replace: "",
      killer: { ...ASKED, only: "annotates the Secret" },
    },
    {
      name: "taken-value-still-remembered",
      promise: "who was refused another value goes on at once with one that was there when it was refused first",
      file: TOUCHED,
      find: "        marks.forget(place);\n",
      replace: "",
      killer: { ...ASKED, only: "was refused, then taken, and is there again" },
    },
    {
      name: "end-of-an-object-asked-for-by-its-secret",
      promise: "who is being deleted needs no Secret, and is not woken by one",
      file: REFERENCES,
      find: "user.metadata.deletionTimestamp === undefined && !isRefused(user)",
      replace: "!isRefused(user) || user.metadata.deletionTimestamp !== undefined",
      killer: { ...ASKED, only: "the deletion of secrets" },
    },
  ],
};
