import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** What waits for somebody, who may take days or never come: looked at soon at first, and then ever less often. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "pro" }] } });
});

afterEach(() => stage[Symbol.asyncDispose]());

const HOSTNAME = "api.example.com";
/** Under Ignore no drift check is due, which would look as well. */
const declared = {
  driftPolicy: "Ignore",
  addons: { customDomain: true },
  customHostname: { hostname: HOSTNAME },
} as const;
const SECONDS = [60, 60, 120, 240, 480, 600, 600];

/** Looks as often as it is asked to, and tells how long it waited before each look, seconds. */
async function waits(looks: number): Promise<readonly number[]> {
  const seconds: number[] = [];
  for (let look = 0; look < looks; look += 1) {
    const outcome = await stage.run("progress");
    if (outcome.kind !== "waiting") throw new Error(`no wait but ${outcome.kind}`);
    seconds.push(outcome.retryAfterMs / 1000);
    await stage.theatre.pass(outcome.retryAfterMs);
  }
  return seconds;
}

/** Somebody asks for a look. */
function touch(): void {
  stage.theatre.kubernetes.put("projects", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: { name: "shop", namespace: NAMESPACE, annotations: { "baas.dev/reconcile-at": "now" } },
    spec: { organization: "acme", ...declared },
  });
}

describe("a custom hostname whose DNS records nobody creates", () => {
  it("is looked at ever less often, after ten minutes at the latest", async () => {
    await stage.start(declared);
    expect(await waits(SECONDS.length)).toEqual(SECONDS);
    expect(stage.entry("customHostname")).toMatchObject({ state: "Waiting", reason: "DnsPending" });
  });

  it("is looked at as soon as at first once somebody asks for it", async () => {
    await stage.start(declared);
    await waits(5);
    touch();
    expect(await waits(3)).toEqual(SECONDS.slice(0, 3));
  });

  it("is looked at as soon as at first once somebody edits the object, whatever of it", async () => {
    await stage.start(declared);
    await waits(5);
    await stage.start({ ...declared, storage: { fileSizeLimit: "50Mi" } });
    expect(await waits(3)).toEqual(SECONDS.slice(0, 3));
  });

  it("is looked at as soon as at first after an edit whose first run was cut off before it came so far", async () => {
    await stage.start(declared);
    await waits(5);
    const fault = { kind: "status", status: 401 } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "customHostname.get", count: 1, fault });
    const cutOff = await stage.start({ ...declared, storage: { fileSizeLimit: "50Mi" } });
    expect(cutOff).toMatchObject({ kind: "transient", reason: "ConnectionNotReady" });
    expect(await waits(3)).toEqual(SECONDS.slice(0, 3));
  });

  it("is looked at as soon as at first once they are found, and the platform is at it", async () => {
    await stage.start(declared);
    await waits(5);
    const { client, ref, theatre } = stage;
    const body = { ...(await client.customHostname.get({ ref })), status: "3_challenge_verified" };
    for (const [operation, status] of [
      ["customHostname.get", 200],
      ["customHostname.reverify", 201],
    ] as const) {
      await theatre.emulator.control.faults.add({ operation, count: null, fault: { kind: "status", status, body } });
    }
    expect(await waits(3)).toEqual(SECONDS.slice(0, 3));
  });

  it("is put into service within ten minutes, whenever they are created", async () => {
    await stage.start(declared);
    await waits(SECONDS.length);
    await stage.theatre.emulator.control.dns.set({ name: "example.com", obeys: true });
    expect(await stage.run("progress")).toMatchObject({ kind: "done" });
    expect(stage.entry("customHostname")).toMatchObject({ state: "InSync" });
  });

  it("is begun anew as another one: that one is looked at as soon as at first", async () => {
    await stage.start(declared);
    await waits(5);
    await stage.start({ ...declared, customHostname: { hostname: "db.example.com" } });
    expect(await waits(3)).toEqual(SECONDS.slice(0, 3));
  });
});

describe("just-in-time access that the platform does not offer now", () => {
  it("is looked at ever less often, after ten minutes at the latest", async () => {
    const { theatre, ref } = stage;
    await theatre.emulator.control.jit.setAvailability({ ref, unavailableReason: "temporarily_unavailable" });
    await stage.start({ driftPolicy: "Ignore", database: { jitAccess: "Enabled" } });
    expect(await waits(SECONDS.length)).toEqual(SECONDS);
  });

  it("is looked at with each drift check, where that comes sooner", async () => {
    const { theatre, ref } = stage;
    await theatre.emulator.control.jit.setAvailability({ ref, unavailableReason: "temporarily_unavailable" });
    await stage.start({ driftInterval: "3m", database: { jitAccess: "Enabled" } });
    expect(await waits(6)).toEqual([60, 60, 120, 180, 180, 180]);
  });
});
