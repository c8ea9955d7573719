import { describe, expect, it } from "vitest";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { A_WHILE, aProject, message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REF = "abcdefghijklmnopqrst";

describe("a restoration", () => {
  it("that is cancelled leaves the project paused, from where it can be restored again", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await using client = typedClient(under);
    const status = async () => (await client.projects.get({ ref })).status;
    await client.projects.pause({ ref });
    under.clock.advance(A_WHILE);
    await client.projects.restore({ ref });
    expect(await status()).toBe("RESTORING");
    await client.projects.cancelRestore({ ref });
    expect(await status()).toBe("INACTIVE");
    under.clock.advance(A_WHILE);
    expect(await status()).toBe("INACTIVE");
    await client.projects.restore({ ref });
    under.clock.advance(A_WHILE);
    expect(await status()).toBe("ACTIVE_HEALTHY");
  });

  it.each(["INACTIVE", "ACTIVE_HEALTHY", "PAUSING", "RESTORE_FAILED"] as const)(
    "cannot be cancelled while the project is %s",
    async (status) => {
      await using under = await emulatorUnderTest({ seed: { projects: [{ name: "shop", ref: REF, status }] } });
      const refused = await under.call("POST", `/v1/projects/${REF}/restore/cancel`);
      expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(status)]);
    },
  );

  it("can be of the version that the project has, and of newer ones", async () => {
    await using under = await emulatorUnderTest({
      seed: { projects: [{ name: "shop", ref: REF, status: "INACTIVE", postgresVersion: "17.4.1.048" }] },
    });
    await using client = typedClient(under);
    expect(await client.projects.listRestoreVersions({ ref: REF })).toEqual({
      available_versions: [
        { version: "17.4.1.048", release_channel: "ga", postgres_engine: "17" },
        { version: "17.6.1.054", release_channel: "ga", postgres_engine: "17" },
      ],
    });
  });

  it.each(["GET /restore", "POST /restore", "POST /restore/cancel", "POST /pause", "POST /restart"])(
    "of a project that is not there: %s is answered 404",
    async (call) => {
      await using under = await emulatorUnderTest();
      const [method = "", rest = ""] = call.split(" ");
      expect((await under.call(method, `/v1/projects/${REF}${rest}`)).status).toBe(404);
    },
  );
});

describe("health", () => {
  it("of a service in trouble is bad with its words, and late where the check is impatient", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await using client = typedClient(under);
    const auth = async (timeout_ms?: number) => {
      const query = timeout_ms === undefined ? {} : { timeout_ms };
      return (await client.projects.health({ ref, services: ["auth"], ...query }))[0];
    };
    await under.control.services.trouble({ ref, service: "auth", status: "UNHEALTHY", message: "out of memory" });
    expect(await auth()).toMatchObject({ healthy: false, status: "UNHEALTHY" });
    expect(JSON.parse((await auth())?.error ?? "")).toEqual({ message: "out of memory" });
    await under.control.services.trouble({ ref, service: "auth", answersAfterMs: 3000 });
    expect([(await auth(2999))?.status, (await auth(3000))?.status]).toEqual(["UNHEALTHY", "ACTIVE_HEALTHY"]);
    await under.control.services.mend({ ref });
    expect((await auth(0))?.status).toBe("ACTIVE_HEALTHY");
  });
});
