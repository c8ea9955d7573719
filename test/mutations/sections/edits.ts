import type { Mutant } from "../mutant.ts";

const SIMULATION = "src/controllers/shared/lanes.simulation.test.ts";

/** What is kept for edits beside the last slots of a budget: workers, places of a group, and requests in flight. */
export const edits: readonly Mutant[] = [
  {
    name: "edits-wait-for-syncs-of-their-group",
    promise: "an edit's first call goes within a second, however slow the first syncs of its project are",
    file: "src/runtime/ready-set.ts",
    find: 'return level === this.#apart ? "apart" : "together";',
    replace: 'return "together";',
    killer: { project: "unit", files: [SIMULATION], only: "up to four" },
  },
  {
    name: "edits-wait-for-syncs-of-all-groups",
    promise: "nor does it wait for a worker, however many projects have slow ones",
    file: "src/runtime/controller.ts",
    find: "Math.floor(workers / 2)",
    replace: "0",
    killer: { project: "unit", files: [SIMULATION], only: "of three projects" },
  },
  {
    name: "edits-wait-for-slow-answers",
    promise: "nor for slow answers to others, where few may be in flight",
    file: "src/api/lanes.ts",
    find: "const RESERVED_IN_FLIGHT = 1 / 4;",
    replace: "const RESERVED_IN_FLIGHT = 0;",
    killer: { project: "unit", files: [SIMULATION], only: "no headers" },
  },
  {
    name: "syncs-take-the-workers-of-edits",
    promise: "the workers that edits have for themselves do nothing else",
    file: "src/runtime/workqueue.ts",
    find: 'takes === "edits" ? EDITS : undefined',
    replace: "undefined",
    killer: { project: "unit", files: ["src/runtime/workqueue-edits.test.ts"], only: "all that such callers get" },
  },
  {
    name: "edits-take-the-workers-of-all",
    promise: "and have their edits first, so that the others are there for everything else",
    file: "src/runtime/workqueue.ts",
    find: '    this.#serve("edits", now);\n    this.#serve("all", now);',
    replace: '    this.#serve("all", now);\n    this.#serve("edits", now);',
    killer: { project: "unit", files: ["src/runtime/workqueue-edits.test.ts"], only: "while there is one" },
  },
];
