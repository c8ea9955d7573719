import { describe, expect, it } from "vitest";
import { z } from "zod";
import { branchConfigSchema, branchSchema } from "../../api/contract/branches.ts";
import { bodyAs, type EmulatorUnderTest, emulatorUnderTest, TOKEN } from "../../../test/support/emulator/api.ts";
import { A_WHILE, aBranch, aProject, message } from "../../../test/support/emulator/scenario.ts";

const timings = { creatingBranchMs: 3000, runningMigrationsMs: 1000, migrationsPassedMs: 500, serviceLagMs: 2000 };
const list = z.array(branchSchema);

async function names({ call }: EmulatorUnderTest, ref: string): Promise<readonly string[]> {
  return bodyAs(list, await call("GET", `/v1/projects/${ref}/branches`)).map(({ name }) => name);
}

describe("creating a branch", () => {
  it("makes the first one of a project its default branch, whatever its name, with the project's own ref", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    expect(await names(under, ref)).toEqual([]);
    const made = await under.call("POST", `/v1/projects/${ref}/branches`, { body: { branch_name: "anything" } });
    expect([made.status, made.json]).toMatchObject([
      201,
      { name: "anything", is_default: true, project_ref: ref, parent_project_ref: ref, status: "FUNCTIONS_DEPLOYED" },
    ]);
  });

  it("gives later ones a ref and a life of their own", async () => {
    await using under = await emulatorUnderTest({ timings });
    const ref = await aProject(under);
    await aBranch(under, ref, "main");
    const body = { branch_name: "dev", git_branch: "feature", notify_url: "https://example.test/hook" };
    const made = bodyAs(branchSchema, await under.call("POST", `/v1/projects/${ref}/branches`, { body }));
    expect(made).toMatchObject({
      is_default: false,
      persistent: false,
      git_branch: "feature",
      parent_project_ref: ref,
    });
    expect(made.project_ref).not.toBe(ref);
    const seen: string[] = [];
    for (const afterMs of [0, 2999, 1, 1000, 500]) {
      under.clock.advance(afterMs);
      const { status, preview_project_status: preview } = bodyAs(
        branchSchema,
        await under.call("GET", `/v1/projects/${ref}/branches/dev`),
      );
      seen.push(`${status} ${preview ?? ""}`);
    }
    expect(seen).toEqual([
      "CREATING_PROJECT COMING_UP",
      "CREATING_PROJECT COMING_UP",
      "RUNNING_MIGRATIONS ACTIVE_HEALTHY",
      "MIGRATIONS_PASSED ACTIVE_HEALTHY",
      "FUNCTIONS_DEPLOYED ACTIVE_HEALTHY",
    ]);
  });

  it("[K-24] is done by the branch's status before its services are", async () => {
    await using under = await emulatorUnderTest({ timings });
    const ref = await aProject(under);
    await aBranch(under, ref, "main");
    await under.call("POST", `/v1/projects/${ref}/branches`, { body: { branch_name: "dev" } });
    under.clock.advance(4500);
    const branch = bodyAs(branchSchema, await under.call("GET", `/v1/projects/${ref}/branches/dev`));
    const health = () => under.call("GET", `/v1/projects/${branch.project_ref}/health?services=pooler`);
    expect([branch.status, (await health()).json]).toMatchObject(["FUNCTIONS_DEPLOYED", [{ healthy: false }]]);
    under.clock.advance(500);
    expect((await health()).json).toMatchObject([{ healthy: true }]);
  });

  it("stores its secrets in the branch alone", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await aBranch(under, ref, "main");
    const { project_ref } = await aBranch(under, ref, "dev", { secrets: { ONLY_HERE: "x" } });
    const has = async (where: string) =>
      (await under.call("GET", `/v1/projects/${where}/secrets`)).text.includes("ONLY_HERE");
    expect([await has(project_ref), await has(ref)]).toEqual([true, false]);
  });

  it.each([
    { body: {}, status: 400, says: "branch_name", because: "it has no name" },
    { body: { branch_name: "main" }, status: 409, says: "already exists", because: "the name is taken" },
    { body: { branch_name: "x", notify_url: "nowhere" }, status: 400, says: "notify_url", because: "the URL is none" },
    {
      body: { branch_name: "x", desired_instance_size: "tiny" },
      status: 400,
      says: "'pico'",
      because: "the size is unknown",
    },
    {
      body: { branch_name: "x", with_data: true },
      status: 400,
      says: "point-in-time",
      because: "[K-27] data needs PITR",
    },
    {
      body: { branch_name: "x", is_default: true },
      status: 422,
      says: "default",
      because: "there is a default branch",
    },
    {
      body: { branch_name: "x", secrets: { PLATFORM_A: "1" } },
      status: 400,
      says: "PLATFORM_A",
      because: "a secret's name is reserved",
    },
    { body: { branch_name: "x", secrets: { "": "1" } }, status: 400, says: "Invalid name", because: "one is nameless" },
    {
      body: { branch_name: "x", secrets: { A: "x".repeat(24_577) } },
      status: 400,
      says: "secrets.A",
      because: "a secret is too long",
    },
  ])("is refused with $status when $because", async ({ body, status, says }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await aBranch(under, ref, "main");
    const refused = await under.call("POST", `/v1/projects/${ref}/branches`, { body });
    expect([refused.status, message(refused)]).toEqual([status, expect.stringContaining(says)]);
    expect(await names(under, ref)).toEqual(["main"]);
    const { projects } = await under.control.state.read();
    expect(projects).toHaveLength(1);
  });

  it("[K-27] takes data along where PITR is on", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await under.control.projects.patch({ ref, pitr: true });
    await aBranch(under, ref, "main");
    expect((await aBranch(under, ref, "dev", { with_data: true })).with_data).toBe(true);
  });

  it("is refused while the project does not run", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await under.control.projects.force({ ref, status: "INACTIVE" });
    const refused = await under.call("POST", `/v1/projects/${ref}/branches`, { body: { branch_name: "main" } });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("INACTIVE")]);
  });

  it("[K-26] can be held in CREATING_PROJECT for ever", async () => {
    await using under = await emulatorUnderTest({ timings });
    const ref = await aProject(under);
    await aBranch(under, ref, "main");
    await under.control.branches.hold({ refOrName: "dev", at: "CREATING_PROJECT" });
    await aBranch(under, ref, "dev");
    const status = async () => bodyAs(branchSchema, await under.call("GET", `/v1/projects/${ref}/branches/dev`)).status;
    under.clock.advance(24 * 3_600_000);
    expect(await status()).toBe("CREATING_PROJECT");
    await under.control.branches.release({ refOrName: "dev" });
    under.clock.advance(A_WHILE);
    expect(await status()).toBe("FUNCTIONS_DEPLOYED");
  });
});

describe("reading a branch", () => {
  it("finds it by id and by ref, with its database", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await aBranch(under, ref, "main");
    const branch = await aBranch(under, ref, "feature/a b");
    const byId = bodyAs(branchConfigSchema, await under.call("GET", `/v1/branches/${branch.id}`));
    const byRef = bodyAs(branchConfigSchema, await under.call("GET", `/v1/branches/${branch.project_ref}`));
    expect(byRef).toEqual(byId);
    expect(byId).toMatchObject({
      ref: branch.project_ref,
      status: "ACTIVE_HEALTHY",
      db_port: 5432,
      db_user: "postgres",
    });
    const byName = await under.call("GET", `/v1/projects/${ref}/branches/${encodeURIComponent("feature/a b")}`);
    expect(bodyAs(branchSchema, byName).id).toBe(branch.id);
  });

  it("hides credentials from a token or role without the right, and a password that a caller has set from all", async () => {
    await using under = await emulatorUnderTest({ tokens: [TOKEN, "dev", "guest"] });
    await under.control.organizations.patch({
      slug: "acme",
      members: { "user-2": "Developer", "user-3": "Read-only" },
    });
    const ref = await aProject(under);
    await aBranch(under, ref, "main");
    const { project_ref } = await aBranch(under, ref, "dev");
    await under.control.tokens.add({ token: "fine", user: "owner", permissions: ["branching_development_read"] });
    const path = `/v1/branches/${project_ref}`;
    const shown = bodyAs(branchConfigSchema, await under.call("GET", path));
    expect([typeof shown.db_pass, typeof shown.jwt_secret]).toEqual(["string", "string"]);
    for (const token of ["fine", "dev", "guest"]) {
      const hidden = bodyAs(branchConfigSchema, await under.call("GET", path, { token }));
      expect([token, hidden.db_user, hidden.db_pass, hidden.jwt_secret]).toEqual([
        token,
        undefined,
        undefined,
        undefined,
      ]);
    }
    await under.call("PATCH", `/v1/projects/${project_ref}/database/password`, { body: { password: "hunter2" } });
    const after = await under.call("GET", path);
    expect([bodyAs(branchConfigSchema, after).db_pass, after.text.includes("hunter2")]).toEqual([undefined, false]);
  });

  it("answers 404 for what is not there, and for a branch of a project that the caller may not see", async () => {
    await using under = await emulatorUnderTest({ tokens: ["mine", "theirs"] });
    const mine: EmulatorUnderTest = {
      ...under,
      call: (method, path, sent) => under.call(method, path, { token: "mine", ...sent }),
    };
    const ref = await aProject(mine);
    const { id } = await aBranch(mine, ref, "main");
    const answers = await Promise.all([
      mine.call("GET", `/v1/projects/${ref}/branches/none`),
      mine.call("GET", `/v1/branches/${"z".repeat(20)}`),
      mine.call("GET", "/v1/branches/00000000-0000-4000-8000-000000000000"),
      under.call("GET", `/v1/branches/${id}`, { token: "theirs" }),
    ]);
    expect(answers.map(({ status, text }) => [status, text])).toEqual(
      answers.map(() => [404, '{"message":"Branch not found"}']),
    );
  });
});

describe("changing a branch", () => {
  it("renames it, makes it persistent, and puts it into a status", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await aBranch(under, ref, "main");
    const { id } = await aBranch(under, ref, "dev");
    const body = { branch_name: "test", persistent: true, request_review: true, status: "MIGRATIONS_FAILED" };
    const changed = await under.call("PATCH", `/v1/branches/${id}`, { body });
    expect([changed.status, changed.json]).toMatchObject([
      200,
      { name: "test", persistent: true, status: "MIGRATIONS_FAILED" },
    ]);
    expect(bodyAs(branchSchema, changed).review_requested_at).toBe(new Date(under.clock.now()).toISOString());
    expect(await names(under, ref)).toEqual(["main", "test"]);
    const { projects } = await under.control.state.read();
    expect(projects.map(({ name }) => name)).toEqual(["shop", "test"]);
  });

  it.each([
    { body: { branch_name: "main" }, status: 409, because: "the name is taken" },
    { body: { status: "SHINING" }, status: 400, because: "the status is unknown" },
    { body: { color: 1 }, status: 400, because: "the field is unknown" },
  ])("is refused with $status when $because", async ({ body, status }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await aBranch(under, ref, "main");
    const { id } = await aBranch(under, ref, "dev");
    expect((await under.call("PATCH", `/v1/branches/${id}`, { body })).status).toBe(status);
  });
});

describe("deleting a branch", () => {
  it("[K-25] is refused with 422 for a persistent one until it is none", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await aBranch(under, ref, "main");
    const { id, project_ref } = await aBranch(under, ref, "dev", { persistent: true });
    for (const query of ["", "?force=false", "?force=true"]) {
      const refused = await under.call("DELETE", `/v1/branches/${id}${query}`);
      expect([refused.status, message(refused)]).toEqual([422, expect.stringContaining("persistent=false")]);
    }
    await under.call("PATCH", `/v1/branches/${id}`, { body: { persistent: false } });
    expect(await under.call("DELETE", `/v1/branches/${id}`)).toMatchObject({ status: 200, json: { message: "ok" } });
    expect((await under.call("GET", `/v1/branches/${id}`)).status).toBe(404);
    expect((await under.call("GET", `/v1/projects/${project_ref}/health?services=db`)).status).toBe(404);
    expect((await under.call("DELETE", `/v1/branches/${id}`)).status).toBe(404);
  });

  it("is refused with 422 for the default one", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const { id } = await aBranch(under, ref, "main");
    const refused = await under.call("DELETE", `/v1/branches/${id}`);
    expect([refused.status, message(refused)]).toEqual([422, expect.stringContaining("default")]);
  });

  it("with force=false waits an hour where soft deletion is on, and is at once where it is off", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await aBranch(under, ref, "main");
    const hard = await aBranch(under, ref, "hard");
    await under.call("DELETE", `/v1/branches/${hard.id}?force=false`);
    expect(await names(under, ref)).toEqual(["main"]);
    await under.control.projects.patch({ ref, softBranchDeletion: true });
    const { id } = await aBranch(under, ref, "soft");
    expect((await under.call("DELETE", `/v1/branches/${id}?force=false`)).status).toBe(200);
    const scheduled = bodyAs(branchSchema, await under.call("GET", `/v1/projects/${ref}/branches/soft`));
    expect(scheduled.deletion_scheduled_at).toBe(new Date(under.clock.now() + 3_600_000).toISOString());
    under.clock.advance(3_000_000);
    await under.call("DELETE", `/v1/branches/${id}?force=false`); // asked again: the hour goes on
    under.clock.advance(599_999);
    expect(await names(under, ref)).toEqual(["main", "soft"]);
    under.clock.advance(1);
    expect(await names(under, ref)).toEqual(["main"]);
    expect((await under.call("GET", `/v1/branches/${id}`)).status).toBe(404);
  });

  it("without force=false is at once, also where soft deletion is on", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await under.control.projects.patch({ ref, softBranchDeletion: true });
    await aBranch(under, ref, "main");
    const { id } = await aBranch(under, ref, "dev");
    await under.call("DELETE", `/v1/branches/${id}`);
    expect(await names(under, ref)).toEqual(["main"]);
  });

  it("happens to all of them when branching is switched off", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await aBranch(under, ref, "main");
    await aBranch(under, ref, "dev", { persistent: true });
    expect(await under.call("DELETE", `/v1/projects/${ref}/branches`)).toMatchObject({ status: 200, json: {} });
    expect(await names(under, ref)).toEqual([]);
    expect((await under.call("GET", `/v1/projects/${ref}`)).status).toBe(200);
  });
});
