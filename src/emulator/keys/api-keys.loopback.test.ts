import { createHash } from "node:crypto";
import { jwtVerify } from "jose";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type ApiKey, apiKeySchema } from "../../api/contract/api-keys.ts";
import { projectSchema } from "../../api/contract/projects.ts";
import { bodyAs, type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { A_WHILE, aBranch, aProject, message, NEW_PROJECT } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const list = z.array(apiKeySchema);

async function keys({ call }: EmulatorUnderTest, ref: string, query = ""): Promise<readonly ApiKey[]> {
  return bodyAs(list, await call("GET", `/v1/projects/${ref}/api-keys${query}`));
}

const kinds = (all: readonly ApiKey[]) => all.map(({ type, name }) => `${type ?? ""} ${name}`);

describe("the keys of a fresh project", () => {
  it("are both legacy ones, a publishable one and a secret one", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const all = await keys(under, ref);
    expect(kinds(all)).toEqual(["legacy anon", "legacy service_role", "publishable default", "secret default"]);
    expect(all.map(({ id, name, type }) => type !== "legacy" || id === name)).toEqual([true, true, true, true]);
    expect(all[3]?.secret_jwt_template).toEqual({ role: "service_role" });
    expect(await keys(under, ref)).toEqual(all);
  });

  it("[K-08] are absent while it comes up", async () => {
    await using under = await emulatorUnderTest();
    const { ref } = bodyAs(
      projectSchema,
      await under.call("POST", "/v1/projects", { body: { ...NEW_PROJECT, name: "shop" } }),
    );
    expect(await keys(under, ref)).toEqual([]);
    expect((await under.call("GET", `/v1/projects/${ref}/api-keys/anon`)).status).toBe(404);
    under.clock.advance(A_WHILE);
    expect(await keys(under, ref)).toHaveLength(4);
  });

  it("are masked, and whole when they are to be revealed: tokens of the project's secret, and keys with their prefix", async () => {
    await using under = await emulatorUnderTest();
    const main = await aProject(under);
    await aBranch(under, main, "main");
    const { id, project_ref: ref } = await aBranch(under, main, "dev");
    const masked = await keys(under, ref);
    const whole = await keys(under, ref, "?reveal=true");
    expect(masked.every(({ api_key, prefix }) => api_key === `${prefix ?? ""}***`)).toBe(true);
    expect(whole.map(({ hash }) => hash)).toEqual(
      whole.map(({ api_key: key }) =>
        createHash("sha256")
          .update(key ?? "")
          .digest("hex"),
      ),
    );
    expect(whole.every(({ api_key: key, prefix }) => (key ?? "").startsWith(prefix ?? "-"))).toBe(true);
    const [anon, , publishable, secret] = whole.map(({ api_key: key }) => key ?? "");
    expect([publishable, secret]).toEqual([
      expect.stringMatching(/^pk_publishable_.{32}$/),
      expect.stringMatching(/^sk_secret_.{32}$/),
    ]);
    await using client = typedClient(under);
    const { jwt_secret: jwtSecret } = await client.branches.get({ branch_id_or_ref: id }, { parentRef: main });
    const { payload } = await jwtVerify(anon ?? "", new TextEncoder().encode(jwtSecret ?? ""), {
      algorithms: ["HS256"],
      currentDate: new Date(under.clock.now()),
    });
    expect(payload).toMatchObject({ ref, role: "anon" });
  });

  it("are others in every project, and go with it", async () => {
    await using under = await emulatorUnderTest();
    const [one, two] = [await aProject(under, "one"), await aProject(under, "two")];
    const values = [...(await keys(under, one, "?reveal=true")), ...(await keys(under, two, "?reveal=true"))];
    expect(new Set(values.map(({ api_key: key }) => key)).size).toBe(8);
    await under.call("DELETE", `/v1/projects/${one}`);
    expect((await under.call("GET", `/v1/projects/${one}/api-keys`)).status).toBe(404);
  });
});

describe("a key", () => {
  it("[K-38] can be made of both kinds, and its kind cannot be changed", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const made = await under.call("POST", `/v1/projects/${ref}/api-keys`, {
      body: { type: "publishable", name: "site" },
    });
    const { id, type } = bodyAs(apiKeySchema, made);
    expect([made.status, type]).toEqual([201, "publishable"]);
    const refused = await under.call("PATCH", `/v1/projects/${ref}/api-keys/${id ?? ""}`, { body: { type: "secret" } });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("'type'")]);
  });

  it("of the start that was deleted does not come back, nor where no other is left", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const deleteLast = async () => {
      const id = (await keys(under, ref)).at(-1)?.id ?? "";
      return (await under.call("DELETE", `/v1/projects/${ref}/api-keys/${id}`)).status;
    };
    expect(await deleteLast()).toBe(200);
    expect(kinds(await keys(under, ref))).toEqual(["legacy anon", "legacy service_role", "publishable default"]);
    expect(await deleteLast()).toBe(200);
    expect(kinds(await keys(under, ref))).toEqual(["legacy anon", "legacy service_role"]);
  });

  it.each([
    { body: { type: "secret", name: "my-key" }, says: "name", because: "[K-37] a dash is none of the characters" },
    { body: { type: "secret", name: "abc" }, says: "name", because: "three characters are too few" },
    { body: { type: "secret", name: "a".repeat(65) }, says: "name", because: "65 characters are too many" },
    { body: { type: "secret", name: "Jobs" }, says: "name", because: "capitals are none of the characters" },
    { body: { type: "secret", name: "1jobs" }, says: "name", because: "it begins with a digit" },
    { body: { type: "legacy", name: "jobs" }, says: "'publishable' | 'secret'", because: "legacy keys are not made" },
    { body: { name: "jobs" }, says: "type", because: "it says no kind" },
    { body: { type: "secret" }, says: "name", because: "it says no name" },
    { body: { type: "secret", name: "jobs", secret_jwt_template: "x" }, says: "template", because: "a text is no map" },
    { body: { type: "secret", name: "jobs", colour: 1 }, says: "'colour'", because: "the field is unknown" },
  ])("is refused with 400 when $because", async ({ body, says }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const refused = await under.call("POST", `/v1/projects/${ref}/api-keys`, { body });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
    expect(await keys(under, ref)).toHaveLength(4);
  });
});

describe("the right to see keys whole", () => {
  it("is a permission of its own: without it 403 for each operation that could reveal, and nothing is done", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const permissions = ["api_gateway_keys_read", "api_gateway_keys_write"];
    await under.control.tokens.add({ token: "fine", user: "owner", permissions });
    await under.control.tokens.add({
      token: "finer",
      user: "owner",
      permissions: [...permissions, "api_gateway_keys_secret_read"],
    });
    const id = (await keys(under, ref)).at(-1)?.id ?? "";
    const path = `/v1/projects/${ref}/api-keys`;
    const sends = [
      ["GET", path, undefined],
      ["GET", `${path}/${id}`, undefined],
      ["POST", path, { type: "secret", name: "jobs" }],
      ["PATCH", `${path}/${id}`, { name: "jobs" }],
      ["DELETE", `${path}/${id}`, undefined],
    ] as const;
    const asked = (token: string, query: string) =>
      Promise.all(sends.slice(0, 2).map(([method, where]) => under.call(method, `${where}${query}`, { token })));
    for (const [method, where, body] of sends) {
      const refused = await under.call(method, `${where}?reveal=true`, { body, token: "fine" });
      expect([method, refused.status]).toEqual([method, 403]);
      expect(message(refused)).toContain("api_gateway_keys_secret_read");
    }
    expect(await keys(under, ref)).toHaveLength(4);
    expect((await asked("fine", "")).map(({ status }) => status)).toEqual([200, 200]);
    expect((await asked("fine", "?reveal=false")).map(({ status }) => status)).toEqual([200, 200]);
    expect((await asked("finer", "?reveal=true")).map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe("the legacy keys", () => {
  it("[K-09] are switched off and on together, and are the same ones afterwards", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await using client = typedClient(under);
    const before = await keys(under, ref, "?reveal=true");
    expect(await client.apiKeys.getLegacy({ ref })).toEqual({ enabled: true });
    expect(await client.apiKeys.updateLegacy({ ref, enabled: false })).toEqual({ enabled: false });
    expect(await client.apiKeys.getLegacy({ ref })).toEqual({ enabled: false });
    expect(kinds(await keys(under, ref))).toEqual(["publishable default", "secret default"]);
    expect((await under.call("GET", `/v1/projects/${ref}/api-keys/anon`)).status).toBe(404);
    await client.apiKeys.updateLegacy({ ref, enabled: true });
    expect(await keys(under, ref, "?reveal=true")).toEqual(before);
  });

  it("stay on when new keys are made", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await under.call("POST", `/v1/projects/${ref}/api-keys`, { body: { type: "secret", name: "jobs" } });
    expect(kinds(await keys(under, ref))).toContain("legacy anon");
  });

  it("are read one by one, and neither changed nor deleted one by one", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const path = `/v1/projects/${ref}/api-keys/service_role`;
    expect((await under.call("GET", path)).json).toEqual((await keys(under, ref))[1]);
    const answers = [await under.call("DELETE", path), await under.call("PATCH", path, { body: { name: "mine" } })];
    for (const answer of answers) {
      expect([answer.status, message(answer)]).toEqual([400, expect.stringContaining("together")]);
    }
  });

  it("[K-10] have no switch once its endpoint is removed", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await under.control.settings.patch({ legacyEndpoints: "removed" });
    const path = `/v1/projects/${ref}/api-keys/legacy`;
    const answers = [await under.call("GET", path), await under.call("PUT", `${path}?enabled=false`)];
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(kinds(await keys(under, ref))).toContain("legacy anon");
  });

  it.each([
    { query: "", because: "it does not say which" },
    { query: "?enabled=1", because: "1 is no boolean" },
    { query: "?enabled=true&enabled=false", because: "it says both" },
  ])("are not switched when $because", async ({ query }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    expect((await under.call("PUT", `/v1/projects/${ref}/api-keys/legacy${query}`)).status).toBe(400);
  });
});

describe("the encryption key", () => {
  it("is 32 bytes as hex, the project's own, and is replaced", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await using client = typedClient(under);
    const { root_key: first } = await client.encryptionKey.get({ ref });
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await client.encryptionKey.get({ ref })).toEqual({ root_key: first });
    expect(await client.encryptionKey.get({ ref: await aProject(under, "two") })).not.toEqual({ root_key: first });
    const next = { root_key: "0f".repeat(32) };
    expect(await client.encryptionKey.update({ ref, body: next })).toEqual(next);
    expect(await client.encryptionKey.get({ ref })).toEqual(next);
  });

  it.each([
    { root_key: "0f".repeat(31), says: "32 bytes", because: "it is too short" },
    { root_key: "0f".repeat(33), says: "32 bytes", because: "it is too long" },
    { root_key: "0g".repeat(32), says: "32 bytes", because: "it is no hex" },
    { root_key: 7, says: "expected string", because: "it is a number" },
    { root_key: undefined, says: "expected string", because: "there is none" },
  ])("is refused with 400 when $because, and no answer shows it", async ({ root_key, says }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const refused = await under.call("PUT", `/v1/projects/${ref}/pgsodium`, { body: { root_key } });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringMatching(`^root_key: .*${says}`)]);
    expect(refused.text).not.toMatch(/0[fg]0[fg]/);
  });
});
