import { afterEach, beforeEach, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";
import type { KubeObject } from "../../resources/meta.ts";

/** What is taken back while another request of the same run is on its way (engine.md §4: a record rests on what was read). */

const HOUR_MS = 3_600_000;
const PITR = { instanceSize: "small", addons: { pitr: "Days7" } };

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "pro" }] } });
  await stage.apply(PITR);
  await stage.theatre.pass(HOUR_MS);
  await stage.settle();
  await stage.calls();
});

afterEach(() => stage[Symbol.asyncDispose]());

function project(): KubeObject {
  const found = stage.theatre.kubernetes.get("projects", NAMESPACE, "shop");
  if (found === undefined) throw new Error("there is no Project");
  return found;
}

function annotate(annotations: Readonly<Record<string, string>>): void {
  const { metadata, ...rest } = project();
  const object = { ...rest, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
  stage.theatre.kubernetes.put("projects", object);
}

function declare(spec: object): void {
  stage.theatre.kubernetes.put("projects", { ...project(), spec: { organization: "acme", ...spec } });
}

/** A run with a request that takes long, and something that people do before that is answered. @returns what was asked of the platform */
async function runWhile(
  meanwhile: () => void,
  operation = "readOnlyMode.disableTemporarily",
): Promise<readonly string[]> {
  const { faults, log } = stage.theatre.emulator.control;
  const before = (await log.read({ operation })).entries.length;
  await faults.add({ operation, fault: { kind: "delay", ms: 5000 } });
  const run = stage.run("change");
  await expect.poll(async () => (await log.read({ operation })).entries).toHaveLength(before + 1);
  meanwhile();
  await stage.theatre.pass(5000);
  expect(await run).toMatchObject({ kind: "conflict" });
  return stage.calls();
}

it.each([
  { what: "the moment is another one", next: { "baas.dev/restore-to": "2@2026-01-01T00:03:00Z" } },
  { what: "the object is paused", next: { "baas.dev/paused": "true" } },
])("a restore is not asked for when it comes to it and $what", async ({ next }) => {
  annotate({ "baas.dev/allow-writes": "1", "baas.dev/restore-to": "1@2026-01-01T00:02:30Z" });
  expect(await runWhile(() => annotate(next))).not.toContain("backups.restorePitr");
});

it("recovery history is not given up when it comes to it and is declared again", async () => {
  declare({ ...PITR, addons: { pitr: "Off" } });
  annotate({ "baas.dev/allow-writes": "1" });
  expect(await runWhile(() => declare(PITR))).not.toContain("addons.remove");
  await stage.settle();
  const { selected_addons: selected } = await stage.client.addons.list({ ref: stage.ref });
  expect(selected.map(({ variant }) => variant.id)).toContain("pitr_7");
});
