import { describe, expect, it } from "vitest";
import { NAME_ID_FORMATS } from "../../api/contract/sso-providers.ts";
import { type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REF = "abcdefghijklmnopqrst";
const PATH = `/v1/projects/${REF}/config/auth/sso/providers`;
const START = "2026-01-01T00:00:00.000Z";

const withSaml = (auth: object = { saml_enabled: true }): Promise<EmulatorUnderTest> =>
  emulatorUnderTest({ seed: { projects: [{ name: "shop", ref: REF, auth }] } });

const metadata = (entity: string): string =>
  `<?xml version="1.0"?><md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entity}"><md:IDPSSODescriptor/></md:EntityDescriptor>`;

describe("an identity provider", () => {
  it("is added, read, listed, changed and removed", async () => {
    await using under = await withSaml();
    await using client = typedClient(under);
    const xml = metadata("https://idp.test/saml");
    const keys = { email: { name: "mail" }, groups: { names: ["group", "role"], array: true, default: ["none"] } };
    const body = { type: "saml" as const, metadata_xml: xml, domains: ["Shop.Test", "shop.test", "b.test"] };
    const made = await client.ssoProviders.create({
      ref: REF,
      body: { ...body, attribute_mapping: { keys }, name_id_format: NAME_ID_FORMATS[3] },
    });
    expect(made).toMatchObject({
      saml: {
        entity_id: "https://idp.test/saml",
        metadata_xml: xml,
        attribute_mapping: { keys },
        name_id_format: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
      },
      domains: [{ domain: "shop.test", created_at: START }, { domain: "b.test" }],
      created_at: START,
      updated_at: START,
    });
    const { id } = made;
    expect(await client.ssoProviders.get({ ref: REF, provider_id: id })).toEqual(made);
    expect(await client.ssoProviders.list({ ref: REF })).toEqual({ items: [made] });
    expect(await client.ssoProviders.delete({ ref: REF, provider_id: id })).toEqual(made);
    expect(await client.ssoProviders.list({ ref: REF })).toEqual({ items: [] });
  });

  it("keeps what a PUT does not send; domains are the full list, of which those that stay keep their id", async () => {
    await using under = await withSaml();
    await using client = typedClient(under);
    const body = { type: "saml" as const, metadata_url: "https://idp.test/metadata", domains: ["a.test", "b.test"] };
    const made = await client.ssoProviders.create({ ref: REF, body });
    expect(made.saml).toMatchObject({ entity_id: "https://idp.test/metadata", metadata_url: body.metadata_url });
    under.clock.advance(60_000);
    const provider = { ref: REF, provider_id: made.id };
    const moved = await client.ssoProviders.update({ ...provider, body: { domains: ["c.test", "b.test"] } });
    expect(moved).toMatchObject({ saml: made.saml, created_at: START, updated_at: "2026-01-01T00:01:00.000Z" });
    expect(moved.domains).toMatchObject([{ domain: "c.test" }, made.domains?.[1]]);
    const xml = metadata("urn:idp");
    const replaced = await client.ssoProviders.update({ ...provider, body: { metadata_xml: xml } });
    expect(replaced).toMatchObject({ saml: { entity_id: "urn:idp", metadata_xml: xml }, domains: moved.domains });
    expect(replaced.saml).not.toHaveProperty("metadata_url");
    const none = await client.ssoProviders.update({ ...provider, body: { domains: [] } });
    expect(none).toMatchObject({ saml: { entity_id: "urn:idp" }, domains: [] });
    expect(await client.ssoProviders.get(provider)).toEqual(none);
  });

  it("gives its domains free when it is removed", async () => {
    await using under = await withSaml();
    await using client = typedClient(under);
    const body = { type: "saml" as const, metadata_url: "https://idp.test/metadata", domains: ["a.test"] };
    const { id } = await client.ssoProviders.create({ ref: REF, body });
    await client.ssoProviders.delete({ ref: REF, provider_id: id });
    expect(await client.ssoProviders.create({ ref: REF, body })).toMatchObject({ domains: [{ domain: "a.test" }] });
  });
});

const URL_BODY = { type: "saml", metadata_url: "https://other.test/metadata" };

describe("a request about identity providers is refused", () => {
  it.each([
    { body: { type: "saml" }, says: "metadata_xml or metadata_url", because: "no metadata" },
    { body: { ...URL_BODY, metadata_xml: metadata("x") }, says: "not both", because: "both kinds of metadata" },
    { body: { type: "saml", metadata_xml: "<html/>" }, says: "EntityDescriptor", because: "no metadata at all" },
    { body: { type: "saml", metadata_xml: "<EntityDescriptor ID='x'>" }, says: "entityID", because: "no entity" },
    { body: { type: "saml", metadata_url: "idp.test" }, says: "metadata_url", because: "no URL" },
    { body: { ...URL_BODY, type: "oidc" }, says: "Expected 'saml'", because: "another type" },
    { body: { metadata_url: URL_BODY.metadata_url }, says: "type", because: "no type" },
    { body: { ...URL_BODY, domains: ["a.test, b.test"] }, says: "domains.0", because: "two domains in one" },
    { body: { ...URL_BODY, domains: ["https://a.test"] }, says: "domains.0", because: "a URL is no domain" },
    { body: { ...URL_BODY, name_id_format: "email" }, says: "name_id_format", because: "no such format" },
    { body: { ...URL_BODY, attribute_mapping: {} }, says: "attribute_mapping.keys", because: "a mapping has keys" },
    { body: { ...URL_BODY, domain: "a.test" }, says: "domain", because: "an unknown field" },
    { body: { ...URL_BODY, domains: ["TAKEN.test"] }, says: "already assigned", because: "another provider's domain" },
    { body: { type: "saml", metadata_xml: metadata("urn:taken") }, says: "urn:taken", because: "another one's entity" },
  ])("with 400 that says $says ($because)", async ({ body, says }) => {
    await using under = await withSaml();
    await using client = typedClient(under);
    const taken = { type: "saml" as const, metadata_xml: metadata("urn:taken"), domains: ["taken.test"] };
    await client.ssoProviders.create({ ref: REF, body: taken });
    const refused = await under.call("POST", PATH, { body });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
    expect((await client.ssoProviders.list({ ref: REF })).items).toHaveLength(1);
  });

  it("with 400 where a PUT takes a domain of another provider, and nothing changes", async () => {
    await using under = await withSaml();
    await using client = typedClient(under);
    const [a, b] = ["a.test", "b.test"];
    await client.ssoProviders.create({
      ref: REF,
      body: { type: "saml", metadata_xml: metadata("urn:a"), domains: [a] },
    });
    const made = await client.ssoProviders.create({
      ref: REF,
      body: { type: "saml", metadata_xml: metadata("urn:b"), domains: [b] },
    });
    const refused = await under.call("PUT", `${PATH}/${made.id}`, { body: { domains: [b, a] } });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("already assigned")]);
    expect(await client.ssoProviders.get({ ref: REF, provider_id: made.id })).toEqual(made);
  });

  it("with 404 where the provider is unknown", async () => {
    await using under = await withSaml();
    for (const method of ["GET", "PUT", "DELETE"]) {
      const refused = await under.call(method, `${PATH}/none`, method === "PUT" ? { body: {} } : {});
      expect([method, refused.status, message(refused)]).toEqual([method, 404, "SSO Identity Provider not found"]);
    }
  });

  it.each([
    { auth: {}, because: "it was never switched on" },
    { auth: { saml_enabled: false }, because: "it is switched off" },
  ])("with 404 while SAML is off ($because)", async ({ auth }) => {
    await using under = await withSaml(auth);
    const refused = [
      await under.call("POST", PATH, { body: URL_BODY }),
      await under.call("GET", `${PATH}/x`),
      await under.call("PUT", `${PATH}/x`, { body: {} }),
      await under.call("DELETE", `${PATH}/x`),
    ];
    for (const received of refused) {
      expect([received.status, message(received)]).toEqual([404, expect.stringContaining("SAML")]);
    }
  });

  it("with 404 also as a list once SAML was switched off; a fresh project lists nothing", async () => {
    await using under = await withSaml({});
    await using client = typedClient(under);
    expect(await client.ssoProviders.list({ ref: REF })).toEqual({ items: [] });
    await client.authConfig.update({ ref: REF, body: { saml_enabled: true } });
    await client.ssoProviders.create({ ref: REF, body: { type: "saml", metadata_url: URL_BODY.metadata_url } });
    for (const saml of [false, null]) {
      await client.authConfig.update({ ref: REF, body: { saml_enabled: saml } });
      expect((await under.call("GET", PATH)).status).toBe(404);
    }
    await client.authConfig.update({ ref: REF, body: { saml_enabled: true } });
    expect((await client.ssoProviders.list({ ref: REF })).items).toHaveLength(1);
  });

  it("with 404 for a project that is not there, 403 for a token without the right", async () => {
    await using under = await emulatorUnderTest({
      seed: {
        projects: [{ name: "shop", ref: REF, auth: { saml_enabled: true } }],
        tokens: [{ token: "reader", user: "owner", permissions: ["auth_config_read"] }],
      },
    });
    expect((await under.call("GET", PATH.replace(REF, "z".repeat(20)))).status).toBe(404);
    expect((await under.call("GET", PATH, { token: "reader" })).status).toBe(200);
    const refused = await under.call("POST", PATH, { token: "reader", body: URL_BODY });
    expect([refused.status, message(refused)]).toEqual([403, expect.stringContaining("auth_config_write")]);
  });
});
