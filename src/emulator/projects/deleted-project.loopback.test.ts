import { describe, expect, it } from "vitest";
import { operations } from "../../api/contract/contract.ts";
import type { Operation } from "../../api/contract/operation.ts";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { REF } from "../../../test/support/emulator/every-call.ts";

/** What is read of a project by its ref alone, each section of its configuration among it. */
const reads: readonly Operation[] = operations.filter(
  ({ method, params, query }) =>
    method === "GET" && params.safeParse({ ref: REF }).success && query.safeParse({}).success,
);

const isConfig = ({ path }: Operation): boolean => path.includes("/config/");

describe("a deleted project", () => {
  it('tells its configuration with 406 as long as it is going down (facts.md §5, "404 or 406"), itself, and nothing else', async () => {
    await using under = await emulatorUnderTest({
      seed: {
        organizations: [{ slug: "acme", plan: "enterprise", members: { owner: "Owner" } }],
        projects: [{ name: "shop", ref: REF }],
        tokens: [{ token: "stranger", user: "stranger" }],
      },
      timings: { goingDownMs: 500 },
      limits: { requestsPerMinute: 0 },
    });
    const readAll = async (some: readonly Operation[], token = "test-token") => {
      const asked = some.map(({ path }) => under.call("GET", path.replace("{ref}", REF), { token }));
      return (await Promise.all(asked)).map(({ status }) => status);
    };
    const configs = reads.filter(isConfig);
    const itself = reads.filter(({ id }) => id === "projects.get");
    const others = reads.filter((one) => !isConfig(one) && !itself.includes(one));
    expect((await under.call("DELETE", `/v1/projects/${REF}`)).status).toBe(200);
    expect(await readAll(configs)).toEqual(configs.map(() => 406));
    expect(await readAll(configs, "stranger")).toEqual(configs.map(() => 404));
    expect(await readAll(itself)).toEqual([200]);
    expect(await readAll(others)).toEqual(others.map(() => 404));
    under.clock.advance(500);
    expect(await readAll(reads)).toEqual(reads.map(() => 404));
  });

  it("takes no change as long as it is going down: each is 404, in the words of one that is gone", async () => {
    await using under = await emulatorUnderTest({
      seed: { organizations: [{ slug: "acme", plan: "enterprise" }], projects: [{ name: "shop", ref: REF }] },
      timings: { goingDownMs: 500 },
      limits: { requestsPerMinute: 0 },
    });
    expect((await under.call("DELETE", `/v1/projects/${REF}`)).status).toBe(200);
    const writes = operations.filter(
      ({ id, method, path }) => method !== "GET" && path.includes("{ref}") && id !== "projects.delete",
    );
    expect(writes.length).toBeGreaterThan(40);
    for (const { id, method, path } of writes) {
      const { status, json } = await under.call(
        method,
        path.replaceAll(/\{\w+\}/g, (name) => (name === "{ref}" ? REF : "x")),
        method === "HEAD" ? {} : { body: id === "jit.acceptInvite" ? { email: "a@example.com", token: "t" } : {} },
      );
      const message = method === "HEAD" ? undefined : { message: "Project not found" };
      expect({ id, status, json }).toEqual({ id, status: 404, json: message });
    }
    expect((await under.call("DELETE", `/v1/projects/${REF}`)).status).toBe(200);
  });

  it.each([
    { because: "the token has no right to read", method: "GET", path: "config/auth", token: "narrow", is: 403 },
    { because: "the member has no right to change", method: "PATCH", path: "config/auth", token: "reader", is: 403 },
    {
      because: "the plan is not enough",
      method: "GET",
      path: "database/backups/schedule",
      token: "test-token",
      is: 402,
    },
  ])("is told to nobody who is refused for something else: $because", async ({ method, path, token, is }) => {
    await using under = await emulatorUnderTest({
      seed: {
        organizations: [{ slug: "acme", plan: "free", members: { owner: "Owner", reader: "Read-only" } }],
        projects: [{ name: "shop", ref: REF }],
        tokens: [
          { token: "reader", user: "reader" },
          { token: "narrow", user: "owner", permissions: [] },
        ],
      },
      timings: { goingDownMs: 500 },
    });
    expect((await under.call("DELETE", `/v1/projects/${REF}`)).status).toBe(200);
    const body = method === "GET" ? {} : { body: {} };
    expect((await under.call(method, `/v1/projects/${REF}/${path}`, { token, ...body })).status).toBe(is);
  });

  it("takes its snippets with it: each is 406, as one that nobody has, and none is listed (facts.md §5)", async () => {
    const id = "11111111-1111-4111-8111-111111111111";
    await using under = await emulatorUnderTest({
      seed: {
        projects: [
          { name: "shop", ref: REF },
          { name: "blog", ref: "bcdefghijklmnopqrstu" },
        ],
        snippets: [
          { id, project: "shop", name: "gone with it", sql: "select 1" },
          { project: "blog", name: "stays", sql: "select 1" },
        ],
      },
      timings: { goingDownMs: 500 },
    });
    expect((await under.call("GET", `/v1/snippets/${id}`)).status).toBe(200);
    expect((await under.call("DELETE", `/v1/projects/${REF}`)).status).toBe(200);
    expect((await under.call("GET", `/v1/snippets/${id}`)).status).toBe(406);
    expect((await under.call("GET", `/v1/snippets?project_ref=${REF}`)).status).toBe(404);
    expect((await under.call("GET", "/v1/snippets")).json).toMatchObject({ data: [{ name: "stays" }] });
  });

  it.each(["seeded", "forced"])(
    "is one that was $0 to be GOING_DOWN as well, which stays so until it is deleted",
    async (how) => {
      const status = how === "seeded" ? "GOING_DOWN" : "ACTIVE_HEALTHY";
      await using under = await emulatorUnderTest({
        seed: { projects: [{ name: "shop", ref: REF, status }] },
        timings: { goingDownMs: 500 },
        limits: { requestsPerMinute: 0 },
      });
      if (how === "forced") await under.control.projects.force({ ref: REF, status: "GOING_DOWN" });
      const statusOf = async (method: string, path: string) =>
        (await under.call(method, `/v1/projects/${REF}${path}`, method === "PUT" ? { body: {} } : {})).status;
      under.clock.advance(86_400_000);
      expect(await statusOf("GET", "")).toBe(200);
      expect(await statusOf("GET", "/config/auth")).toBe(406);
      expect(await statusOf("GET", "/functions")).toBe(404);
      expect(await statusOf("PUT", "/functions")).toBe(404);
      expect(await statusOf("DELETE", "")).toBe(200);
      expect(await statusOf("GET", "")).toBe(200);
      under.clock.advance(500);
      expect(await statusOf("GET", "")).toBe(404);
    },
  );

  it("is not brought back by a control call: it is put into no other status, and says GOING_DOWN until it is gone", async () => {
    await using under = await emulatorUnderTest({
      seed: { projects: [{ name: "shop", ref: REF }] },
      timings: { goingDownMs: 500 },
      limits: { requestsPerMinute: 0 },
    });
    await under.call("DELETE", `/v1/projects/${REF}`);
    const forced = under.control.projects.force({ ref: REF, status: "INACTIVE" });
    await expect(forced).rejects.toThrow(`project ${REF} was deleted: it is GOING_DOWN until it is gone`);
    const answer = await under.call("GET", `/v1/projects/${REF}`);
    expect(answer.json).toMatchObject({ status: "GOING_DOWN" });
    const statusOf = async (path: string) => (await under.call("GET", `/v1/projects/${REF}${path}`)).status;
    expect([await statusOf("/config/auth"), await statusOf("/functions")]).toEqual([406, 404]);
  });

  it.each([
    { when: "before it is deleted, though a deletion takes no time", goingDownMs: 0 },
    { when: "before it is deleted", goingDownMs: 500 },
    { when: "while it is going down", goingDownMs: 500 },
    { when: "while it is going down, which takes longer", goingDownMs: 48 * 3_600_000 },
  ])("stays where it is held in GOING_DOWN, and is gone when it is let go: $when", async ({ when, goingDownMs }) => {
    await using under = await emulatorUnderTest({
      seed: { projects: [{ name: "shop", ref: REF }] },
      timings: { goingDownMs },
    });
    const asked = async (method: string, path = "") => (await under.call(method, `/v1/projects/${REF}${path}`)).status;
    const hold = () => under.control.projects.hold({ refOrName: "shop", at: "GOING_DOWN" });
    if (when.startsWith("before")) await hold();
    expect(await asked("DELETE")).toBe(200);
    if (when.startsWith("while")) await hold();
    under.clock.advance(24 * 3_600_000);
    expect((await under.call("GET", `/v1/projects/${REF}`)).json).toMatchObject({ status: "GOING_DOWN" });
    expect([await asked("GET", "/config/auth"), await asked("DELETE")]).toEqual([406, 200]);
    await under.control.projects.release({ refOrName: "shop" });
    expect(await asked("GET")).toBe(404);
    expect((await under.control.state.read()).projects).toEqual([]);
  });

  it("is not brought back by a hold once it is gone", async () => {
    await using under = await emulatorUnderTest({
      seed: { projects: [{ name: "shop", ref: REF }] },
      timings: { goingDownMs: 500 },
    });
    await under.call("DELETE", `/v1/projects/${REF}`);
    under.clock.advance(500);
    await under.control.projects.hold({ refOrName: REF, at: "GOING_DOWN" });
    expect((await under.call("GET", `/v1/projects/${REF}`)).status).toBe(404);
  });

  it("is none where a branch can still come back: its configuration is read until then", async () => {
    await using under = await emulatorUnderTest({
      seed: {
        projects: [{ name: "shop", ref: REF, softBranchDeletion: true, branches: [{ name: "main" }, { name: "dev" }] }],
      },
    });
    const { branches } = await under.control.state.read();
    const { id, projectRef } = branches.find(({ name }) => name === "dev") ?? { id: "", projectRef: "" };
    expect((await under.call("DELETE", `/v1/branches/${id}?force=false`)).status).toBe(200);
    const read = async () => (await under.call("GET", `/v1/projects/${projectRef}/config/auth`)).status;
    expect(await read()).toBe(200);
    under.clock.advance(3_600_000);
    expect(await read()).toBe(404);
  });

  it("is 404 for whatever was read of it once it is gone", async () => {
    await using under = await emulatorUnderTest({ seed: { projects: [{ name: "shop", ref: REF }] } });
    expect((await under.call("DELETE", `/v1/projects/${REF}`)).status).toBe(200);
    await under.control.settings.patch({ requestsPerMinute: 0 });
    expect(reads.filter(isConfig).length).toBeGreaterThan(8);
    const seen = await Promise.all(
      reads.map(async ({ id, path }) => {
        const { status, json } = await under.call("GET", path.replace("{ref}", REF));
        return { id, status, json };
      }),
    );
    expect(seen).toEqual(reads.map(({ id }) => ({ id, status: 404, json: { message: "Project not found" } })));
  });
});
