import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { projectKind } from "../../src/resources/project/kind.ts";
import { projectSpec } from "../../src/resources/project/spec.ts";
import { sections } from "../../src/controllers/sections/sections.ts";
import { VALUES } from "../support/sections/declared.ts";
import { openSectionStage, type SectionStage } from "../support/sections/stage.ts";
import { keysOf, NOT_DRAWN, validProjects } from "../support/sections/valid-projects.ts";
import type { Spec } from "../support/sections/whole-spec.ts";
import { writing } from "../support/sections/writing.ts";
import { seedFrom } from "../support/seed.ts";

/**
 * Whole Projects that chance declares, of whatever the schema of the kind accepts: each converges, and is then left alone. `SPEC_SEED=<seed of a
 * failure>` declares those again, `SPECS=200` more of them.
 */

const seed = seedFrom("SPEC_SEED");
const SPECS = Number(process.env["SPECS"] ?? 12);
/** What somebody declares first, and what of another spec they declare then. */
const pairs = fc.sample(fc.tuple(validProjects, validProjects), { numRuns: SPECS, seed });

/** Sections that the platform takes in any order, one spec after the other: a disk never shrinks, and names and add-ons exclude each other. */
const EDITED = ["auth", "database", "dataApi", "realtime", "storage", "legacyApiKeysEnabled"];

function edited(before: Spec, after: Spec): Spec {
  const rest = Object.entries(before).filter(([name]) => !EDITED.includes(name));
  return Object.fromEntries([...rest, ...Object.entries(after).filter(([name]) => EDITED.includes(name))]);
}

it("declares whatever the schema has", () => {
  const names = Object.keys(projectSpec.shape);
  expect(Object.keys(NOT_DRAWN).filter((name) => !names.includes(name))).toEqual([]);
  const declared = new Set(fc.sample(validProjects, { numRuns: 100, seed: 1 }).flatMap((spec) => Object.keys(spec)));
  expect(names.filter((name) => !declared.has(name) && !Object.hasOwn(NOT_DRAWN, name))).toEqual([]);
});

async function declare(stage: SectionStage, spec: Spec): Promise<void> {
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
async function createRecords(stage: SectionStage): Promise<void> {
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

async function expectInForce(stage: SectionStage, spec: Spec): Promise<void> {
  const outcome = await stage.life.settle("Project", "shop");
  const { sections: entries = [] } = stage.stored();
  const left = entries.filter(({ state }) => state !== "InSync");
  expect({ kind: outcome.kind, left, spec }).toEqual({ kind: "done", left: [], spec });
  const declared = projectKind.parse(stage.theatre.kubernetes.get("projects", "test", "shop"));
  if (!declared.ok) throw new Error("the spec is none");
  const names = sections.filter((one) => one.declared(declared.object.spec) !== undefined).map(({ name }) => name);
  expect(entries.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  for (let look = 0; look < 2; look += 1) {
    await stage.theatre.pass(60_001);
    await stage.calls();
    expect(await stage.run()).toMatchObject({ kind: "done" });
    expect((await stage.calls()).filter((id) => writing.has(id))).toEqual([]);
  }
}

describe(`SPEC_SEED=${seed}`, () => {
  it.each(pairs.map(([spec, next], index) => ({ index, spec, next })))(
    "spec $index converges and then plans nothing, and so does an edit of it",
    async ({ spec, next }) => {
      await using stage = await openSectionStage({
        seed: { organizations: [{ slug: "acme", name: "Acme", plan: "enterprise" }] },
      });
      await declare(stage, spec);
      await expectInForce(stage, spec);
      // The platform takes three backup schedules in a day.
      await stage.theatre.pass(24 * 3_600_000);
      await declare(stage, edited(spec, next));
      await expectInForce(stage, edited(spec, next));
      expect(stage.condition("Ready")).toMatchObject({ status: "True" });
    },
  );
});
