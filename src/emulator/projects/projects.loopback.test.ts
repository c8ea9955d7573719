import { describe, expect, it } from "vitest";
import { z } from "zod";
import { orgProjectItemSchema } from "../../api/contract/organizations.ts";
import { projectDetailSchema, projectRefSchema, projectSchema } from "../../api/contract/projects.ts";
import { bodyAs, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { A_WHILE, aBranch, aProject, message, NEW_PROJECT } from "../../../test/support/emulator/scenario.ts";

const timings = {
  unknownMs: 1000,
  comingUpMs: 4000,
  serviceLagMs: 1000,
  pausingMs: 2000,
  restoringMs: 3000,
  restartingMs: 1000,
};
const health = z.array(
  z.looseObject({ name: z.string(), healthy: z.boolean(), status: z.string(), error: z.string().optional() }),
);

describe("creating a project", () => {
  it("answers with what was asked for, and with status UNKNOWN", async () => {
    await using under = await emulatorUnderTest({ timings });
    const made = await under.call("POST", "/v1/projects", {
      body: { ...NEW_PROJECT, name: "shop", region_selection: { type: "specific", code: "eu-west-1" } },
    });
    expect(made.status).toBe(201);
    expect(bodyAs(projectSchema, made)).toMatchObject({
      name: "shop",
      region: "eu-west-1",
      organization_slug: "acme",
      status: "UNKNOWN",
      created_at: "2026-01-01T00:00:00.000Z",
    });
    const { id, ref } = bodyAs(projectSchema, made);
    expect([ref, id]).toEqual([expect.stringMatching(/^[a-z]{20}$/), ref]);
  });

  it.each([
    { afterMs: 0, status: "UNKNOWN" },
    { afterMs: 1000, status: "COMING_UP" },
    { afterMs: 4999, status: "COMING_UP" },
    { afterMs: 5000, status: "ACTIVE_HEALTHY" },
  ])("leads to $status after $afterMs ms", async ({ afterMs, status }) => {
    await using under = await emulatorUnderTest({ timings });
    const { ref } = bodyAs(
      projectSchema,
      await under.call("POST", "/v1/projects", { body: { ...NEW_PROJECT, name: "a" } }),
    );
    under.clock.advance(afterMs);
    const read = bodyAs(projectDetailSchema, await under.call("GET", `/v1/projects/${ref}`));
    expect([read.status, read.database?.host]).toEqual([status, `db.${ref}.emulator.test`]);
  });

  it("is refused for a name that the organization has, and allowed again once that project is gone", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under, "shop");
    const again = () => under.call("POST", "/v1/projects", { body: { ...NEW_PROJECT, name: "shop" } });
    const refused = await again();
    expect([refused.status, message(refused)]).toEqual([
      409,
      'Project with name "shop" already exists in your organization',
    ]);
    await under.call("DELETE", `/v1/projects/${ref}`);
    expect((await again()).status).toBe(201);
  });

  it("[K-05] is refused with words about the slug for an organization's id", async () => {
    await using under = await emulatorUnderTest();
    const { organizations } = await under.control.state.read();
    const refused = await under.call("POST", "/v1/projects", {
      body: { ...NEW_PROJECT, organization_slug: organizations[0]?.id, name: "shop" },
    });
    expect([refused.status, message(refused)]).toEqual([
      400,
      expect.stringMatching(/Organization not found; expected the slug/),
    ]);
  });

  it("still takes the fields that are deprecated: the region of one of them is that of the project", async () => {
    await using under = await emulatorUnderTest();
    const deprecated = { organization_id: "any", plan: "pro", region: "ca-central-1", kps_enabled: true };
    const made = await under.call("POST", "/v1/projects", { body: { ...NEW_PROJECT, ...deprecated, name: "shop" } });
    expect([made.status, made.json]).toMatchObject([201, { region: "ca-central-1", organization_slug: "acme" }]);
  });

  it.each([
    { body: { name: "x" }, says: "db_pass", because: "a required field is missing" },
    { body: { ...NEW_PROJECT, name: "x".repeat(257) }, says: "name", because: "the name is too long" },
    { body: { ...NEW_PROJECT, name: "x", region: "mars" }, says: "received 'mars'", because: "the region is unknown" },
    { body: { ...NEW_PROJECT, name: "x", color: "red" }, says: "'color'", because: "the field is unknown" },
    { body: undefined, says: "name: Invalid input: expected string", because: "there is no body" },
    { body: "{", says: "body: expected JSON", because: "the body is cut" },
  ])("is refused with 400 that says $says when $because", async ({ body, says }) => {
    await using under = await emulatorUnderTest();
    const headers = { "content-type": "application/json" };
    const refused = await under.call("POST", "/v1/projects", { body, headers });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
  });

  it("is refused with 402 above the organization's quota", async () => {
    await using under = await emulatorUnderTest({
      seed: { organizations: [{ slug: "acme", quotas: { projects: 1 }, members: { owner: "Owner" } }] },
    });
    await aProject(under, "one");
    expect((await under.call("POST", "/v1/projects", { body: { ...NEW_PROJECT, name: "two" } })).status).toBe(402);
  });
});

describe("reading projects", () => {
  it("shows a project by itself, in the list of all and in the organization's", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under, "shop");
    const one = bodyAs(projectDetailSchema, await under.call("GET", `/v1/projects/${ref}`));
    const all = bodyAs(z.array(projectDetailSchema), await under.call("GET", "/v1/projects"));
    expect(all).toEqual([one]);
    const page = bodyAs(
      z.looseObject({ projects: z.array(orgProjectItemSchema) }),
      await under.call("GET", "/v1/organizations/acme/projects"),
    );
    expect(page.projects).toMatchObject([{ ref, name: "shop", is_branch: false, status: "ACTIVE_HEALTHY" }]);
  });

  it("says the same of a project that is not there and of one that the caller may not see", async () => {
    await using under = await emulatorUnderTest({ tokens: ["mine", "theirs"] });
    const made = await under.call("POST", "/v1/projects", { token: "mine", body: { ...NEW_PROJECT, name: "shop" } });
    const { ref } = bodyAs(projectSchema, made);
    const foreign = await under.call("GET", `/v1/projects/${ref}`, { token: "theirs" });
    const unknown = await under.call("GET", `/v1/projects/${"z".repeat(20)}`, { token: "theirs" });
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
    expect(foreign.text).toBe('{"message":"Project not found"}');
    expect((await under.call("GET", "/v1/projects", { token: "theirs" })).json).toEqual([]);
  });

  it("[K-23] does not know a branch's ref by the project's own path, and knows it by the others", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await aBranch(under, ref, "main");
    const { project_ref: branchRef } = await aBranch(under, ref, "dev");
    const status = async (method: string, path: string) => (await under.call(method, path)).status;
    expect(await status("GET", `/v1/projects/${branchRef}`)).toBe(404);
    expect(await status("GET", `/v1/projects/${branchRef}/health?services=db`)).toBe(200);
    expect(await status("GET", `/v1/projects/${branchRef}/secrets`)).toBe(200);
    expect(await status("GET", `/v1/projects/${branchRef}/functions`)).toBe(200);
    expect(await status("DELETE", `/v1/projects/${branchRef}`)).toBe(404);
  });
});

describe("changing a project", () => {
  it("renames it", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under, "shop");
    const renamed = await under.call("PATCH", `/v1/projects/${ref}`, { body: { name: "store" } });
    expect(bodyAs(projectRefSchema, renamed)).toMatchObject({ ref, name: "store" });
    expect(bodyAs(projectDetailSchema, await under.call("GET", `/v1/projects/${ref}`)).name).toBe("store");
  });

  it("refuses a name that another project has", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under, "shop");
    await aProject(under, "store");
    expect((await under.call("PATCH", `/v1/projects/${ref}`, { body: { name: "store" } })).status).toBe(409);
    expect((await under.call("PATCH", `/v1/projects/${ref}`, { body: { name: "shop" } })).status).toBe(200);
  });

  it("takes a new password, which no answer ever shows", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const before = (await under.control.state.read()).projects[0]?.databasePassword;
    const path = `/v1/projects/${ref}/database/password`;
    const changed = await under.call("PATCH", path, { body: { password: "battery staple" } });
    expect([changed.status, message(changed)]).toEqual([200, "Successfully updated password"]);
    const after = (await under.control.state.read()).projects[0]?.databasePassword;
    expect([before?.changes, after?.changes, before?.digest === after?.digest]).toEqual([0, 1, false]);
    const short = await under.call("PATCH", path, { body: { password: "abc" } });
    expect([short.status, short.text.includes("abc")]).toEqual([400, false]);
    const answers = await Promise.all(["/v1/projects", `/v1/projects/${ref}`].map((url) => under.call("GET", url)));
    const log = JSON.stringify(await under.control.log.read());
    expect(answers.map(({ text }) => text).join("") + log).not.toMatch(/battery staple|correct horse/);
  });
});

describe("the life of a project", () => {
  const statusOf = async (under: Awaited<ReturnType<typeof emulatorUnderTest>>, ref: string) =>
    bodyAs(projectDetailSchema, await under.call("GET", `/v1/projects/${ref}`)).status;

  it("[K-03] pauses over PAUSING, restores over RESTORING, and refuses to restore while it is pausing", async () => {
    await using under = await emulatorUnderTest({ timings });
    const ref = await aProject(under);
    expect(await under.call("POST", `/v1/projects/${ref}/pause`)).toMatchObject({ status: 200, text: "" });
    expect(await statusOf(under, ref)).toBe("PAUSING");
    const early = await under.call("POST", `/v1/projects/${ref}/restore`);
    expect([early.status, message(early)]).toEqual([400, "Project is no longer in a paused state, it is PAUSING"]);
    under.clock.advance(2000);
    expect(await statusOf(under, ref)).toBe("INACTIVE");
    expect(await under.call("POST", `/v1/projects/${ref}/restore`)).toMatchObject({ status: 200, text: "" });
    expect(await statusOf(under, ref)).toBe("RESTORING");
    under.clock.advance(3000);
    expect(await statusOf(under, ref)).toBe("ACTIVE_HEALTHY");
  });

  it("restarts over RESTARTING", async () => {
    await using under = await emulatorUnderTest({ timings });
    const ref = await aProject(under);
    expect((await under.call("POST", `/v1/projects/${ref}/restart`)).status).toBe(200);
    expect(await statusOf(under, ref)).toBe("RESTARTING");
    under.clock.advance(1000);
    expect(await statusOf(under, ref)).toBe("ACTIVE_HEALTHY");
  });

  it.each([
    { verb: "pause", status: "COMING_UP" },
    { verb: "pause", status: "INACTIVE" },
    { verb: "restart", status: "PAUSING" },
    { verb: "restore", status: "ACTIVE_HEALTHY" },
  ] as const)("refuses $verb while it is $status", async ({ verb, status }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await under.control.projects.force({ ref, status });
    const refused = await under.call("POST", `/v1/projects/${ref}/${verb}`);
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(status)]);
  });

  it("ends with its deletion, which takes its branches along", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await aBranch(under, ref, "main");
    const branch = await aBranch(under, ref, "dev");
    const gone = await under.call("DELETE", `/v1/projects/${ref}`);
    expect([gone.status, bodyAs(projectRefSchema, gone).ref]).toEqual([200, ref]);
    const paths = [
      `/v1/projects/${ref}`,
      `/v1/projects/${ref}/secrets`,
      `/v1/branches/${branch.id}`,
      `/v1/projects/${branch.project_ref}/health?services=db`,
    ];
    const answers = await Promise.all(paths.map((path) => under.call("GET", path)));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect((await under.call("DELETE", `/v1/projects/${ref}`)).status).toBe(404);
    expect((await under.control.state.read()).projects).toEqual([]);
  });

  it("may go over GOING_DOWN, where that takes time", async () => {
    await using under = await emulatorUnderTest({ timings: { goingDownMs: 500 } });
    const ref = await aProject(under);
    await under.call("DELETE", `/v1/projects/${ref}`);
    expect(await statusOf(under, ref)).toBe("GOING_DOWN");
    under.clock.advance(400);
    expect((await under.call("DELETE", `/v1/projects/${ref}`)).status).toBe(200);
    under.clock.advance(100);
    expect((await under.call("GET", `/v1/projects/${ref}`)).status).toBe(404);
  });

  it("cannot end while it is being made", async () => {
    await using under = await emulatorUnderTest({ timings });
    const { ref } = bodyAs(
      projectSchema,
      await under.call("POST", "/v1/projects", { body: { ...NEW_PROJECT, name: "a" } }),
    );
    const early = await under.call("DELETE", `/v1/projects/${ref}`);
    expect([early.status, message(early)]).toEqual([400, "Project not ready for deletion."]);
    under.clock.advance(A_WHILE);
    expect((await under.call("DELETE", `/v1/projects/${ref}`)).status).toBe(200);
  });

  it("[K-04] can be held in COMING_UP for ever, by the name of a project yet to be created", async () => {
    await using under = await emulatorUnderTest({ timings });
    await under.control.projects.hold({ refOrName: "stuck", at: "COMING_UP" });
    const ref = await aProject(under, "stuck");
    under.clock.advance(24 * 3_600_000);
    expect(await statusOf(under, ref)).toBe("COMING_UP");
    await under.control.projects.release({ refOrName: "stuck" });
    expect(await statusOf(under, ref)).toBe("ACTIVE_HEALTHY");
  });
});

describe("health", () => {
  it("takes services repeated or comma-separated, and answers in the order asked", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    for (const query of ["services=rest,db", "services=rest&services=db"]) {
      const answer = bodyAs(health, await under.call("GET", `/v1/projects/${ref}/health?${query}`));
      expect(answer.map(({ name }) => name)).toEqual(["rest", "db"]);
    }
  });

  it("has the pooler not found in the first seconds, and all services up after the lag", async () => {
    await using under = await emulatorUnderTest({ timings });
    const { ref } = bodyAs(
      projectSchema,
      await under.call("POST", "/v1/projects", { body: { ...NEW_PROJECT, name: "a" } }),
    );
    const path = `/v1/projects/${ref}/health?services=db,auth,pooler`;
    const [, , pooler] = bodyAs(health, await under.call("GET", path));
    expect(JSON.parse(pooler?.error ?? "")).toEqual({ message: "Tenant not found" });
    under.clock.advance(5000);
    const early = bodyAs(health, await under.call("GET", path));
    expect(early.map(({ healthy }) => healthy)).toEqual([true, false, false]);
    under.clock.advance(1000);
    const late = bodyAs(health, await under.call("GET", path));
    expect(late.map(({ status }) => status)).toEqual(["ACTIVE_HEALTHY", "ACTIVE_HEALTHY", "ACTIVE_HEALTHY"]);
  });

  it.each(["", "?services=", "?services=nope", "?services=db&timeout_ms=10001"])(
    "is refused for the query '%s'",
    async (query) => {
      await using under = await emulatorUnderTest();
      const ref = await aProject(under);
      expect((await under.call("GET", `/v1/projects/${ref}/health${query}`)).status).toBe(400);
    },
  );
});
