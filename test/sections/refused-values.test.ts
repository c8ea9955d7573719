import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { operations } from "../../src/api/contract/contract.ts";
import { authSettings } from "../../src/resources/settings/auth/auth.ts";
import { valueAt } from "../../src/resources/settings/setting.ts";
import {
  type DeclaredSetting,
  declaredSettings,
  declaring,
  keyOf,
  VALUES,
  valuesOf,
} from "../support/sections/declared.ts";
import { nested } from "../support/sections/lever.ts";
import { branchLevers, branchSeed, levers } from "../support/sections/levers.ts";
import { type AnyStage, openBranchStage, openSectionStage } from "../support/sections/stage.ts";
import { writing } from "../support/sections/writing.ts";

/**
 * What the schema takes and the platform does not: whatever is declared, its refusal ends terminal, with the field named and the platform's words, and is not
 * asked for again by the next look. What there is to be declared comes from the schemas, as in every-setting.loopback.test.ts and auth-fields.test.ts. Of a
 * Project all of it, of a Branch, which takes the same sections, some: `BRANCH_SEED=<seed of a failure>` draws those again.
 */

let stage: AnyStage;

/** of the platform, which no message of ours has, and no field is called */
const WORDS = "the kiwi is not ripe";

async function begin(open: typeof openSectionStage | typeof openBranchStage): Promise<void> {
  stage = await open({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "enterprise" }] } });
}

async function refuse(ids: readonly string[]): Promise<void> {
  const fault = { kind: "status", status: 422, body: { message: WORDS } } as const;
  for (const { id } of operations.filter((one) => ids.includes(one.id))) {
    await stage.theatre.emulator.control.faults.add({ operation: id, count: null, fault });
  }
}

interface Refused {
  readonly section: string;
  readonly spec: object;
  /** paths in the spec of what is asked for */
  readonly fields: readonly string[];
}

async function expectTerminal({ section, spec, fields }: Refused): Promise<void> {
  await stage.calls();
  const outcome = await stage.start(spec);
  expect({ outcome: outcome.kind, ...stage.entry(section) }).toMatchObject({
    outcome: "terminal",
    state: "Failed",
    reason: "Rejected",
    fields: fields.map((path) => `spec.${path}`),
    message: expect.stringContaining(WORDS),
  });
  expect(stage.condition("Ready")).toMatchObject({ status: "False", message: expect.stringContaining(WORDS) });
  expect((await stage.calls()).some((id) => writing.has(id))).toBe(true);
  await stage.run("change");
  expect((await stage.calls()).filter((id) => writing.has(id))).toEqual([]);
}

const cases = [
  ...levers.map((lever) => ({ kind: "Project", open: openSectionStage, lever })),
  ...branchLevers.map((lever) => ({ kind: `Branch (BRANCH_SEED=${branchSeed})`, open: openBranchStage, lever })),
];

describe.each(cases)("of a $kind, spec.$lever.path that the platform refuses", ({ open, lever }) => {
  const {
    path,
    section,
    mine,
    costs,
    told = path,
    restMs = 60_001,
    spec = (declared) => nested(path, declared),
  } = lever;

  beforeEach(() => begin(open));
  afterEach(() => stage[Symbol.asyncDispose]());

  it("ends terminal, with the field named, and is not asked for by the next look", async () => {
    await stage.theatre.pass(60_001);
    await lever.prepare?.(stage);
    await stage.theatre.pass(restMs);
    await lever.byHand(stage);
    await stage.theatre.pass(restMs);
    const writes = costs.set.filter((id) => writing.has(id));
    expect(writes).not.toEqual([]);
    await refuse(writes);
    await expectTerminal({ section, spec: spec(mine.declared), fields: [told] });
  });
});

/** A field that is nothing without another one. */
const BESIDE = { path: "providers.apple.clientId", value: "com.example.shop" } as const;

/** The first drawn value that is another one than there is. */
function another(setting: DeclaredSetting, there: unknown): unknown {
  const drawn = fc.sample(valuesOf(setting), { numRuns: 40, seed: 11 });
  return drawn.find((declared) => {
    if (setting.source !== "spec") return true;
    const wire = setting.encode(declared);
    return wire !== null && !setting.isSame(wire, there);
  });
}

const fields = declaredSettings(authSettings);
const drawn = fields.filter((_field, index) => index % 12 === branchSeed % 12);

describe.each([
  { kind: "Project", open: openSectionStage, settings: fields },
  { kind: `Branch (BRANCH_SEED=${branchSeed})`, open: openBranchStage, settings: drawn },
])("a field of auth of a $kind that the platform refuses", ({ open, settings }) => {
  beforeAll(async () => {
    await begin(open);
    stage.putSecret(VALUES, Object.fromEntries(settings.map((one) => [keyOf(one), "a value"])));
    stage.putConfigMap(VALUES, Object.fromEntries(settings.map((one) => [keyOf(one), "a text"])));
    await refuse(["authConfig.update"]);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it.each(settings)(
    "ends terminal, with the field named, and is not asked for by the next look: $path",
    async (setting) => {
      await stage.theatre.pass(60_001);
      const { path, wire } = setting;
      const value = another(setting, valueAt(await stage.client.authConfig.get({ ref: stage.ref }), wire));
      expect(value).toBeDefined();
      const first: readonly (readonly [string, unknown])[] =
        path === "providers.apple.additionalClientIds" ? [[BESIDE.path, BESIDE.value]] : [];
      const members = [...first, [path, value] as const];
      const named = members.map(([name]) => `auth.${name}`);
      await expectTerminal({ section: "auth", spec: { auth: declaring(members) }, fields: named });
    },
  );
});
