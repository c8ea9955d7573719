import type { Mutant } from "../mutant.ts";

const PROPERTY = "src/runtime/workqueue.property.test.ts";
const SIMULATION = "src/controllers/shared/lanes.simulation.test.ts";

/** What is kept for edits beside the last slots of a budget: workers, places of a group, and requests in flight. */
export const edits: readonly Mutant[] = [
  {
    name: "edits-wait-for-syncs-of-their-group",
    promise: "an edit's first call goes within a second, however slow the first syncs of its project are",
    file: "src/runtime/ready-set.ts",
    find: "put(this.#reservedTurns, line, mayRun);",
    replace: "put(this.#reservedTurns, line, mayRun && general < this.#maxRunningPerGroup);",
    killer: { project: "unit", files: [SIMULATION], only: "up to four" },
  },
  {
    name: "edits-wait-for-syncs-of-all-groups",
    promise: "nor does it wait for a worker, however many projects have slow ones",
    file: "src/runtime/controller.ts",
    find: '["general", "reserved"] as const',
    replace: '["general"] as const',
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
    find: "this.#ready.take(taker)",
    replace: "this.#ready.take()",
    killer: { project: "unit", files: ["src/runtime/workqueue-edits.test.ts"], only: "all that such callers get" },
  },
  {
    name: "edits-take-the-workers-of-all",
    promise: "and have their edits first, so that the others are there for everything else",
    file: "src/runtime/workqueue.ts",
    find: '    this.#serve("reserved", now);\n    this.#serve("general", now);',
    replace: '    this.#serve("general", now);\n    this.#serve("reserved", now);',
    killer: { project: "unit", files: ["src/runtime/workqueue-edits.test.ts"], only: "while there is one" },
  },
  {
    name: "edits-of-one-group-take-every-worker",
    promise: "whoever runs them, the edits of one group leave the workers of all to other groups",
    file: "src/runtime/ready-set.ts",
    find: 'if (taker === "general") running.general += by;',
    replace: 'if (taker === "general" && level !== this.#reserved) running.general += by;',
    killer: { project: "unit", files: ["src/runtime/workqueue-edits.test.ts"], only: "leave the other groups" },
  },
  {
    name: "edits-have-no-bound-in-their-group",
    promise: "and no more of them run at once than the group may",
    file: "src/runtime/ready-set.ts",
    find: "(!isReserved || reserved < this.#maxRunningPerGroup)",
    replace: "true",
    killer: { project: "unit", files: [PROPERTY], only: "under any sequence" },
  },
  {
    name: "places-of-a-group-stay-taken",
    promise: "a place that an edit had is free again once its run has ended, whoever ran it",
    file: "src/runtime/ready-set.ts",
    find: "    this.#count(group, { level, taker }, -1);",
    replace: '    this.#count(group, { level: taker === "general" ? level : -1, taker }, -1);',
    killer: { project: "unit", files: [PROPERTY], only: "under any sequence" },
  },
  {
    name: "failures-keep-their-place",
    promise: "a run that failed waits anew, and is not as urgent as one that got no budget",
    file: "src/runtime/workqueue.ts",
    find: "...(failed ? { afterMs } : ",
    replace: "...(failed ? { afterMs, sinceMs: item.sinceMs } : ",
    killer: { project: "unit", files: [PROPERTY], only: "under any sequence" },
  },
  {
    name: "moved-keys-stay-in-their-group",
    promise: "a key that belongs to another group takes turns, and places, with that",
    file: "src/runtime/workqueue.ts",
    find: "    old.group = options.group;\n",
    replace: "",
    killer: { project: "unit", files: [PROPERTY], only: "under any sequence" },
  },
  {
    name: "new-connections-are-edits",
    promise: "a connection that is new is no edit: many that answer nobody would hold what is kept for edits",
    file: "src/controllers/watching.ts",
    find: "ready || (eager && isKnown)",
    replace: "ready || eager",
    killer: {
      project: "unit",
      files: ["src/controllers/watching.test.ts"],
      only: "looked at before, and not a new one",
    },
  },
  {
    name: "any-record-makes-an-edit",
    promise: "nor who writes any text for a record",
    file: "src/controllers/watching.ts",
    find: "  return notedRef(object.metadata) !== undefined || glance(object).ready;",
    replace: "  return object.metadata.annotations?.[annotations.ref] !== undefined || glance(object).ready;",
    killer: { project: "unit", files: ["src/controllers/watching.test.ts"], only: "somebody wrote" },
  },
];
