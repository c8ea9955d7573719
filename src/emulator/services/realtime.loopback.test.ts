import { describe, expect, it } from "vitest";
import { REALTIME_RANGES } from "../../api/contract/realtime.ts";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aProject, message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

describe("the configuration of realtime", () => {
  it.each(Object.entries(REALTIME_RANGES))("takes %s within %j and nothing outside", async (field, [least, most]) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const statuses: number[] = [];
    for (const value of [least, most, least - 1, most + 1, least + 0.5, String(least), null]) {
      const path = `/v1/projects/${ref}/config/realtime`;
      statuses.push((await under.call("PATCH", path, { body: { [field]: value } })).status);
    }
    expect(statuses).toEqual([204, 204, 400, 400, 400, 400, 400]);
    expect((await under.call("GET", `/v1/projects/${ref}/config/realtime`)).json).toHaveProperty(field, most);
  });

  it("that suspends realtime makes the service unhealthy for as long", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await using client = typedClient(under);
    const health = async () => (await client.projects.health({ ref, services: ["realtime"] }))[0]?.status;
    await client.realtime.update({ ref, body: { suspend: true } });
    expect(await health()).toBe("UNHEALTHY");
    await client.realtime.update({ ref, body: { suspend: false } });
    expect(await health()).toBe("ACTIVE_HEALTHY");
  });
});

describe("shutting down realtime", () => {
  it.each([
    { because: "the project is paused", status: "INACTIVE" },
    { because: "the project is being made", status: "COMING_UP" },
  ] as const)("is answered 404 while $because", async ({ status }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await under.control.projects.force({ ref, status });
    const refused = await under.call("POST", `/v1/projects/${ref}/config/realtime/shutdown`);
    expect([refused.status, message(refused)]).toEqual([404, "Tenant not found"]);
  });

  it("is answered 404 while it is suspended, and for a project that is not there", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await under.call("PATCH", `/v1/projects/${ref}/config/realtime`, { body: { suspend: true } });
    expect((await under.call("POST", `/v1/projects/${ref}/config/realtime/shutdown`)).status).toBe(404);
    expect((await under.call("POST", `/v1/projects/${"z".repeat(20)}/config/realtime/shutdown`)).status).toBe(404);
  });
});
