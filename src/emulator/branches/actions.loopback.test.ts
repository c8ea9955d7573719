import { describe, expect, it } from "vitest";
import { z } from "zod";
import { actionRunSchema, RUN_STEPS } from "../../api/contract/actions.ts";
import { branchSchema } from "../../api/contract/branches.ts";
import { bodyAs, type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { A_WHILE, aBranch, aProject, deploy, message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const timings = { creatingBranchMs: 3000, runningMigrationsMs: 3000, migrationsPassedMs: 1000 };
const list = z.array(actionRunSchema);
const started = z.object({ workflow_run_id: z.string() });

/** A project with its default branch and a branch that is up. */
async function branched(under: EmulatorUnderTest): Promise<{
  readonly ref: string;
  readonly main: z.output<typeof branchSchema>;
  readonly dev: z.output<typeof branchSchema>;
}> {
  const ref = await aProject(under);
  return { ref, main: await aBranch(under, ref, "main"), dev: await aBranch(under, ref, "dev") };
}

async function runs({ call }: EmulatorUnderTest, ref: string, query = ""): Promise<z.output<typeof list>> {
  return bodyAs(list, await call("GET", `/v1/projects/${ref}/actions${query}`));
}

describe("creating a branch", () => {
  it("makes a run whose steps move with the branch's status", async () => {
    await using under = await emulatorUnderTest({ timings });
    const ref = await aProject(under);
    await aBranch(under, ref, "main");
    expect(await runs(under, ref)).toEqual([]); // nothing is left to be done for the default branch
    const made = await under.call("POST", `/v1/projects/${ref}/branches`, {
      body: { branch_name: "dev", git_branch: "feature" },
    });
    const branch = bodyAs(branchSchema, made);
    const [run] = await runs(under, ref);
    expect(run).toMatchObject({ branch_id: branch.id, git_config: null, check_run_id: branch.latest_check_run_id });
    expect(run?.run_steps.map(({ name }) => name)).toEqual(RUN_STEPS);
    const seen: string[] = [];
    for (const afterMs of [0, 1000, 2000, 1000, 2000, 1000]) {
      under.clock.advance(afterMs);
      const now = bodyAs(actionRunSchema, await under.call("GET", `/v1/projects/${ref}/actions/${run?.id ?? ""}`));
      const { status } = bodyAs(branchSchema, await under.call("GET", `/v1/projects/${ref}/branches/dev`));
      seen.push(`${status}: ${now.run_steps.map(({ status: step }) => step.slice(0, 1)).join("")}`);
    }
    expect(seen).toEqual([
      "CREATING_PROJECT: RCCCCCC",
      "CREATING_PROJECT: ERCCCCC",
      "RUNNING_MIGRATIONS: EEERCCC",
      "RUNNING_MIGRATIONS: EEEERCC",
      "MIGRATIONS_PASSED: EEEEEER",
      "FUNCTIONS_DEPLOYED: EEEEEEE",
    ]);
  });

  it("fails where a step is ordered to fail, and that once", async () => {
    await using under = await emulatorUnderTest({ timings });
    const ref = await aProject(under);
    await aBranch(under, ref, "main");
    await under.control.actions.failStep({ refOrName: "dev", step: "migrate", message: "relation exists already" });
    await aBranch(under, ref, "other");
    const dev = await aBranch(under, ref, "dev");
    await under.call("DELETE", `/v1/branches/${dev.id}`);
    const again = await aBranch(under, ref, "dev");
    const statuses = (await runs(under, ref)).map(
      (run) => run.run_steps.find(({ name }) => name === "migrate")?.status,
    );
    expect(statuses).toEqual(["EXITED", "DEAD", "EXITED"]);
    const branches = bodyAs(z.array(branchSchema), await under.call("GET", `/v1/projects/${ref}/branches`));
    expect(branches.map(({ status }) => status)).toEqual(branches.map(() => "FUNCTIONS_DEPLOYED"));
    expect(branches.at(-1)?.id).toBe(again.id);
  });
});

describe("merge, push and reset", () => {
  it.each([
    { verb: "merge", where: "main" },
    { verb: "push", where: "dev" },
    { verb: "reset", where: "dev" },
  ] as const)("$verb answers with the run that leads $where to its end", async ({ verb, where }) => {
    await using under = await emulatorUnderTest({ timings });
    const branches = await branched(under);
    const { ref, dev } = branches;
    const before = await runs(under, ref);
    await using client = typedClient(under);
    const input = { branch_id_or_ref: dev.id, body: {} };
    const answer = await client.branches[verb](input, { parentRef: ref });
    expect(answer.message).toBe("ok");
    const [run, ...others] = await client.actions.list({ ref });
    expect([run?.id, run?.branch_id, others.length]).toEqual([
      answer.workflow_run_id,
      branches[where].id,
      before.length,
    ]);
    const status = async () =>
      bodyAs(branchSchema, await under.call("GET", `/v1/projects/${ref}/branches/${where}`)).status;
    const seen = [await status()];
    for (const afterMs of [3000, 1000]) {
      under.clock.advance(afterMs);
      seen.push(await status());
    }
    expect(seen).toEqual(["RUNNING_MIGRATIONS", "MIGRATIONS_PASSED", "FUNCTIONS_DEPLOYED"]);
  });

  it.each([
    { step: "pull", end: "MIGRATIONS_FAILED" },
    { step: "migrate", end: "MIGRATIONS_FAILED" },
    { step: "deploy", end: "FUNCTIONS_FAILED" },
  ] as const)("end in $end where $step is ordered to fail, and deploy nothing", async ({ step, end }) => {
    await using under = await emulatorUnderTest({ timings });
    const { ref, main, dev } = await branched(under);
    await deploy(under, dev.project_ref, "hello");
    await under.control.actions.failStep({ refOrName: main.id, step, count: null, message: "no space left" });
    const { workflow_run_id: id } = bodyAs(started, await under.call("POST", `/v1/branches/${dev.id}/merge`));
    under.clock.advance(A_WHILE);
    const run = bodyAs(actionRunSchema, await under.call("GET", `/v1/projects/${ref}/actions/${id}`));
    const dead = run.run_steps.filter(({ status }) => status === "DEAD").map(({ name }) => name);
    const { status } = bodyAs(branchSchema, await under.call("GET", `/v1/projects/${ref}/branches/main`));
    expect([dead, status]).toEqual([[step], end]);
    expect((await under.call("GET", `/v1/projects/${ref}/functions`)).json).toEqual([]);
    expect((await under.call("GET", `/v1/projects/${ref}/actions/${id}/logs`)).text).toContain(
      `[${step}] no space left`,
    );
    await under.control.actions.mend();
    await under.call("POST", `/v1/branches/${dev.id}/merge`);
    under.clock.advance(A_WHILE);
    const mended = bodyAs(branchSchema, await under.call("GET", `/v1/projects/${ref}/branches/main`));
    expect(mended.status).toBe("FUNCTIONS_DEPLOYED");
    expect((await under.call("GET", `/v1/projects/${ref}/functions/hello`)).status).toBe(200);
  });
});

describe("two runs at the same time", () => {
  it("share no failure that was ordered once", async () => {
    await using under = await emulatorUnderTest({ timings });
    const { ref, main, dev } = await branched(under);
    await under.control.actions.failStep({ refOrName: main.id, step: "deploy", message: "no space left" });
    const merge = () => under.call("POST", `/v1/branches/${dev.id}/merge`);
    const both = await Promise.all([merge(), merge()]);
    under.clock.advance(A_WHILE);
    const ids = both.map((one) => bodyAs(started, one).workflow_run_id);
    const ended = (await runs(under, ref))
      .filter(({ id }) => ids.includes(id))
      .flatMap(({ run_steps: steps }) => steps);
    expect(ended.filter(({ status }) => status === "DEAD")).toHaveLength(1);
  });
});

describe("the runs of a project", () => {
  it("are counted in a header, listed newest first, and paged", async () => {
    await using under = await emulatorUnderTest();
    const { ref, dev } = await branched(under);
    for (let index = 0; index < 11; index++) {
      await under.call("POST", `/v1/branches/${dev.id}/push`);
      under.clock.advance(A_WHILE);
    }
    const counted = await under.call("HEAD", `/v1/projects/${ref}/actions`);
    expect([counted.status, counted.headers["x-total-count"], counted.text]).toEqual([200, "12", ""]);
    await using client = typedClient(under);
    expect(await client.actions.count({ ref })).toEqual({ count: 12 });
    const all = (await runs(under, ref)).map(({ id }) => id);
    expect(all).toHaveLength(12);
    const pages = [await runs(under, ref, "?limit=10"), await runs(under, ref, "?limit=10&offset=10")];
    expect(pages.map((page) => page.map(({ id }) => id))).toEqual([all.slice(0, 10), all.slice(10)]);
    const times = (await runs(under, ref)).map(({ created_at: at }) => at);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  it("are those of its branches, and outlive them; a branch's own project shows its own", async () => {
    await using under = await emulatorUnderTest();
    const { ref, dev } = await branched(under);
    const other = await aBranch(under, ref, "other");
    await under.call("POST", `/v1/branches/${dev.id}/merge`);
    expect((await runs(under, ref)).map(({ branch_id: id }) => id)).toHaveLength(3);
    expect((await runs(under, dev.project_ref)).map(({ branch_id: id }) => id)).toEqual([dev.id]);
    await under.call("DELETE", `/v1/branches/${other.id}`);
    expect(await runs(under, ref)).toHaveLength(3);
  });

  it.each(["?limit=9", "?limit=1.5", "?offset=-1", "?page=1", "?limit=ten"])(
    "are not listed with %s",
    async (query) => {
      await using under = await emulatorUnderTest();
      const ref = await aProject(under);
      expect((await under.call("GET", `/v1/projects/${ref}/actions${query}`)).status).toBe(400);
    },
  );

  it("are not found by another id, nor in another project", async () => {
    await using under = await emulatorUnderTest();
    const { ref, dev } = await branched(under);
    const [run] = await runs(under, ref);
    const other = await aProject(under, "other");
    const paths = [`${ref}/actions/none`, `${other}/actions/${run?.id ?? ""}`, `${"z".repeat(20)}/actions`];
    for (const path of paths) {
      const answers = [
        await under.call("GET", `/v1/projects/${path}`),
        await under.call("GET", `/v1/projects/${path}/logs`),
      ];
      expect([path, ...answers.map(({ status }) => status)]).toEqual([path, 404, 404]);
      expect((await under.call("PATCH", `/v1/projects/${path}/status`, { body: {} })).status).toBe(404);
    }
    expect((await under.call("GET", `/v1/projects/${dev.project_ref}/actions/${run?.id ?? ""}`)).status).toBe(200);
    const absent = await under.call("HEAD", `/v1/projects/${"z".repeat(20)}/actions`);
    expect([absent.status, absent.text]).toEqual([404, ""]);
  });
});

describe("the steps of a run", () => {
  it("are set by a caller and stay so", async () => {
    await using under = await emulatorUnderTest({ timings });
    const { ref, dev } = await branched(under);
    const { workflow_run_id: run_id } = bodyAs(started, await under.call("POST", `/v1/branches/${dev.id}/push`));
    await using client = typedClient(under);
    under.clock.advance(10);
    expect(await client.actions.updateStatus({ ref, run_id, body: { clone: "EXITED", seed: "PAUSED" } })).toEqual({
      message: "ok",
    });
    await client.actions.updateStatus({ ref, run_id, body: { seed: "REMOVING" } });
    under.clock.advance(A_WHILE);
    const { run_steps: steps, updated_at } = await client.actions.get({ ref, run_id });
    expect(steps.map(({ status }) => status)).toEqual([
      "EXITED",
      "EXITED",
      "EXITED",
      "EXITED",
      "EXITED",
      "REMOVING",
      "EXITED",
    ]);
    expect(steps[0]?.updated_at).toBe(steps[5]?.updated_at);
    expect(updated_at).toBe(steps[6]?.updated_at);
    expect(await client.actions.logs({ ref, run_id })).toContain("[seed] set to REMOVING");
  });

  it.each([
    { body: { clone: "DONE" }, says: "'EXITED'", because: "the status is none" },
    { body: { build: "EXITED" }, says: "'build'", because: "the step is none" },
    { body: { clone: null }, says: "clone", because: "null is no status" },
  ])("are not set when $because", async ({ body, says }) => {
    await using under = await emulatorUnderTest();
    const { ref } = await branched(under);
    const [run] = await runs(under, ref);
    const refused = await under.call("PATCH", `/v1/projects/${ref}/actions/${run?.id ?? ""}/status`, { body });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
  });
});

describe("the logs of a run", () => {
  it("are text that grows: what began, what was done, what ended", async () => {
    await using under = await emulatorUnderTest({ timings });
    const { ref, dev } = await branched(under);
    await deploy(under, dev.project_ref, "hello");
    const { workflow_run_id: run_id } = bodyAs(started, await under.call("POST", `/v1/branches/${dev.id}/merge`));
    const path = `/v1/projects/${ref}/actions/${run_id}/logs`;
    const at = new Date(under.clock.now()).toISOString();
    const first = await under.call("GET", path);
    expect([first.headers["content-type"], first.text]).toEqual([
      "text/plain; charset=utf-8",
      `${at} [clone] started\n`,
    ]);
    under.clock.advance(A_WHILE);
    const { text } = await under.call("GET", path);
    expect(text.startsWith(first.text)).toBe(true);
    expect(text.split("\n").map((line) => line.slice(at.length + 1))).toEqual([
      "[clone] started",
      `[clone] Merge into branch main (${ref})`,
      "[clone] done",
      "[pull] started",
      `[pull] Changes come from dev (${dev.project_ref})`,
      "[pull] done",
      "[health] started",
      "[health] done",
      "[configure] started",
      "[configure] done",
      "[migrate] started",
      "[migrate] No migrations to apply",
      "[migrate] done",
      "[seed] started",
      "[seed] done",
      "[deploy] started",
      "[deploy] Deployed function hello, version 1",
      "[deploy] done",
      "",
    ]);
  });
});
