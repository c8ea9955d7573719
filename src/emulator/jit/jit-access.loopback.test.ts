import { describe, expect, it } from "vitest";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aBranch, aProject, message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const NOBODY = "11111111-2222-4333-8444-555566667777";

describe("the switch", () => {
  it("is off at first, and says when a change of it is applied", async () => {
    await using under = await emulatorUnderTest({ timings: { jitAccessMs: 1000 } });
    const ref = await aProject(under);
    await using client = typedClient(under);
    expect(await client.jitAccess.get({ ref })).toEqual({ state: "disabled", appliedSuccessfully: true });
    const enabled = await client.jitAccess.update({ ref, body: { state: "enabled" } });
    expect(enabled).toEqual({ state: "enabled", appliedSuccessfully: false });
    under.clock.advance(999);
    await client.jitAccess.update({ ref, body: { state: "enabled" } }); // the same again changes nothing
    expect(await client.jitAccess.get({ ref })).toEqual(enabled);
    under.clock.advance(1);
    expect(await client.jitAccess.get({ ref })).toEqual({ state: "enabled", appliedSuccessfully: true });
    expect((await client.jitAccess.update({ ref, body: { state: "disabled" } })).state).toBe("disabled");
  });

  it("cannot be touched while it is unavailable", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await under.call("PUT", `/v1/projects/${ref}/jit-access`, { body: { state: "enabled" } });
    await under.control.jit.setAvailability({ ref, unavailableReason: "temporarily_unavailable" });
    const path = `/v1/projects/${ref}/jit-access`;
    const unavailable = { state: "unavailable", unavailableReason: "temporarily_unavailable" };
    expect((await under.call("GET", path)).json).toEqual(unavailable);
    const refused = await under.call("PUT", path, { body: { state: "disabled" } });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("temporarily_unavailable")]);
    await under.control.jit.setAvailability({ ref, unavailableReason: null });
    expect((await under.call("GET", path)).json).toEqual({ state: "enabled", appliedSuccessfully: false });
  });

  it("is unavailable where the database is too old", async () => {
    await using under = await emulatorUnderTest();
    const main = await aProject(under);
    await aBranch(under, main, "main");
    const { project_ref: ref } = await aBranch(under, main, "old", { postgres_engine: "15" });
    expect((await under.call("GET", `/v1/projects/${ref}/jit-access`)).json).toEqual({
      state: "unavailable",
      unavailableReason: "postgres_upgrade_required",
    });
  });

  it.each([{ state: "unavailable" }, { state: true }, {}, { state: "enabled", more: 1 }])(
    "is refused with 400 for %j",
    async (body) => {
      await using under = await emulatorUnderTest();
      const ref = await aProject(under);
      expect((await under.call("PUT", `/v1/projects/${ref}/jit-access`, { body })).status).toBe(400);
    },
  );

  it("keeps every other operation closed while it is off", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const path = `/v1/projects/${ref}/database/jit`;
    const sends = [
      ["GET", path, undefined],
      ["POST", path, { role: "postgres", rhost: "192.0.2.1" }],
      ["PUT", path, { user_id: NOBODY, roles: [] }],
      ["GET", `${path}/list`, undefined],
      ["DELETE", `${path}/${NOBODY}`, undefined],
      ["POST", `${path}/invite`, { email: "eve@example.test", roles: [{ role: "reader" }] }],
      ["POST", `${path}/invite/accept`, { email: "eve@example.test", token: "t" }],
      ["DELETE", `${path}/invite/${NOBODY}`, undefined],
    ] as const;
    for (const [method, where, body] of sends) {
      const refused = await under.call(method, where, { body });
      expect([method, refused.status, message(refused)]).toEqual([method, 400, expect.stringContaining("jit-access")]);
    }
  });
});
