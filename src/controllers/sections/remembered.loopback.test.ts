import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** What is remembered of a section, and what must not be. */

let stage: SectionStage;
let onRequest: () => void;

beforeEach(async () => {
  onRequest = () => undefined;
  stage = await openSectionStage(
    { seed: { organizations: [{ slug: "acme", name: "Acme", plan: "pro" }] } },
    { onRequest: () => onRequest() },
  );
});

afterEach(() => stage[Symbol.asyncDispose]());

const withMail = {
  auth: { smtp: { host: "mail.example.com", password: { secretKeyRef: { name: "mail", key: "password" } } } },
};

describe("a Secret that changes while its section is carried out", () => {
  it("is another one to the next run, and is sent", async () => {
    stage.putSecret("mail", { password: "one" });
    let requests = 0;
    onRequest = () => {
      requests += 1;
      if (requests !== 5) return;
      // The project, its health and the looks at both sections are asked for: the value was read, and the watch tells of another one.
      stage.putSecret("mail", { password: "two" });
      stage.life.look();
    };
    await stage.start({ ...withMail, dataApi: { maxRows: 5 } });
    expect(requests).toBeGreaterThanOrEqual(5);
    await stage.calls();
    await stage.run("change");
    expect((await stage.calls()).filter((id) => id === "authConfig.update")).toHaveLength(1);
    await stage.run("change");
    expect(await stage.calls()).toEqual([]);
  });
});

describe("a section that is on its way", () => {
  it("[K-22] is an edit that is carried out to its end, whatever the drift policy", async () => {
    const spec = {
      driftPolicy: "Report",
      addons: { customDomain: true },
      customHostname: { hostname: "api.example.com" },
    };
    await stage.start(spec);
    const { records = [] } = stage.stored().customHostname ?? {};
    for (const { name, value } of records) await stage.theatre.emulator.control.dns.set({ name, texts: [value] });
    await stage.run("progress");
    expect(stage.entry("customHostname")).toMatchObject({ state: "InSync" });
    expect(stage.stored().customHostname?.state).toBe("5_services_reconfigured");
  });

  it("puts off no other section's drift check", async () => {
    const { size_gb: size } = (await stage.client.disk.get({ ref: stage.ref })).attributes;
    await stage.apply({ disk: { sizeGb: size + 10 }, dataApi: { maxRows: 5 } });
    const outcome = await stage.start({ disk: { sizeGb: size + 20 }, dataApi: { maxRows: 5 } });
    expect(outcome).toMatchObject({ kind: "waiting", retryAfterMs: 600_000 });
  });
});

describe("a section that was only observed", () => {
  it("is not in force by us: the first time that it may be written is an edit", async () => {
    await stage.apply({ managementPolicy: "Observe", dataApi: { maxRows: 5 } });
    expect(stage.entry("dataApi")).toMatchObject({ state: "Drifted" });
    await stage.calls();
    await stage.apply({ driftPolicy: "Report", dataApi: { maxRows: 5 } });
    expect(await stage.calls()).toEqual(["dataApi.get", "dataApi.update"]);
  });
});

describe("a refusal", () => {
  it("ends with the platform's words also where the add-ons cannot be read", async () => {
    const { control } = stage.theatre.emulator;
    const refuse = (operation: "addons.list" | "storage.update", status: number): unknown =>
      control.faults.add({ operation, count: 9, fault: { kind: "status", status, body: { message: "no" } } });
    await refuse("addons.list", 403);
    await refuse("storage.update", 400);
    expect(await stage.apply({ storage: { fileSizeLimit: "10Mi" } })).toMatchObject({
      kind: "terminal",
      reason: "Rejected",
    });
    expect(stage.entry("storage")).toMatchObject({ state: "Failed", reason: "Rejected" });
  });
});
