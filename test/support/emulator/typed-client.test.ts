import { describe, expect, it } from "vitest";
import { PersonalToken } from "../../../src/api/credentials/personal-token.ts";
import { testClient } from "../api-server/test-client.ts";
import { type EmulatorUnderTest, emulatorUnderTest, TOKEN } from "./api.ts";
import { A_WHILE, NEW_PROJECT } from "./scenario.ts";

/** The typed client against the emulator: the two sides of one contract, which nothing else brings together without a cluster. */
const clientOf = ({ emulator, clock }: EmulatorUnderTest) =>
  testClient(emulator.url, { clock, credentials: new PersonalToken(TOKEN) });

describe("the typed client on the emulator", () => {
  it("reads what it wrote: a project, its health, a function's files, secrets and branches", async () => {
    await using under = await emulatorUnderTest();
    const client = clientOf(under);
    const { ref, status } = await client.projects.create({ body: { ...NEW_PROJECT, name: "shop" } });
    expect(status).toBe("UNKNOWN");
    under.clock.advance(A_WHILE);
    expect(await client.projects.health({ ref, services: ["db", "auth"] })).toMatchObject([
      { healthy: true },
      { healthy: true },
    ]);
    const files = [{ path: "src/index.ts", content: "export default 1" }];
    const body = { metadata: { entrypoint_path: "src/index.ts", verify_jwt: false }, files };
    expect(await client.functions.deploy({ ref, slug: "hello", body })).toMatchObject({
      version: 1,
      verify_jwt: false,
    });
    const stored = await client.functions.getBody({ ref, function_slug: "hello" });
    expect(stored.files.map(({ path, content }) => [path, Buffer.from(content).toString()])).toEqual([
      ["src/index.ts", "export default 1"],
    ]);
    await client.secrets.create({ ref, body: [{ name: "A", value: "1" }] });
    expect((await client.secrets.list({ ref })).map(({ name }) => name)).toContain("A");
    await client.branches.create({ ref, body: { branch_name: "main" } });
    const { id } = await client.branches.create({ ref, body: { branch_name: "dev" } });
    expect(await client.branches.delete({ branch_id_or_ref: id }, { parentRef: ref })).toEqual({ message: "ok" });
    await client.functions.delete({ ref, function_slug: "hello" });
    expect(await client.functions.list({ ref })).toEqual([]);
    await client.close();
  });

  it("gets the server's words and status where it is refused", async () => {
    await using under = await emulatorUnderTest();
    const client = clientOf(under);
    await client.projects.create({ body: { ...NEW_PROJECT, name: "shop" } });
    const again = client.projects.create({ body: { ...NEW_PROJECT, name: "shop" } });
    await expect(again).rejects.toMatchObject({ status: 409, message: expect.stringContaining("already exists") });
    await client.close();
  });
});
