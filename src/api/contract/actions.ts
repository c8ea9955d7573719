import { z } from "zod";
import { USUAL_ERRORS_500, messageSchema, noQuery, openEnum, projectParams, refSchema, response } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Branches and action runs": the runs of work on a branch. */

/** Steps of a run, in their order (endpoints.md, PATCH …/actions/{run_id}/status). */
export const RUN_STEPS = ["clone", "pull", "health", "configure", "migrate", "seed", "deploy"] as const;
export type RunStep = (typeof RUN_STEPS)[number];

export const RUN_STEP_STATUSES = ["CREATED", "DEAD", "EXITED", "PAUSED", "REMOVING", "RESTARTING", "RUNNING"] as const;
export type RunStepStatus = (typeof RUN_STEP_STATUSES)[number];

/** Fewest runs of one page (facts.md §1, actions list). */
const RUNS_PER_PAGE_MIN = 10;

export const actionRunSchema = response({
  id: z.string(),
  branch_id: z.string(),
  run_steps: z.array(
    response({
      name: openEnum(RUN_STEPS),
      status: openEnum(RUN_STEP_STATUSES),
      created_at: z.string(),
      updated_at: z.string(),
    }),
  ),
  /** its inner shape is not shown (behaviour.md, ActionRun) */
  git_config: z.unknown().optional(),
  workdir: z.string().nullish(),
  check_run_id: z.number().int().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type ActionRun = z.output<typeof actionRunSchema>;

const stepStatus = z.enum(RUN_STEP_STATUSES).optional();
const updateStatusBody = z.strictObject({
  clone: stepStatus,
  pull: stepStatus,
  health: stepStatus,
  configure: stepStatus,
  migrate: stepStatus,
  seed: stepStatus,
  deploy: stepStatus,
});

const runParams = z.strictObject({ ref: refSchema, run_id: z.string().min(1) });
const common = { limitScope: "project", stability: "stable" } as const;
const read = { scopes: ["environment:read"], permissions: allOf("action_runs_read"), retry: "read" } as const;

export const actions = {
  count: operation({
    ...common,
    ...read,
    id: "actions.count",
    summary: "Count the action runs of a project",
    method: "HEAD",
    path: "/v1/projects/{ref}/actions",
    params: projectParams,
    query: noQuery,
    success: { kind: "count", status: 200 },
    errors: [404, ...USUAL_ERRORS_500],
  }),
  list: operation({
    ...common,
    ...read,
    id: "actions.list",
    summary: "List the action runs of a project, by offset, newest first",
    method: "GET",
    path: "/v1/projects/{ref}/actions",
    params: projectParams,
    query: z.strictObject({
      offset: z.number().int().min(0).optional(),
      limit: z.number().int().min(RUNS_PER_PAGE_MIN).optional(),
    }),
    success: { kind: "json", status: 200, schema: z.array(actionRunSchema) },
    pagination: { by: "offset" },
    errors: [400, 404, ...USUAL_ERRORS_500],
  }),
  get: operation({
    ...common,
    ...read,
    id: "actions.get",
    summary: "Read an action run and its steps",
    method: "GET",
    path: "/v1/projects/{ref}/actions/{run_id}",
    params: runParams,
    query: noQuery,
    success: { kind: "json", status: 200, schema: actionRunSchema },
    errors: [404, ...USUAL_ERRORS_500],
  }),
  logs: operation({
    ...common,
    ...read,
    id: "actions.logs",
    summary: "Read what an action run wrote",
    method: "GET",
    path: "/v1/projects/{ref}/actions/{run_id}/logs",
    params: runParams,
    query: noQuery,
    success: { kind: "text", status: 200 },
    errors: [404, ...USUAL_ERRORS_500],
  }),
  updateStatus: operation({
    ...common,
    id: "actions.updateStatus",
    summary: "Set the status of steps of an action run",
    method: "PATCH",
    path: "/v1/projects/{ref}/actions/{run_id}/status",
    params: runParams,
    query: noQuery,
    body: { encoding: "json", schema: updateStatusBody },
    success: { kind: "json", status: 200, schema: messageSchema },
    errors: [400, 404, ...USUAL_ERRORS_500],
    scopes: ["environment:write"],
    permissions: allOf("action_runs_write"),
    retry: "once",
  }),
} as const;
