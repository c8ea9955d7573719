import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { FormData } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { startEmulator } from "../emulator.ts";

const REF = "abcdefghijklmnopqrst";
const V1 = `/v1/projects/${REF}`;
const JSON_TYPE = { "content-type": "application/json" };
const BOUNDS = "expected a number between -1.7976931348623157e+308 and 1.7976931348623157e+308, received ";
const NAME = "expected another name: no value can be kept under this one";

describe("JSON that would not come back as it was sent", () => {
  let folder = "";
  let emulator: EmulatorUnderTest;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "baas-json-"));
    emulator = await emulatorUnderTest({ dataDir: folder, seed: { projects: [{ name: "shop", ref: REF }] } });
    await emulator.call("PATCH", `${V1}/config/auth`, { body: { saml_enabled: true } });
  });
  afterAll(async () => {
    await emulator[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    {
      path: `${V1}/api-keys`,
      body: '{"type":"secret","name":"kkkk","secret_jwt_template":{"role":"service_role","a":1e400}}',
      says: `secret_jwt_template.a: ${BOUNDS}Infinity`,
    },
    {
      path: `${V1}/api-keys`,
      body: '{"type":"secret","name":"kkkk","secret_jwt_template":{"role":"service_role","__proto__":{"a":1}}}',
      says: `secret_jwt_template.__proto__: ${NAME}`,
    },
    {
      path: `${V1}/config/auth/third-party-auth`,
      body: '{"custom_jwks":{"keys":[{"kty":"RSA","n":"a","e":"AQAB","x":-1e400}]}}',
      says: `custom_jwks.keys.0.x: ${BOUNDS}-Infinity`,
    },
    {
      path: `${V1}/config/auth/sso/providers`,
      body: '{"type":"saml","metadata_url":"https://a.b/","attribute_mapping":{"keys":{"k":{"default":1e400}}}}',
      says: `attribute_mapping.keys.k.default: ${BOUNDS}Infinity`,
    },
    {
      path: `/v2/projects/${REF}/analytics/log-drains`,
      body: '{"name":"d","type":"webhook","config":{"url":"https://a.b/","headers":{"__proto__":"x"}}}',
      says: `config.headers.__proto__: ${NAME}`,
    },
    {
      path: `${V1}/branches`,
      body: '{"branch_name":"b","secrets":{"__proto__":"x"}}',
      says: `secrets.__proto__: ${NAME}`,
    },
    {
      path: "/_emulator/thirdPartyAuth.publish",
      body: '{"url":"https://a.b/","jwks":{"keys":[{"kty":"RSA","x":1e400}]}}',
      says: `jwks.keys[0].x: ${BOUNDS}Infinity`,
    },
    { path: "/v1/organizations", body: "1e400", says: `body: ${BOUNDS}Infinity` },
  ])("is refused where it stands, and nobody else pays for it: $says", async ({ path, body, says }) => {
    const refused = await emulator.call("POST", path, { body, headers: JSON_TYPE });
    expect({ status: refused.status, json: refused.json }).toMatchObject({ status: 400, json: { message: says } });
    expect((await emulator.call("GET", "/v1/organizations")).status).toBe(200);
  });

  it.each([
    { path: "/v1/organizations", token: null, status: 401 },
    { path: `${V1}/api-keys`, token: "nobody's", status: 401 },
    { path: "/_emulator/thirdPartyAuth.publsh", token: null, status: 404 },
  ])("is asked after whoever sends it, and where: $path is $status", async ({ path, token, status }) => {
    const refused = await emulator.call("POST", path, { body: '{"a":1e400}', headers: JSON_TYPE, token });
    expect(refused.status).toBe(status);
  });

  it("is shown in the log as what it was read as, in a way that JSON can say", async () => {
    const body = '{"name":-1e400,"plan":1e400,"__proto__":1}';
    await emulator.call("POST", "/v1/organizations", { body, headers: JSON_TYPE });
    const { entries } = await emulator.control.log.read();
    expect(JSON.stringify(entries.at(-1)?.body)).toBe(
      '{"name":"-Infinity","plan":"[redacted]","__proto__":"[redacted]"}',
    );
  });

  it("is refused in the metadata of a form, as text and as a file", async () => {
    for (const metadata of ['{"name":1e400}', new File(['{"name":1e400}'], "m.json", { type: "application/json" })]) {
      const body = new FormData();
      body.append("metadata", metadata);
      body.append("file", new File(["1"], "index.ts"));
      const refused = await emulator.call("POST", `${V1}/functions/deploy?slug=hello`, { body });
      expect(refused.json).toMatchObject({ message: `name: ${BOUNDS}Infinity` });
    }
  });

  it("is refused in a control call of the same process, which no text brings", async () => {
    const jwks = { keys: [{ kty: "RSA", x: Number.NaN }] };
    await expect(emulator.control.thirdPartyAuth.publish({ url: "https://a.b/", jwks })).rejects.toThrow(
      `jwks.keys[0].x: ${BOUNDS}NaN`,
    );
    const secrets: unknown = JSON.parse('{"__proto__":"x"}');
    const seed = { projects: [{ name: "other", secrets: secrets as Record<string, string> }] };
    await expect(emulator.control.state.seed(seed)).rejects.toThrow(`projects[0].secrets.__proto__: ${NAME}`);
    expect((await emulator.call("GET", "/v1/organizations")).status).toBe(200);
  });

  it("is refused in a control call where it goes round in a circle", async () => {
    const key: Record<string, unknown> & { kty: string } = { kty: "RSA" };
    key["x"] = [key];
    const published = emulator.control.thirdPartyAuth.publish({ url: "https://a.b/", jwks: { keys: [key] } });
    await expect(published).rejects.toThrow("jwks.keys[0].x[0]");
    await expect(published).rejects.toThrow("expected at most 500 levels, received more");
  });

  it("is no object of a class or of another program's context, where its schema reads its fields", async () => {
    class Organization {
      slug = "of-a-class";
      name = "Of a class";
    }
    const url = "https://realm.example/";
    const jwks: unknown = runInNewContext('({ keys: [{ kty: "RSA", more: { a: 1 } }] })');
    await emulator.control.state.seed({ organizations: [new Organization()] });
    await emulator.control.thirdPartyAuth.publish({ url, jwks: jwks as { keys: { kty: string }[] } });
    const seeded = await startEmulator({ seed: { organizations: [new Organization()] } });
    const { organizations } = await seeded.control.state.read();
    await seeded.stop();
    expect(JSON.stringify(organizations)).toContain("of-a-class");
  });

  it("is refused in a seed", async () => {
    const secrets: unknown = JSON.parse('{"__proto__":"x"}');
    const seed = { projects: [{ name: "other", secrets: secrets as Record<string, string> }] };
    await expect(startEmulator({ seed })).rejects.toThrow(`seed: projects[0].secrets.__proto__: ${NAME}`);
    const jwks = { keys: [{ kty: "RSA", x: Number.POSITIVE_INFINITY }] };
    await expect(startEmulator({ seed: { thirdPartyKeys: [{ url: "https://a.b/", jwks }] } })).rejects.toThrow(
      `seed: thirdPartyKeys[0].jwks.keys[0].x: ${BOUNDS}Infinity`,
    );
  });
});
