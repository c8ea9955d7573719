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
  it('tells its configuration with 406 as long as it is going down (facts.md §5, "404 or 406"), and all else as before', async () => {
    await using under = await emulatorUnderTest({
      seed: { projects: [{ name: "shop", ref: REF }], tokens: [{ token: "stranger", user: "stranger" }] },
      timings: { goingDownMs: 500 },
      limits: { requestsPerMinute: 0 },
    });
    const readAll = async (some: readonly Operation[], token = "test-token") => {
      const asked = some.map(({ path }) => under.call("GET", path.replace("{ref}", REF), { token }));
      return (await Promise.all(asked)).map(({ status }) => status);
    };
    const configs = reads.filter(isConfig);
    const others = reads.filter((one) => !isConfig(one) && !/database|types|advisors|analytics/.test(one.path));
    const before = await readAll(others);
    expect((await under.call("DELETE", `/v1/projects/${REF}`)).status).toBe(200);
    expect(await readAll(configs)).toEqual(configs.map(() => 406));
    expect(await readAll(configs, "stranger")).toEqual(configs.map(() => 404));
    expect(await readAll(others)).toEqual(before);
    under.clock.advance(500);
    expect(await readAll(configs)).toEqual(configs.map(() => 404));
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
