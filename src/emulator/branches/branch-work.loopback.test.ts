import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { actionRunSchema } from "../../api/contract/actions.ts";
import { branchSchema } from "../../api/contract/branches.ts";
import { BUNDLE_MEDIA_TYPE, functionSchema } from "../../api/contract/functions.ts";
import { bodyAs, deployForm, type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { A_WHILE, aBranch, aProject, deploy, message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const NO_BRANCH = "00000000-0000-4000-8000-000000000000";
const functionList = z.array(functionSchema);
const started = z.object({ workflow_run_id: z.string() });

async function branched(
  under: EmulatorUnderTest,
): Promise<{ readonly ref: string; readonly dev: z.output<typeof branchSchema> }> {
  const ref = await aProject(under);
  await aBranch(under, ref, "main");
  return { ref, dev: await aBranch(under, ref, "dev") };
}

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "baas-branches-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function versions({ call }: EmulatorUnderTest, ref: string): Promise<readonly string[]> {
  const all = bodyAs(functionList, await call("GET", `/v1/projects/${ref}/functions`));
  return all.map(({ slug, version }) => `${slug} ${version}`);
}

/** Deploys a function with content of its own. */
async function deployed({ call }: EmulatorUnderTest, ref: string, slug: string, content: string): Promise<void> {
  const body = deployForm({ entrypoint_path: "index.ts", verify_jwt: false }, { "index.ts": content });
  expect((await call("POST", `/v1/projects/${ref}/functions/deploy?slug=${slug}`, { body })).status).toBe(201);
}

describe("merging a branch", () => {
  it("brings its functions to the parent: new ones, changed ones with the next version, the same ones untouched", async () => {
    await using under = await emulatorUnderTest();
    const { ref, dev } = await branched(under);
    await deployed(under, ref, "same", "1");
    await deployed(under, ref, "changed", "1");
    await deployed(under, ref, "changed", "2");
    await deployed(under, ref, "own", "1");
    await deployed(under, dev.project_ref, "same", "1");
    await deployed(under, dev.project_ref, "changed", "3");
    await deployed(under, dev.project_ref, "added", "1");
    const before = bodyAs(functionSchema, await under.call("GET", `/v1/projects/${ref}/functions/changed`));
    await under.call("POST", `/v1/branches/${dev.id}/merge`, { body: {} });
    expect(await versions(under, ref)).toEqual(["same 1", "changed 3", "own 1", "added 1"]);
    const after = bodyAs(functionSchema, await under.call("GET", `/v1/projects/${ref}/functions/changed`));
    const source = bodyAs(functionSchema, await under.call("GET", `/v1/projects/${dev.project_ref}/functions/changed`));
    expect([after.id, after.created_at]).toEqual([before.id, before.created_at]);
    expect([after.ezbr_sha256, after.verify_jwt]).toEqual([source.ezbr_sha256, false]);
    expect(await versions(under, dev.project_ref)).toEqual(["same 1", "changed 1", "added 1"]);
  });

  it("brings no hash that somebody only said: it is no content, and the upload has its own", async () => {
    await using under = await emulatorUnderTest();
    const { ref, dev } = await branched(under);
    const read = async (of: string, slug: string) =>
      bodyAs(functionSchema, await under.call("GET", `/v1/projects/${of}/functions/${slug}`));
    for (const slug of ["same", "added"]) await deploy(under, dev.project_ref, slug);
    await deploy(under, ref, "same");
    const own = await read(dev.project_ref, "added");
    for (const slug of ["same", "added"]) {
      const path = `/v1/projects/${dev.project_ref}/functions/${slug}?ezbr_sha256=said`;
      expect((await under.call("PATCH", path, { body: {} })).json).toMatchObject({ ezbr_sha256: "said" });
    }
    await under.call("POST", `/v1/branches/${dev.id}/merge`, { body: {} });
    expect(await versions(under, ref)).toEqual(["same 1", "added 1"]);
    expect((await read(ref, "added")).ezbr_sha256).toBe(own.ezbr_sha256);
  });

  it("takes a function that was saved in between for the same as one that was not", async () => {
    const dataDir = aFolder();
    const uploaded = async ({ call }: EmulatorUnderTest, ref: string) => {
      const bundle = { body: Buffer.from("made elsewhere"), headers: { "content-type": BUNDLE_MEDIA_TYPE } };
      expect((await call("POST", `/v1/projects/${ref}/functions?slug=raw`, bundle)).status).toBe(201);
    };
    const { ref, dev } = await (async () => {
      await using before = await emulatorUnderTest({ dataDir });
      const made = await branched(before);
      for (const slug of ["same", "other"]) await deployed(before, made.dev.project_ref, slug, "1");
      await uploaded(before, made.dev.project_ref);
      return made;
    })();
    await using under = await emulatorUnderTest({ dataDir });
    under.clock.advance(3 * A_WHILE); // the time at which it was saved
    await deployed(under, ref, "same", "1");
    await deployed(under, ref, "other", "2");
    await uploaded(under, ref);
    expect((await under.call("POST", `/v1/branches/${dev.id}/merge`)).status).toBe(201);
    expect(await versions(under, ref)).toEqual(["same 1", "other 2", "raw 1"]);
  });

  it("again deploys nothing", async () => {
    await using under = await emulatorUnderTest();
    const { ref, dev } = await branched(under);
    await deploy(under, dev.project_ref, "hello");
    for (let count = 0; count < 2; count++) {
      await under.call("POST", `/v1/branches/${dev.id}/merge`);
      under.clock.advance(A_WHILE);
    }
    expect(await versions(under, ref)).toEqual(["hello 1"]);
  });

  it.each([
    { because: "a function does not bundle", says: "Failed to bundle function b: boom" },
    { because: "the plan allows no more functions", says: "Max number of functions" },
  ])("fails in its deploy step when $because, and deploys none", async ({ because, says }) => {
    await using under = await emulatorUnderTest();
    const { ref, dev } = await branched(under);
    await deploy(under, dev.project_ref, "a");
    await deploy(under, dev.project_ref, "b");
    if (because.includes("bundle")) await under.control.functions.failBundle({ ref, slug: "b", message: "boom" });
    else await under.control.organizations.patch({ slug: "acme", quotas: { functionsPerProject: 1 } });
    const { workflow_run_id: id } = bodyAs(started, await under.call("POST", `/v1/branches/${dev.id}/merge`));
    under.clock.advance(A_WHILE);
    const run = bodyAs(actionRunSchema, await under.call("GET", `/v1/projects/${ref}/actions/${id}`));
    expect(run.run_steps.at(-1)).toMatchObject({ name: "deploy", status: "DEAD" });
    expect((await under.call("GET", `/v1/projects/${ref}/actions/${id}/logs`)).text).toContain(says);
    const { status } = bodyAs(branchSchema, await under.call("GET", `/v1/projects/${ref}/branches/main`));
    expect([status, await versions(under, ref)]).toEqual(["FUNCTIONS_FAILED", []]);
  });
});

describe("pushing to a branch", () => {
  it("brings the parent's functions to it, and leaves the branch's own", async () => {
    await using under = await emulatorUnderTest();
    const { ref, dev } = await branched(under);
    await deploy(under, ref, "hello");
    await deploy(under, dev.project_ref, "own");
    await under.call("POST", `/v1/branches/${dev.project_ref}/push`);
    expect(await versions(under, dev.project_ref)).toEqual(["own 1", "hello 1"]);
    expect(await versions(under, ref)).toEqual(["hello 1"]);
  });
});

describe("resetting a branch", () => {
  it("leaves functions alone", async () => {
    await using under = await emulatorUnderTest();
    const { ref, dev } = await branched(under);
    await deploy(under, ref, "hello");
    await deploy(under, dev.project_ref, "own");
    await under.call("POST", `/v1/branches/${dev.id}/reset`);
    expect(await versions(under, dev.project_ref)).toEqual(["own 1"]);
  });
});

describe("merge, push, reset and diff", () => {
  const verbs = [
    ["POST", "merge"],
    ["POST", "push"],
    ["POST", "reset"],
  ] as const;

  it("are refused with 422 for the default branch, which is the project itself", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const { id } = await aBranch(under, ref, "main");
    for (const [method, verb] of verbs) {
      const refused = await under.call(method, `/v1/branches/${id}/${verb}`);
      expect([verb, refused.status, message(refused)]).toEqual([verb, 422, expect.stringContaining("default branch")]);
    }
    expect((await under.call("GET", `/v1/branches/${id}/diff`)).text).toBe("");
  });

  it("are refused with 400 while the branch is being made", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await aBranch(under, ref, "main");
    const made = await under.call("POST", `/v1/projects/${ref}/branches`, { body: { branch_name: "dev" } });
    const { id } = bodyAs(branchSchema, made);
    for (const [method, verb] of [...verbs, ["GET", "diff"] as const]) {
      const refused = await under.call(method, `/v1/branches/${id}/${verb}`);
      expect([verb, refused.status, message(refused)]).toEqual([
        verb,
        400,
        expect.stringContaining("CREATING_PROJECT"),
      ]);
    }
    under.clock.advance(A_WHILE);
    expect((await under.call("GET", `/v1/branches/${id}/diff`)).status).toBe(200);
  });

  it("answer 404 for a branch that is not there, as restore does", async () => {
    await using under = await emulatorUnderTest();
    for (const [method, verb] of [...verbs, ["GET", "diff"] as const, ["POST", "restore"] as const]) {
      const refused = await under.call(method, `/v1/branches/${NO_BRANCH}/${verb}`);
      expect([verb, refused.status, refused.text]).toEqual([verb, 404, '{"message":"Branch not found"}']);
    }
  });

  it.each([
    { body: { migration_version: "first" }, says: "digits", because: "a version has digits only" },
    { body: { migration_version: 1 }, says: "migration_version", because: "a number is no string" },
    { body: { migration_version: "20260101000000" }, says: "history", because: "the history does not have it" },
    { body: { version: "1" }, says: "'version'", because: "the field is unknown" },
  ])("are refused with 400 when $because", async ({ body, says }) => {
    await using under = await emulatorUnderTest();
    const { ref, dev } = await branched(under);
    for (const [method, verb] of verbs) {
      const refused = await under.call(method, `/v1/branches/${dev.id}/${verb}`, { body });
      expect([verb, refused.status, message(refused)]).toEqual([verb, 400, expect.stringContaining(says)]);
    }
    expect((await under.call("HEAD", `/v1/projects/${ref}/actions`)).headers["x-total-count"]).toBe("1");
  });

  const refusedQueries = [
    "?included_schemas=",
    "?included_schemas=public,",
    "?included_schemas=a%00",
    "?pgdelta=1",
    "?schemas=public",
  ];
  it.each(refusedQueries)("do not take %s: diff", async (query) => {
    await using under = await emulatorUnderTest();
    const { dev } = await branched(under);
    expect((await under.call("GET", `/v1/branches/${dev.id}/diff${query}`)).status).toBe(400);
  });
});

describe("a project of which nobody uses SQL", () => {
  it("has no database, whatever is done to its branches", async () => {
    const dataDir = aFolder();
    await using under = await emulatorUnderTest({ dataDir });
    const { dev } = await branched(under);
    for (const verb of ["merge", "push", "reset"]) {
      expect((await under.call("POST", `/v1/branches/${dev.id}/${verb}`)).status).toBe(201);
      under.clock.advance(A_WHILE);
    }
    expect((await under.call("GET", `/v1/branches/${dev.id}/diff`)).text).toBe("");
    const databases = join(dataDir, "databases");
    expect(existsSync(databases) ? readdirSync(databases) : []).toEqual([]);
  });
});

describe("restoring a branch", () => {
  it("cancels its scheduled deletion", async () => {
    await using under = await emulatorUnderTest();
    const { ref, dev } = await branched(under);
    await under.control.projects.patch({ ref, softBranchDeletion: true });
    await using client = typedClient(under);
    const branch = { branch_id_or_ref: dev.id };
    await client.branches.delete({ ...branch, force: false }, { parentRef: ref });
    under.clock.advance(3_599_999);
    expect(await client.branches.restore(branch, { parentRef: ref })).toEqual({
      message: "Branch restoration initiated",
    });
    under.clock.advance(3_600_000);
    const restored = await client.branches.getByName({ ref, name: "dev" });
    expect([restored.id, restored.deletion_scheduled_at]).toEqual([dev.id, undefined]);
    expect((await under.call("GET", `/v1/projects/${dev.project_ref}/health?services=db`)).status).toBe(200);
  });

  it("is refused with 422 where no deletion is scheduled, and with 404 when the hour is over", async () => {
    await using under = await emulatorUnderTest();
    const { ref, dev } = await branched(under);
    const path = `/v1/branches/${dev.id}/restore`;
    const refused = await under.call("POST", path);
    expect([refused.status, message(refused)]).toEqual([422, expect.stringContaining("not scheduled")]);
    await under.control.projects.patch({ ref, softBranchDeletion: true });
    await under.call("DELETE", `/v1/branches/${dev.id}?force=false`);
    under.clock.advance(3_600_000);
    expect((await under.call("POST", path)).status).toBe(404);
  });
});

describe("branching that is off", () => {
  it("shows as no branches, or is refused with 422 by older servers", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const path = `/v1/projects/${ref}/branches`;
    expect(await under.call("GET", path)).toMatchObject({ status: 200, json: [] });
    await under.control.settings.patch({ branchesWithoutBranching: "refused" });
    const refused = await under.call("GET", path);
    expect([refused.status, message(refused)]).toEqual([422, expect.stringContaining("not enabled")]);
    await aBranch(under, ref, "main");
    expect((await under.call("GET", path)).status).toBe(200);
    await under.call("DELETE", path);
    expect((await under.call("GET", path)).status).toBe(422);
  });
});
