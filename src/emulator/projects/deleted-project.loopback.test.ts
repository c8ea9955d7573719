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

describe("a deleted project", () => {
  it('is 404 for whatever was read of it: of "404 or 406" (facts.md §5) the one that every operation declares', async () => {
    await using under = await emulatorUnderTest({ seed: { projects: [{ name: "shop", ref: REF }] } });
    expect((await under.call("DELETE", `/v1/projects/${REF}`)).status).toBe(200);
    await under.control.settings.patch({ requestsPerMinute: 0 });
    expect(reads.filter(({ path }) => path.includes("/config/")).length).toBeGreaterThan(8);
    const seen = await Promise.all(
      reads.map(async ({ id, path }) => {
        const { status, json } = await under.call("GET", path.replace("{ref}", REF));
        return { id, status, json };
      }),
    );
    expect(seen).toEqual(reads.map(({ id }) => ({ id, status: 404, json: { message: "Project not found" } })));
  });
});
