import { describe, expect, it } from "vitest";
import { type CustomHostname, customHostnameSchema } from "../../api/contract/custom-hostname.ts";
import { bodyAs, type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REF = "abcdefghijklmnopqrst";
const PATH = `/v1/projects/${REF}/custom-hostname`;
const ADDON = { addon_variant: "cd_default", addon_type: "custom_domain" } as const;

/** How far a project is with its hostname before a call is tried on it. */
type Step = "without add-on" | "nothing yet" | "initiated" | "verified" | "active";
const STEPS: readonly Step[] = ["without add-on", "nothing yet", "initiated", "verified", "active"];

async function projectAt(step: Step): Promise<EmulatorUnderTest> {
  const under = await emulatorUnderTest({ seed: { projects: [{ name: "shop", ref: REF }] } });
  const then: readonly (() => Promise<unknown>)[] = [
    () => under.call("PATCH", `/v1/projects/${REF}/billing/addons`, { body: ADDON }),
    () => under.call("POST", `${PATH}/initialize`, { body: { custom_hostname: "api.example.com" } }),
    async () => {
      await under.control.dns.set({ name: "example.com", obeys: true });
      await under.call("POST", `${PATH}/reverify`);
    },
    () => under.call("POST", `${PATH}/activate`),
  ];
  for (const work of then.slice(0, STEPS.indexOf(step))) await work();
  return under;
}

describe("a custom hostname for which nobody answers", () => {
  it.each<readonly [string, Step]>([
    ["GET", "initiated"],
    ["POST /reverify", "initiated"],
    ["POST /activate", "verified"],
    ["DELETE", "active"],
  ])("makes %s answer 544, and changes nothing", async (call, step) => {
    await using under = await projectAt(step);
    const before = (await under.call("GET", PATH)).json;
    await under.control.dns.set({ name: "example.com", silent: true });
    const [method = "", rest = ""] = call.split(" ");
    const late = await under.call(method, `${PATH}${rest}`);
    expect([late.status, message(late)]).toEqual([544, "upstream timeout: nobody answers for api.example.com"]);
    await under.control.dns.clear();
    expect((await under.call("GET", PATH)).json).toEqual(before);
  });

  it("cannot be taken", async () => {
    await using under = await projectAt("nothing yet");
    await under.control.dns.set({ name: "api.example.com", silent: true });
    const taken = await under.call("POST", `${PATH}/initialize`, { body: { custom_hostname: "api.example.com" } });
    expect(taken.status).toBe(544);
    await under.control.dns.clear();
    expect((await under.call("GET", PATH)).status).toBe(400);
  });
});

describe("[K-22] the machine of a custom hostname", () => {
  const rows: readonly (readonly [string, Step, number, string])[] = [
    ["GET", "without add-on", 400, "removed"],
    ["GET", "nothing yet", 400, "No custom hostname configuration found"],
    ["GET", "initiated", 200, "2_initiated"],
    ["GET", "verified", 200, "4_origin_setup_completed"],
    ["GET", "active", 200, "5_services_reconfigured"],
    ["POST /initialize", "without add-on", 400, "add-on"],
    ["POST /initialize", "nothing yet", 201, "2_initiated"],
    ["POST /initialize", "initiated", 544, "delete the existing hostname first"],
    ["POST /initialize", "verified", 544, "delete the existing hostname first"],
    ["POST /initialize", "active", 544, "delete the existing hostname first"],
    ["POST /reverify", "without add-on", 400, "removed"],
    ["POST /reverify", "nothing yet", 400, "No custom hostname configuration found"],
    ["POST /reverify", "initiated", 201, "2_initiated"],
    ["POST /reverify", "verified", 400, "activate"],
    ["POST /reverify", "active", 400, "in service already; there is nothing to verify"],
    ["POST /activate", "without add-on", 400, "removed"],
    ["POST /activate", "nothing yet", 400, "No custom hostname configuration found"],
    ["POST /activate", "initiated", 400, "not verified"],
    ["POST /activate", "verified", 201, "5_services_reconfigured"],
    ["POST /activate", "active", 400, "already"],
    ["DELETE", "without add-on", 400, "removed"],
    ["DELETE", "nothing yet", 400, "No custom hostname configuration found"],
    ["DELETE", "initiated", 200, "^$"],
    ["DELETE", "verified", 200, "^$"],
    ["DELETE", "active", 200, "^$"],
  ];
  it.each(rows)("answers %s of a project %s with %i and '%s'", async (call, step, status, says) => {
    await using under = await projectAt(step);
    const [method = "", rest = ""] = call.split(" ");
    const body = rest === "/initialize" ? { custom_hostname: "shop.example.org" } : undefined;
    const received = await under.call(method, `${PATH}${rest}`, { body });
    expect([received.status, received.text]).toEqual([status, expect.stringMatching(says)]);
  });

  it.each([
    { method: "GET", path: PATH },
    { method: "POST", path: `${PATH}/initialize`, body: { custom_hostname: "api.example.com" } },
  ])("is refused by $method without the add-on, in words that hold the request to send first", async (refused) => {
    await using under = await projectAt("without add-on");
    const said = message(await under.call(refused.method, refused.path, { body: refused.body }));
    const [, method = "", path = "", body = ""] = /(PATCH) (\S+) (\{.*\})$/.exec(said) ?? [];
    await under.call(method, path, { body: JSON.parse(body) });
    const initialized = await under.call("POST", `${PATH}/initialize`, {
      body: { custom_hostname: "api.example.com" },
    });
    expect(initialized.status).toBe(201);
  });

  it("is gone through from the records to set until the hostname is in service, and back", async () => {
    await using under = await projectAt("nothing yet");
    await using client = typedClient(under);
    const begun = await client.customHostname.initialize({ ref: REF, body: { custom_hostname: "API.Example.com" } });
    expect(begun).toMatchObject({
      status: "2_initiated",
      custom_hostname: "api.example.com",
      data: { result: { hostname: "api.example.com", status: "pending", ssl: { status: "pending_validation" } } },
    });
    expect(await client.customHostname.get({ ref: REF })).toEqual(begun);
    for (const { name, value } of records(begun)) {
      expect((await client.customHostname.reverify({ ref: REF })).status).toBe("2_initiated");
      await under.control.dns.set({ name, texts: ["something else", value] });
    }
    const verified = await client.customHostname.reverify({ ref: REF });
    expect([verified.status, verified.data.result.verification_errors]).toEqual(["4_origin_setup_completed", []]);
    const active = await client.customHostname.activate({ ref: REF });
    expect(active).toMatchObject({
      status: "5_services_reconfigured",
      data: { result: { status: "active", ssl: { status: "active", validation_records: [] } } },
    });
    expect([records(begun).length, records(verified).length, records(active)]).toEqual([2, 2, []]);
    expect(await client.customHostname.get({ ref: REF })).toEqual(active);
    expect(await client.customHostname.delete({ ref: REF })).toBeUndefined();
    await client.customHostname.initialize({ ref: REF, body: { custom_hostname: "api.example.com" } });
  });

  it("tells which records it misses, and not of those that it found", async () => {
    await using under = await projectAt("initiated");
    const [first, second] = records(bodyAs(customHostnameSchema, await under.call("GET", PATH)));
    await under.control.dns.set({ name: first?.name ?? "", texts: [first?.value ?? ""] });
    await under.control.dns.set({ name: second?.name ?? "", texts: ["wrong"] });
    const again = bodyAs(customHostnameSchema, await under.call("POST", `${PATH}/reverify`));
    expect(again.data.result.verification_errors).toEqual([expect.stringContaining(second?.name ?? "")]);
    await under.control.dns.clear();
    const cleared = bodyAs(customHostnameSchema, await under.call("POST", `${PATH}/reverify`));
    expect(cleared.data.result.verification_errors).toHaveLength(2);
  });

  it("is followed by the add-on where the deletion says so, and not otherwise", async () => {
    await using under = await projectAt("active");
    await under.call("DELETE", `${PATH}?remove_addon=false`);
    expect(message(await under.call("GET", PATH))).toContain("No custom hostname");
    await under.call("POST", `${PATH}/initialize`, { body: { custom_hostname: "api.example.com" } });
    await under.call("DELETE", `${PATH}?remove_addon=true`);
    expect(message(await under.call("GET", PATH))).toMatch(/^Resource has been removed/);
  });

  it.each(["initiated", "active"] as const)("is gone with its add-on, as one %s, and not there again", async (at) => {
    await using under = await projectAt(at);
    const addons = PATH.replace("/custom-hostname", "/billing/addons");
    const other = "b".repeat(20);
    await under.control.state.seed({ projects: [{ name: "other", ref: other, addons: ["cd_default"] }] });
    expect((await under.call("DELETE", `${addons}/cd_default`)).status).toBe(200);
    expect(message(await under.call("GET", PATH))).toMatch(/^Resource has been removed/);
    const vanity = await under.call("GET", PATH.replace("custom-hostname", "vanity-subdomain"));
    expect(vanity.json).toEqual({ status: "not-used" });
    await under.call("PATCH", addons, { body: ADDON });
    const again = await under.call("GET", PATH);
    expect([again.status, message(again)]).toEqual([400, expect.stringContaining("No custom hostname")]);
    const body = { custom_hostname: "api.example.com" };
    const path = PATH.replace(REF, other);
    expect((await under.call("POST", `${path}/initialize`, { body })).status).toBe(201);
  });

  it("gives a hostname to one project at a time", async () => {
    await using under = await projectAt("initiated");
    const other = "b".repeat(20);
    await under.control.state.seed({ projects: [{ name: "other", ref: other }] });
    await under.call("PATCH", `/v1/projects/${other}/billing/addons`, { body: ADDON });
    const path = `/v1/projects/${other}/custom-hostname/initialize`;
    const initialize = () => under.call("POST", path, { body: { custom_hostname: "api.EXAMPLE.com" } });
    expect((await initialize()).status).toBe(400);
    await under.call("DELETE", PATH);
    expect((await initialize()).status).toBe(201);
  });

  it("gives a hostname of a project that is gone to another one, as soon as it is gone", async () => {
    await using under = await projectAt("initiated");
    const other = "b".repeat(20);
    await under.control.state.seed({ projects: [{ name: "other", ref: other, addons: ["cd_default"] }] });
    await under.control.settings.patch({ timings: { goingDownMs: 500 } });
    const path = `/v1/projects/${other}/custom-hostname/initialize`;
    const initialize = () => under.call("POST", path, { body: { custom_hostname: "api.example.com" } });
    await under.call("DELETE", PATH.replace("/custom-hostname", ""));
    expect((await initialize()).status).toBe(400);
    under.clock.advance(500);
    expect((await initialize()).status).toBe(201);
  });
});

/** The TXT records that a hostname asks for. */
function records({ data }: CustomHostname): readonly { readonly name: string; readonly value: string }[] {
  const { ownership_verification: ownership, ssl } = data.result;
  const certificate = (ssl.validation_records ?? []).map((one) => ({ name: one.txt_name, value: one.txt_value }));
  return [...(ownership === null || ownership === undefined ? [] : [ownership]), ...certificate];
}

describe("a custom hostname", () => {
  it.each([
    "",
    "localhost",
    "https://api.example.com",
    "api..example.com",
    `${"a".repeat(250)}.com`,
    "api.example.com.",
  ])("is not '%s'", async (custom_hostname) => {
    await using under = await projectAt("nothing yet");
    const refused = await under.call("POST", `${PATH}/initialize`, { body: { custom_hostname } });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("custom_hostname")]);
  });

  it.each([
    { method: "POST", path: `${PATH}/initialize` },
    { method: "POST", path: `${PATH}/reverify` },
    { method: "DELETE", path: PATH },
  ])("[K-22] is refused for its rate at the 11th $method $path of a minute, each counted alone", async (row) => {
    await using under = await projectAt("nothing yet");
    const other = row.method === "DELETE" ? `${PATH}/reverify` : PATH;
    const statuses: number[] = [];
    for (let sent = 0; sent < 11; sent += 1) statuses.push((await under.call(row.method, row.path)).status);
    expect([statuses.slice(0, 10).includes(429), statuses.at(-1)]).toEqual([false, 429]);
    expect((await under.call(row.method === "DELETE" ? "POST" : "GET", other)).status).toBe(400);
  });
});
