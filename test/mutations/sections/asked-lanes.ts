import type { Mutant } from "../mutant.ts";

/** engine.md §1: what stands in the queue, for whom, and in which lane. Part of the section of the work queue. */
export const askedLanes: readonly Mutant[] = [
  {
    name: "key-stands-in-twice",
    promise: "a key stands in once",
    file: "src/runtime/workqueue.ts",
    find: "    const old = this.#entries.get(id);\n",
    replace: "    const held = this.#entries.get(id);\n    const old = held?.ready === true ? undefined : held;\n",
    killer: { project: "unit", files: ["src/runtime/workqueue.test.ts"], only: "once however often it was added" },
  },
  {
    name: "bare-ref-takes-turns-with-its-namespace",
    promise: "the group of children of a project that no object manages is its ref",
    file: "src/controllers/shared/parents.ts",
    find: 'return project.kind === "Project" ? `${namespace}/${project.name}` : project.ref;',
    replace: 'return project.kind === "Project" ? `${namespace}/${project.name}` : namespace;',
    killer: { project: "unit", files: ["src/controllers/shared/parents.test.ts"] },
  },
  {
    name: "changed-secret-runs-nobody",
    promise: "change: a referenced Secret changed",
    file: "src/controllers/references-wired.ts",
    find: "run(living.filter((user) => !isRefused(user)));",
    replace: "",
    killer: { project: "unit", files: ["src/controllers/wiring.test.ts"], only: "what a section is made of" },
  },
  {
    name: "changed-reference-waits-with-drift",
    promise: "a referenced Secret that changed or went is a change, and no drift",
    file: "src/controllers/references-wired.ts",
    find: 'for (const user of found) enqueue(keyOf(user), { lane: "change", wasReady: isReadyNow(user) });\n  };\n  return {',
    replace: 'for (const user of found) enqueue(keyOf(user), { lane: "drift" });\n  };\n  return {',
    killer: { project: "unit", files: ["src/controllers/references.test.ts"] },
  },
  {
    name: "deletion-asks-for-no-run",
    promise: "change: deleted",
    file: "src/controllers/watching.ts",
    find: "    was.deletionTimestamp !== is.deletionTimestamp ||\n",
    replace: "",
    killer: { project: "unit", files: ["src/controllers/watching.test.ts"] },
  },
  {
    name: "drift-check-is-a-change",
    promise: "drift: the periodic look",
    file: "src/controllers/shared/policies.ts",
    find: '{ requeueAfterMs: interval, lane: "drift" }',
    replace: '{ requeueAfterMs: interval, lane: "change" }',
    killer: { project: "unit", files: ["src/controllers/shared/policies.test.ts"] },
  },
];
