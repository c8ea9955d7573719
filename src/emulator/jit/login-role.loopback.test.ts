import { describe, expect, it } from "vitest";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aProject } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

describe("a login role", () => {
  it("comes with a password that is stored nowhere, and ends by itself", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await using client = typedClient(under);
    const made = await client.loginRole.create({ ref, body: { read_only: true } });
    const other = await client.loginRole.create({ ref, body: { read_only: false } });
    expect(made).toMatchObject({ role: expect.stringMatching(/^cli_login_read_only_/), ttl_seconds: 3600 });
    expect(other.role).not.toBe(made.role);
    const kept = await under.control.jit.loginRoles({ ref });
    expect(kept.map(({ role, readOnly }) => [role, readOnly])).toEqual([
      [made.role, true],
      [other.role, false],
    ]);
    expect(JSON.stringify(kept)).not.toContain(made.password);
    under.clock.advance(made.ttl_seconds * 1000 - 1);
    expect(await under.control.jit.loginRoles({ ref })).toHaveLength(2);
    under.clock.advance(1);
    expect(await under.control.jit.loginRoles({ ref })).toEqual([]);
  });

  it("is deleted with all others of the project, also where there is none", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await using client = typedClient(under);
    await client.loginRole.create({ ref, body: { read_only: true } });
    expect(await client.loginRole.delete({ ref })).toEqual({ message: "ok" });
    expect(await under.control.jit.loginRoles({ ref })).toEqual([]);
    expect(await client.loginRole.delete({ ref })).toEqual({ message: "ok" });
  });

  it.each([{}, { read_only: "true" }, { read_only: true, more: 1 }])("is refused with 400 for %j", async (body) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    expect((await under.call("POST", `/v1/projects/${ref}/cli/login-role`, { body })).status).toBe(400);
  });
});
