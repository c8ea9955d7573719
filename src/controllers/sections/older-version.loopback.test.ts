import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";
import type { SectionEntry } from "../../resources/settings/status.ts";
import { digestOf } from "./memory.ts";

/** A project whose status an older version of this program wrote, which had other sections: what was in force stays in force. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "pro" }] } });
});

afterEach(() => stage[Symbol.asyncDispose]());

interface Addons {
  readonly pitr?: "Off" | "Days7";
  readonly ipv4?: boolean;
  readonly customDomain?: boolean;
}

/** The status as the versions left it that had one section of all add-ons. */
function restate(addons: Addons, left: Partial<SectionEntry> = {}): void {
  const former = { name: "addons", state: "InSync", applied: digestOf(addons), ...left };
  const others = (stage.stored().sections ?? []).filter(({ name }) => !name.startsWith("addons."));
  stage.theatre.kubernetes.restate("projects", NAMESPACE, "shop", (status) => ({
    ...(typeof status === "object" ? status : {}),
    sections: [former, ...others],
  }));
}

/** A drift check of a life that began after that. @returns writes of add-ons */
async function checked(): Promise<readonly string[]> {
  await stage.theatre.pass(600_000);
  await stage.calls();
  await (await stage.theatre.life()).run("Project", "shop", "drift");
  return (await stage.calls()).filter((operation) => ["addons.apply", "addons.remove"].includes(operation));
}

async function byHand(type: "pitr" | "ipv4" | "custom_domain"): Promise<void> {
  const { client, ref } = stage;
  const variant = { pitr: "pitr_7", ipv4: "ipv4_default", custom_domain: "cd_default" } as const;
  await client.addons.apply({ ref, body: { addon_type: type, addon_variant: variant[type] } });
}

const ADDED = [
  { section: "addons.pitr", type: "pitr", declared: { pitr: "Off" } },
  { section: "addons.ipv4", type: "ipv4", declared: { ipv4: false } },
  { section: "addons.customDomain", type: "custom_domain", declared: { customDomain: false } },
] as const;
const POLICIES = [
  { driftPolicy: "Report", state: "Drifted" },
  { driftPolicy: "Ignore", state: "InSync" },
] as const;
const CASES = ADDED.flatMap((added) => POLICIES.map((policy) => ({ ...added, ...policy })));

describe("an add-on that was in force when it was no section of its own", () => {
  it.each(CASES)("and that somebody changed by hand is left under $driftPolicy: $section", async (one) => {
    const spec = { driftPolicy: one.driftPolicy, instanceSize: "small" };
    await stage.apply({ ...spec, addons: one.declared });
    await byHand(one.type);
    restate(one.declared);
    expect(await checked()).toEqual([]);
    expect(stage.entry(one.section)?.state).toBe(one.state);
    expect(stage.stored().sections?.map(({ name }) => name)).toEqual([one.section, "instanceSize"]);
  });

  it("is in force as it was declared with others, whatever the entry said of it", async () => {
    const declared = { pitr: "Off", ipv4: true } as const;
    const spec = { driftPolicy: "Report", instanceSize: "small" };
    await stage.apply({ ...spec, addons: declared });
    await byHand("pitr");
    restate(declared, { state: "Drifted", reason: "DriftDetected", fields: ["spec.addons.pitr"] });
    expect(await checked()).toEqual([]);
    expect(stage.entry("addons.pitr")).toMatchObject({ state: "Drifted", fields: ["spec.addons.pitr"] });
    expect(stage.entry("addons.ipv4")).toMatchObject({ state: "InSync" });
  });

  it("is in force still where the first look of the new version fails", async () => {
    await stage.apply({ driftPolicy: "Report", instanceSize: "small", addons: { pitr: "Off" } });
    await byHand("pitr");
    restate({ pitr: "Off" });
    const fault = { kind: "status", status: 403, body: { message: "no" } } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "addons.list", count: null, fault });
    expect(await checked()).toEqual([]);
    await stage.theatre.emulator.control.faults.clear({});
    expect(await checked()).toEqual([]);
    expect(stage.entry("addons.pitr")?.state).toBe("Drifted");
  });

  it("is an edit where another one is declared since, as it was then", async () => {
    await stage.apply({ driftPolicy: "Report", instanceSize: "small", addons: { ipv4: false } });
    restate({ customDomain: true });
    await byHand("ipv4");
    expect(await checked()).toEqual(["addons.remove"]);
  });

  it("is asked for where it never was in force", async () => {
    await stage.apply({ driftPolicy: "Report", instanceSize: "small", addons: { ipv4: false } });
    await byHand("ipv4");
    restate({ ipv4: false }, { state: "Failed", applied: undefined });
    expect(await checked()).toEqual(["addons.remove"]);
  });

  it("is left where it loses history and was not recorded as declared", async () => {
    await stage.apply({ instanceSize: "small", addons: { pitr: "Off" } });
    restate({ ipv4: true });
    await byHand("pitr");
    expect(await checked()).toEqual([]);
    expect(stage.entry("addons.pitr")?.state).toBe("Drifted");
  });
});

describe("a root key of which no mark tells whether it was in force", () => {
  it.each(POLICIES)(
    "is left under $driftPolicy where the platform has another one, and no mark is made",
    async (one) => {
      const { root_key: rootKey } = await stage.client.encryptionKey.get({ ref: stage.ref });
      stage.putSecret("root", { rootKey });
      const encryptionRootKey = { secretKeyRef: { name: "root", key: "rootKey" } };
      await stage.apply({ driftPolicy: one.driftPolicy, encryptionRootKey });
      await stage.client.encryptionKey.update({ ref: stage.ref, body: { root_key: "a5".repeat(32) } });
      await stage.run();
      const { applied } = stage.entry("encryptionRootKey") ?? {};
      stage.theatre.kubernetes.restate("projects", NAMESPACE, "shop", (status) => ({
        ...(typeof status === "object" ? status : {}),
        sections: [{ name: "encryptionRootKey", state: one.state, ...(applied === undefined ? {} : { applied }) }],
      }));
      for (const life of [await stage.theatre.life(), await stage.theatre.life()]) {
        await stage.theatre.pass(600_000);
        expect(await life.run("Project", "shop", "drift")).toMatchObject({ kind: "done" });
        expect(stage.entry("encryptionRootKey")).toMatchObject({
          state: one.state,
          fields: ["spec.encryptionRootKey"],
        });
        expect(stage.entry("encryptionRootKey")?.secrets).toBeUndefined();
        expect(stage.condition("Ready")).toMatchObject({ status: "True" });
      }
    },
  );
});
