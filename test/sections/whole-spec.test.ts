import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { branchSpec } from "../../src/resources/branch/spec.ts";
import { projectSpec } from "../../src/resources/project/spec.ts";
import { valueAt } from "../../src/resources/settings/setting.ts";
import { sections } from "../../src/controllers/sections/sections.ts";
import { NAMESPACE } from "../support/controllers/life.ts";
import { VALUES } from "../support/sections/declared.ts";
import { NOTHING_UNDRAWN, undrawn } from "../support/sections/undrawn.ts";
import { type AnyStage, openBranchStage, openSectionStage } from "../support/sections/stage.ts";
import {
  keysOf,
  MADE_OF_BRANCHES,
  MADE_OF_PROJECTS,
  NOT_DRAWN_OF_BRANCHES,
  NOT_DRAWN_OF_PROJECTS,
  validBranches,
  validProjects,
} from "../support/sections/valid-specs.ts";
import type { Spec } from "../support/sections/whole-spec.ts";
import { writing } from "../support/sections/writing.ts";
import { seedFrom } from "../support/seed.ts";

/**
 * Whole Projects and Branches that chance declares, of whatever the schema of the kind accepts, but for what is not drawn (NOT_DRAWN_OF_PROJECTS and
 * NOT_DRAWN_OF_BRANCHES, with the reasons): each converges, and is then left alone.
 * `SPEC_SEED=<seed of a failure>` declares those again, `SPECS=200` more of them.
 */

const seed = seedFrom("SPEC_SEED");
const SPECS = Number(process.env["SPECS"] ?? 12);

const SEED = { seed: { organizations: [{ slug: "acme", name: "Acme", plan: "enterprise" as const }] } };

function chosen(spec: Spec, names: readonly string[]): Spec {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => names.includes(name)));
}

const KINDS = [
  {
    kind: "Project",
    schema: projectSpec,
    notDrawn: NOT_DRAWN_OF_PROJECTS,
    valid: validProjects,
    open: (spec: Spec) => openSectionStage(SEED, {}, chosen(spec, MADE_OF_PROJECTS)),
    count: SPECS,
  },
  {
    kind: "Branch",
    schema: branchSpec,
    notDrawn: NOT_DRAWN_OF_BRANCHES,
    valid: validBranches,
    open: (spec: Spec) => openBranchStage(SEED, chosen(spec, MADE_OF_BRANCHES)),
    // The sections are the same ones: what is another is whose they are.
    count: Math.ceil(SPECS / 3),
  },
] as const;

/** What somebody declares first, and what of another spec they declare then. */
const pairs = KINDS.flatMap(({ kind, schema, valid, open, count }) =>
  fc
    .sample(fc.tuple(valid, valid), { numRuns: count, seed })
    .map(([spec, next], index) => ({ kind, schema, open, index, spec, next })),
);

/** Sections that the platform takes in any order, one spec after the other: a disk never shrinks, and names and add-ons exclude each other. */
const EDITED = ["auth", "database", "dataApi", "realtime", "storage", "legacyApiKeysEnabled"];

function edited(before: Spec, after: Spec): Spec {
  const rest = Object.entries(before).filter(([name]) => !EDITED.includes(name));
  return Object.fromEntries([...rest, ...Object.entries(after).filter(([name]) => EDITED.includes(name))]);
}

it.each(KINDS)("declares whatever the schema of a $kind has", ({ schema, notDrawn, valid }) => {
  expect(undrawn({ schema, notDrawn, valid })).toEqual(NOTHING_UNDRAWN);
});

async function declare(stage: AnyStage, spec: Spec): Promise<void> {
  const { control } = stage.theatre.emulator;
  // A database of its own takes seconds to begin, and there is nothing to be seen in it.
  const fault = { kind: "status", status: 201, body: {} } as const;
  await control.faults.add({ operation: "database.enableWebhooks", count: null, fault });
  const { root_key: rootKey } = await stage.client.encryptionKey.get({ ref: stage.ref });
  const keys = [...new Set(keysOf(spec))];
  stage.putSecret(VALUES, {
    ...Object.fromEntries(keys.map((key) => [key, `value of ${key}`])),
    encryptionRootKey: rootKey,
  });
  stage.putConfigMap(VALUES, Object.fromEntries(keys.map((key) => [key, `text of ${key}`])));
  await stage.start(spec);
  await createRecords(stage);
}

/** Somebody creates the records of a custom hostname once they are told, which takes as long as what it waits for. */
async function createRecords(stage: AnyStage): Promise<void> {
  const isBegun = (): boolean => stage.stored().customHostname?.records !== undefined;
  const waits = (): boolean => stage.entry("customHostname")?.state === "Waiting";
  for (let run = 0; run < MOST_RUNS && waits() && !isBegun(); run += 1) {
    await stage.theatre.pass(60_001);
    await stage.run("progress");
  }
  for (const { name, value } of stage.stored().customHostname?.records ?? []) {
    await stage.theatre.emulator.control.dns.set({ name, texts: [value] });
  }
}

const MOST_RUNS = 20;

/** Members that name what is written for programs. */
const OUTPUTS = [
  ["writeConnectionSecretToRef", "secrets"],
  ["writeConnectionConfigMapToRef", "configmaps"],
] as const;

interface Declared {
  readonly schema: (typeof KINDS)[number]["schema"];
  readonly spec: Spec;
}

async function expectInForce(stage: AnyStage, { schema, spec }: Declared): Promise<void> {
  const outcome = await stage.settle();
  const { sections: entries = [] } = stage.stored();
  const left = entries.filter(({ state }) => state !== "InSync");
  const why = "message" in outcome ? outcome.message : undefined;
  expect({ kind: outcome.kind, why, left, spec }).toEqual({ kind: "done", why: undefined, left: [], spec });
  const declared = schema.parse(spec);
  const names = sections.filter((one) => one.declared(declared) !== undefined).map(({ name }) => name);
  expect(entries.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  for (const [member, plural] of OUTPUTS) {
    const name = valueAt(spec, `${member}.name`);
    if (typeof name !== "string") continue;
    const output = stage.theatre.kubernetes.get(plural, NAMESPACE, name);
    expect({ member, output }).toMatchObject({ member, output: { data: expect.any(Object) } });
  }
  for (let look = 0; look < 2; look += 1) {
    await stage.theatre.pass(60_001);
    await stage.calls();
    expect(await stage.run()).toMatchObject({ kind: "done" });
    expect((await stage.calls()).filter((id) => writing.has(id))).toEqual([]);
  }
}

describe(`SPEC_SEED=${seed}`, () => {
  it.each(pairs)(
    "$kind $index converges and then plans nothing, and so does an edit of it",
    async ({ schema, open, spec, next }) => {
      await using stage = await open(spec);
      await declare(stage, spec);
      await expectInForce(stage, { schema, spec });
      // The platform takes three backup schedules in a day.
      await stage.theatre.pass(24 * 3_600_000);
      const after = edited(spec, next);
      await declare(stage, after);
      await expectInForce(stage, { schema, spec: after });
      expect(stage.condition("Ready")).toMatchObject({ status: "True" });
    },
  );
});
