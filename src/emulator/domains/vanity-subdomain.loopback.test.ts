import { describe, expect, it } from "vitest";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REF = "abcdefghijklmnopqrst";
const OTHER = "bbbbbbbbbbbbbbbbbbbb";
const PATH = `/v1/projects/${REF}/vanity-subdomain`;

const twoProjects = () =>
  emulatorUnderTest({
    seed: {
      projects: [
        { name: "shop", ref: REF },
        { name: "other", ref: OTHER },
      ],
    },
  });

describe("a vanity subdomain", () => {
  it("is not used at first, then active under the platform's domain, then not used again", async () => {
    await using under = await twoProjects();
    await using client = typedClient(under);
    expect(await client.vanitySubdomain.get({ ref: REF })).toEqual({ status: "not-used" });
    const body = { vanity_subdomain: "My-Shop" };
    expect(await client.vanitySubdomain.checkAvailability({ ref: REF, body })).toEqual({ available: true });
    const active = await client.vanitySubdomain.activate({ ref: REF, body });
    expect(active).toEqual({ custom_domain: "my-shop.emulator.test" });
    expect(await client.vanitySubdomain.get({ ref: REF })).toEqual({ status: "active", ...active });
    expect(await client.vanitySubdomain.activate({ ref: REF, body })).toEqual(active);
    expect(await client.vanitySubdomain.delete({ ref: REF })).toBeUndefined();
    expect(await client.vanitySubdomain.get({ ref: REF })).toEqual({ status: "not-used" });
    const again = await under.call("DELETE", PATH);
    expect([again.status, again.text]).toEqual([200, ""]);
  });

  it("belongs to one project: others find it taken, whatever its case, until it is given back", async () => {
    await using under = await twoProjects();
    await using client = typedClient(under);
    await client.vanitySubdomain.activate({ ref: REF, body: { vanity_subdomain: "shop" } });
    const body = { vanity_subdomain: "SHOP" };
    expect(await client.vanitySubdomain.checkAvailability({ ref: OTHER, body })).toEqual({ available: false });
    await expect(client.vanitySubdomain.activate({ ref: OTHER, body })).rejects.toMatchObject({ status: 400 });
    await client.vanitySubdomain.activate({ ref: REF, body: { vanity_subdomain: "store" } });
    expect(await client.vanitySubdomain.checkAvailability({ ref: OTHER, body })).toEqual({ available: true });
    await client.projects.delete({ ref: REF });
    const store = { vanity_subdomain: "store" };
    expect(await client.vanitySubdomain.checkAvailability({ ref: OTHER, body: store })).toEqual({ available: true });
  });

  it.each([
    { name: "www", because: "the platform keeps the name to itself" },
    { name: OTHER, because: "it is another project's own host name" },
  ])("is not available as $name: $because", async ({ name }) => {
    await using under = await twoProjects();
    await using client = typedClient(under);
    const body = { vanity_subdomain: name };
    expect(await client.vanitySubdomain.checkAvailability({ ref: REF, body })).toEqual({ available: false });
    await expect(client.vanitySubdomain.activate({ ref: REF, body })).rejects.toMatchObject({ status: 400 });
  });

  it.each(["", "-shop", "shop-", "a.b", "a_b", "x".repeat(64)])("is not '%s'", async (vanity_subdomain) => {
    await using under = await twoProjects();
    for (const verb of ["activate", "check-availability"]) {
      const refused = await under.call("POST", `${PATH}/${verb}`, { body: { vanity_subdomain } });
      expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("vanity_subdomain")]);
    }
  });

  it("gives way to a custom hostname in service", async () => {
    await using under = await twoProjects();
    await using client = typedClient(under);
    await client.addons.apply({ ref: REF, body: { addon_variant: "cd_default", addon_type: "custom_domain" } });
    await under.control.dns.set({ name: "example.com", obeys: true });
    await client.customHostname.initialize({ ref: REF, body: { custom_hostname: "api.example.com" } });
    await client.customHostname.reverify({ ref: REF });
    expect(await client.vanitySubdomain.get({ ref: REF })).toEqual({ status: "not-used" });
    await client.customHostname.activate({ ref: REF });
    expect(await client.vanitySubdomain.get({ ref: REF })).toEqual({
      status: "custom-domain-used",
      custom_domain: "api.example.com",
    });
    const refused = client.vanitySubdomain.activate({ ref: REF, body: { vanity_subdomain: "shop" } });
    await expect(refused).rejects.toMatchObject({ status: 400 });
  });

  it("is answered 400 on the free plan, and can be taken away there all the same", async () => {
    await using under = await twoProjects();
    await under.control.organizations.patch({ slug: "acme", plan: "free" });
    const body = { vanity_subdomain: "shop" };
    const calls = [
      ["GET", PATH],
      ["POST", `${PATH}/check-availability`],
      ["POST", `${PATH}/activate`],
      ["DELETE", PATH],
    ] as const;
    const statuses: number[] = [];
    for (const [method, path] of calls) {
      statuses.push((await under.call(method, path, method === "POST" ? { body } : {})).status);
    }
    expect(statuses).toEqual([400, 400, 400, 200]);
  });

  it("may be read ten times a minute", async () => {
    await using under = await twoProjects();
    const statuses: number[] = [];
    for (let sent = 0; sent < 11; sent += 1) statuses.push((await under.call("GET", PATH)).status);
    expect([new Set(statuses.slice(0, 10)), statuses.at(-1)]).toEqual([new Set([200]), 429]);
    expect((await under.call("GET", `/v1/projects/${OTHER}/vanity-subdomain`)).status).toBe(200);
  });
});
