import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApplicableVariant } from "../../api/contract/addons.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** spec.addons.pitr: to shorten it loses history that nothing brings back, so that an edit does it and no repair. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "pro" }] } });
});

afterEach(() => stage[Symbol.asyncDispose]());

async function selected(): Promise<string | undefined> {
  const { selected_addons: addons } = await stage.client.addons.list({ ref: stage.ref });
  return addons.find(({ type }) => type === "pitr")?.variant.id;
}

const declare = (pitr: string, more: object = {}) => stage.apply({ instanceSize: "small", addons: { pitr }, ...more });

/** Somebody selects another one, or removes it. */
async function byHand(variant: ApplicableVariant | undefined): Promise<void> {
  const { client, ref, theatre } = stage;
  if (variant === undefined) await client.addons.remove({ ref, addon_variant: "pitr_14" });
  else await client.addons.apply({ ref, body: { addon_type: "pitr", addon_variant: variant } });
  await theatre.pass(120_000);
  await stage.calls();
}

const SHORTER = [
  { spec: "Days14", hand: "pitr_28", edit: "Days7", left: "pitr_7" },
  { spec: "Off", hand: "pitr_7", edit: "Days14", left: "pitr_14" },
] as const;

describe("point-in-time recovery that somebody made longer", () => {
  it.each(SHORTER)("is told and left where $spec is declared and $hand is there", async ({ spec, hand }) => {
    await declare(spec);
    await byHand(hand);
    await stage.run();
    expect(await stage.calls()).toEqual(["addons.list"]);
    expect(await selected()).toBe(hand);
    expect(stage.entry("addons.pitr")).toMatchObject({
      state: "Drifted",
      fields: ["spec.addons.pitr"],
      message: expect.stringContaining("history"),
    });
    expect(stage.condition("Drifted")).toMatchObject({ status: "True" });
    expect(stage.condition("Ready")).toMatchObject({ status: "True" });
    // It goes on being left, whatever is edited beside it.
    await declare(spec, { legacyApiKeysEnabled: false });
    expect(await selected()).toBe(hand);
  });

  it.each(SHORTER)("becomes what an edit asks for: $edit", async ({ spec, hand, edit, left }) => {
    await declare(spec);
    await byHand(hand);
    await stage.run();
    await declare(edit);
    await stage.theatre.pass(120_000);
    await stage.settle();
    expect(await selected()).toBe(left);
    expect(stage.condition("Drifted")).toBeUndefined();
  });

  it("is shortened by an edit, also of an object whose drift is reported", async () => {
    await declare("Days28", { driftPolicy: "Report" });
    await declare("Days7", { driftPolicy: "Report" });
    expect(await selected()).toBe("pitr_7");
  });
});

describe("point-in-time recovery that is declared for the first time, of whose request no answer came", () => {
  it.each(["before", "after"] as const)(
    "is told as in doubt, and as declared once it is seen: lost %s",
    async (phase) => {
      await stage.apply({ instanceSize: "small" });
      const fault = { kind: "reset", phase } as const;
      await stage.theatre.emulator.control.faults.add({ operation: "addons.apply", count: 1, fault });
      await stage.start({ instanceSize: "small", addons: { pitr: "Days7" } });
      expect(stage.entry("addons.pitr")).toMatchObject({ state: "Waiting", sending: expect.any(String) });
      expect(stage.entry("addons.pitr")).not.toHaveProperty("applied");
      expect(stage.condition("Ready")).toMatchObject({ status: "Unknown" });
      await stage.settle();
      expect([await selected(), stage.entry("addons.pitr")?.state]).toEqual(["pitr_7", "InSync"]);
    },
  );
});

describe("point-in-time recovery that somebody made shorter", () => {
  it.each(["pitr_7", undefined] as const)("is repaired: %s", async (hand) => {
    await declare("Days14");
    await byHand(hand);
    await stage.run();
    await stage.theatre.pass(120_000);
    await stage.settle();
    expect(await selected()).toBe("pitr_14");
  });
});

describe("point-in-time recovery that is longer than an object declares of which nothing tells what it declared before", () => {
  /** As a cluster has it that is made anew from files. */
  function loseSections(): void {
    const [project] = stage.theatre.kubernetes.list("projects");
    const { namespace = "", name = "" } = project?.metadata ?? {};
    stage.theatre.kubernetes.restate("projects", namespace, name, (status) => ({
      ...Object(status),
      sections: undefined,
    }));
  }

  const found = async () => [await selected(), stage.entry("addons.pitr"), stage.condition("Drifted")];
  const held = (variant: string): readonly unknown[] => [
    variant,
    expect.objectContaining({
      state: "Drifted",
      fields: ["spec.addons.pitr"],
      message: expect.stringContaining("write the one that there is, and an edit after that"),
    }),
    expect.objectContaining({ status: "True" }),
  ];

  it.each([...SHORTER.map((one) => ({ ...one, more: {} })), { ...SHORTER[0], more: { driftPolicy: "Report" } }])(
    "is told and left where its status was lost: $spec, $more",
    async ({ spec, hand, more }) => {
      await declare(spec, more);
      await byHand(hand);
      await stage.run();
      loseSections();
      await stage.run();
      expect(await found()).toEqual(held(hand));
      await stage.run();
      expect(await found()).toEqual(held(hand));
    },
  );

  it.each(SHORTER)("is told and left where $spec is the first that is declared", async ({ spec, hand }) => {
    await stage.apply({ instanceSize: "small" });
    await byHand(hand);
    await declare(spec);
    expect(await found()).toEqual(held(hand));
  });

  it.each(SHORTER)("is told and left where drift is ignored and $spec is the first that is declared", async (one) => {
    const ignoring = { driftPolicy: "Ignore" };
    await stage.apply({ instanceSize: "small", ...ignoring });
    await byHand(one.hand);
    await declare(one.spec, ignoring);
    expect(await found()).toEqual(held(one.hand));
    // What was asked for and not done is told until it is, or until it is asked for no more.
    await stage.run();
    expect(await found()).toEqual(held(one.hand));
    await declare(one.hand === "pitr_28" ? "Days28" : "Days7", ignoring);
    expect(stage.condition("Drifted")).toBeUndefined();
    await declare(one.spec, ignoring);
    await stage.theatre.pass(120_000);
    await stage.settle();
    expect(stage.entry("addons.pitr")).toMatchObject({ state: "InSync" });
    expect(await selected()).toBe(one.spec === "Off" ? undefined : "pitr_14");
  });

  it("is told and left where what is declared was refused before it came to be", async () => {
    await stage.apply({ instanceSize: "small" });
    const fault = { kind: "status", status: 400 } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "addons.apply", count: null, fault });
    await declare("Days7");
    expect(stage.entry("addons.pitr")).toMatchObject({ state: "Failed" });
    await stage.theatre.emulator.control.faults.clear({});
    await byHand("pitr_28");
    await stage.theatre.pass(3_700_000);
    await stage.run();
    expect(await found()).toEqual(held("pitr_28"));
  });

  it("is told and left where the operator ended after the first write, which is recorded by its end alone, and a shorter one is declared by then", async () => {
    await stage.apply({ instanceSize: "small" });
    const { kubernetes } = stage.theatre;
    const [project] = kubernetes.list("projects");
    if (project === undefined) throw new Error("no project");
    const spec = { organization: "acme", instanceSize: "small", addons: { pitr: "Days14" } };
    kubernetes.put("projects", { ...project, spec });
    for (let survived = 0; (await selected()) === undefined; survived += 1) {
      await (await stage.theatre.life(survived)).settle("Project", "shop");
    }
    expect(stage.entry("addons.pitr")).toBeUndefined();
    await declare("Days7");
    expect(await found()).toEqual(held("pitr_14"));
  });

  it("is shortened once the one that there is was written, and then a shorter one", async () => {
    await stage.apply({ instanceSize: "small" });
    await byHand("pitr_28");
    await declare("Days14");
    expect(await found()).toEqual(held("pitr_28"));
    await declare("Days28");
    expect(await selected()).toBe("pitr_28");
    expect(stage.condition("Drifted")).toBeUndefined();
    await declare("Days14");
    await stage.theatre.pass(120_000);
    await stage.settle();
    expect(await selected()).toBe("pitr_14");
    expect(stage.entry("addons.pitr")).toMatchObject({ state: "InSync" });
  });

  it("is shortened by an edit to a third one, once it was told", async () => {
    await stage.apply({ instanceSize: "small" });
    await byHand("pitr_28");
    await declare("Days14");
    await declare("Days7");
    await stage.theatre.pass(120_000);
    await stage.settle();
    expect(await selected()).toBe("pitr_7");
  });
});
