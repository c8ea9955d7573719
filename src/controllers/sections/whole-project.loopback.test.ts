import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { everything } from "../../../test/support/sections/everything.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";
import { writing } from "../../../test/support/sections/writing.ts";
import { sections } from "./sections.ts";

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "enterprise" }] } });
});

afterEach(() => stage[Symbol.asyncDispose]());

/** Waits for somebody's DNS, and excludes the vanity subdomain: it has a test of its own. */
const LEFT_OUT = ["customHostname"];

describe("a project with every section declared", () => {
  it("declares all that there are here", () => {
    const declared = sections.filter((section) => section.declared(everything as never) !== undefined); // as it is written
    expect([...declared.map(({ name }) => name), ...LEFT_OUT].toSorted()).toEqual(
      sections.map(({ name }) => name).toSorted(),
    );
  });

  it("converges in one read and one write of each, one read more before a write that replaces what is not declared, and after one whose answer does not tell; then one read of each", async () => {
    const { root_key: rootKey } = await stage.client.encryptionKey.get({ ref: stage.ref });
    stage.putSecret("root", { rootKey: rootKey });
    await stage.calls();
    await stage.start(everything);
    const first = await stage.calls();
    expect(first.filter((id) => writing.has(id)).toSorted()).toEqual([
      "addons.apply",
      "addons.apply",
      "apiKeys.updateLegacy",
      "authConfig.update",
      "backups.updateSchedule",
      "dataApi.update",
      "database.enableWebhooks",
      "disk.update",
      "jitAccess.update",
      "networkRestrictions.apply",
      "pooler.update",
      "postgresConfig.replace",
      "realtime.update",
      "sslEnforcement.update",
      "storage.update",
      "vanitySubdomain.activate",
    ]);
    const reads = first.filter((id) => !writing.has(id)).toSorted();
    expect(reads).toEqual([
      "addons.list",
      "addons.list",
      "addons.list",
      "apiKeys.getLegacy",
      "authConfig.get",
      "backups.getSchedule",
      "branches.list",
      "dataApi.get",
      "disk.autoscale",
      "disk.get",
      "disk.get",
      "disk.get",
      "encryptionKey.get",
      "jitAccess.get",
      "networkRestrictions.get",
      "pooler.get",
      "postgresConfig.get",
      "postgresConfig.get",
      "realtime.get",
      "realtime.get",
      "sslEnforcement.get",
      "storage.get",
      "storage.get",
      "vanitySubdomain.checkAvailability",
      "vanitySubdomain.get",
      "vanitySubdomain.get",
    ]);
    // The compute size restarts the project too, and has its turn once the restart for the settings is over.
    expect(stage.entry("instanceSize")).toMatchObject({ state: "Waiting", message: "waits for database.ssl" });
    // What needs that size comes after it.
    expect(stage.entry("addons.pitr")).toMatchObject({ state: "Waiting", message: "waits for instanceSize" });
    await stage.theatre.pass(60_001);
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    // One look at what was on its way, and of the size and of what needs it one read, one write, and one read after it, since the answer does not tell.
    expect(await stage.calls()).toEqual([
      "jitAccess.get",
      "networkRestrictions.get",
      "postgresConfig.get",
      "addons.list",
      "sslEnforcement.get",
      "addons.apply",
      "addons.list",
      "addons.list",
      "addons.apply",
      "addons.list",
    ]);
    expect(stage.stored().sections?.filter(({ state }) => state !== "InSync")).toEqual([]);
    await stage.theatre.pass(60_001);
    await stage.calls();
    expect(await stage.run()).toMatchObject({ kind: "done" });
    const steady = await stage.calls();
    expect(steady.filter((id) => writing.has(id))).toEqual([]);
    expect(steady).toHaveLength(new Set(steady).size);
  });

  it("costs as little with a custom hostname in place of the vanity subdomain", async () => {
    const { root_key: rootKey } = await stage.client.encryptionKey.get({ ref: stage.ref });
    stage.putSecret("root", { rootKey: rootKey });
    const { vanitySubdomain: _excluded, ...others } = everything;
    const addons = { ...others.addons, customDomain: true };
    const costs = async (): Promise<readonly string[]> =>
      (await stage.calls()).filter((id) => id.startsWith("customHostname."));
    await stage.calls();
    await stage.start({ ...others, addons, customHostname: { hostname: "api.example.com" } });
    expect(await costs()).toEqual(["customHostname.get", "customHostname.initialize"]);
    for (const { name, value } of stage.stored().customHostname?.records ?? []) {
      await stage.theatre.emulator.control.dns.set({ name, texts: [value] });
    }
    await stage.theatre.pass(60_001);
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect((await costs()).filter((id) => writing.has(id))).toEqual(["customHostname.activate"]);
    await stage.theatre.pass(60_001);
    await stage.calls();
    await stage.run();
    expect(await costs()).toEqual(["customHostname.get"]);
  });
});
