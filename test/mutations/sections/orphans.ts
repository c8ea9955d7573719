import type { Section } from "../mutant.ts";

const GONE = "src/controllers/shared/place-gone.ts";
const GONE_TEST = { project: "loopback", files: ["src/controllers/place-gone.loopback.test.ts"] } as const;
const WIRED_TEST = { project: "unit", files: ["src/controllers/parents-wired.test.ts"] } as const;

/** engine.md §7: what is Ready in a place that is gone says so soon, whoever was watching. */
export const orphans: Section = {
  sign: "§7",
  name: "orphans",
  mutants: [
    {
      name: "siblings-of-a-bare-ref-untold",
      promise: "whoever hears first that a project is gone which no object manages wakes the others in it",
      file: GONE,
      find: "      return tellSiblings(environment, session, parentKey(namespace, spec));",
      replace: "      return;",
      killer: { ...GONE_TEST, only: "whatever else lives in it says so" },
    },
    {
      name: "object-of-a-gone-place-untold",
      promise: "whoever hears first that the project of an object is gone wakes that",
      file: GONE,
      find: '  environment.enqueue({ kind: parent.kind, namespace, name: parent.name }, { lane: "change", wasReady: true });\n',
      replace: "",
      killer: { ...GONE_TEST, only: "its Project, and all in it" },
    },
    {
      name: "lists-of-a-gone-place-count",
      promise: "nothing that was read of a place holds once the platform does not know it",
      file: "src/controllers/shared/snapshot.ts",
      find: "    for (const read of listsOf(snapshot)) read.wrote();\n",
      replace: "",
      killer: { project: "unit", files: ["src/controllers/shared/snapshot.test.ts"] },
    },
    {
      name: "mistaken-answer-told-to-all",
      promise: "one answer that a place is not known is no word for the others in it, who ask by themselves",
      file: "src/controllers/shared/snapshot.ts",
      find: "    return times > 1 && this",
      replace: "    return times > 0 && this",
      killer: { ...GONE_TEST, only: "a single mistaken answer" },
    },
    {
      name: "gone-place-asked-for-by-each",
      promise: "how often a place that is gone is asked for does not depend on how many live in it",
      file: GONE,
      find: "if (!snapshots.isGone(of, goneAgeMs(run.lane))) {",
      replace: "{",
      killer: { ...GONE_TEST, only: "however many live in it" },
    },
    {
      name: "place-that-is-back-stays-gone",
      promise: "a place that answers again is there",
      file: "src/controllers/shared/snapshot.ts",
      find: "void gone.delete(list)",
      replace: "void gone.has(list)",
      killer: { project: "unit", files: ["src/controllers/shared/snapshot.test.ts"] },
    },
    {
      name: "place-that-was-back-is-gone-untold",
      promise: "of a place that answered since it is told anew that it is gone",
      file: "src/controllers/shared/snapshot.ts",
      find: "void gone.delete(list)",
      replace: "void gone.has(list)",
      killer: { ...GONE_TEST, only: "once the token reads it again" },
    },
    {
      name: "one-list-told-every-minute",
      promise: "one list that goes on being answered 404 wakes the others in its place once",
      file: "src/controllers/shared/snapshot.ts",
      find: "const answered = (list: ListName): void => void gone.delete(list);",
      replace: "const answered = (_: ListName): void => gone.clear();",
      killer: { ...GONE_TEST, only: "speaks for itself alone" },
    },
    {
      name: "one-list-speaks-for-the-place",
      promise: "that one list is answered 404 is no word for who reads another one",
      file: GONE,
      find: "const of: PlaceList = { client: place.session.client, ref, list };",
      replace: 'const of: PlaceList = { client: place.session.client, ref, list: list && "secrets" };',
      killer: { ...GONE_TEST, only: "speaks for itself alone" },
    },
    {
      name: "children-of-a-missing-project-untold",
      promise: "what is Ready looks when what its Project or Branch stands for was found to be gone",
      file: "src/controllers/parents-wired.ts",
      find: "if (goes || stops) wakeOrphans",
      replace: "if (goes) wakeOrphans",
      killer: { ...GONE_TEST, only: "its Project, and all in it" },
    },
    {
      name: "start-misses-a-parent-that-goes",
      promise: "a start looks at what is Ready in something that is being deleted, or has gone",
      file: "src/controllers/wiring.ts",
      find: "    isOrphaned(environment, object) ||\n",
      replace: "",
      killer: { ...WIRED_TEST, only: "a start finds" },
    },
    {
      name: "start-misses-a-parent-that-went",
      promise: "a start that lists children before their parents looks at those whose parents have gone",
      file: "src/controllers/parents-wired.ts",
      find: "      synced: () => wakeOrphaned(environment),\n",
      replace: "",
      killer: { ...WIRED_TEST, only: "a start finds" },
    },
    {
      name: "start-takes-unseen-parents-for-gone",
      promise: "no parent has gone before all that there are were seen",
      file: "src/controllers/orphans.ts",
      find: "ancestor.raw === undefined ? reader.hasSynced :",
      replace: "ancestor.raw === undefined ? true :",
      killer: { ...WIRED_TEST, only: "a start finds" },
    },
  ],
};
