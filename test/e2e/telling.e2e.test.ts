import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Family, lint, parseExposition } from "../support/metrics/exposition.ts";
import { labelsOf, strangersIn } from "../support/metrics/labels.ts";
import { registeredMetrics } from "../support/metrics/promql.ts";
import { eventually } from "../support/stage/eventually.ts";
import { coreSecret, functionOf, secretOf } from "../support/stage/functions.ts";
import { type Room } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** What an operator that has seen something tells of it: its metrics as a scraper sees them, and its log (engine.md §7, §8). */

const NAMESPACE = "telling-room";
const docs = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8");

let stage: Stage;
let room: Room;
let families: readonly Family[];

beforeAll(async () => {
  stage = await startStage({ operator: { values: { log: { level: "debug" } } } });
  room = await stage.room(NAMESPACE);
  await live();
  const [replica] = stage.operator.replicas;
  families = parseExposition((await replica?.get("/metrics"))?.text ?? "");
}, 180_000);

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

const objects = ["telling-shop", "telling-hello", "telling-env", "telling-preview", "telling-values", "telling-none"];

/** Objects of every kind, a refusal, an outage, an edit, a deletion, and looks that find nothing to do. */
async function live(): Promise<void> {
  const [shop, hello, env, preview, values, none] = objects as [string, string, string, string, string, string];
  await room.apply([
    room.project(shop, { deletionPolicy: "Delete" }),
    functionOf(room, hello, { projectRef: { name: shop } }),
    coreSecret(room, values, { TELLING_NAME: "value" }),
    secretOf(room, env, [{ secretRef: { name: values } }], { projectRef: { name: shop } }),
    room.ours("Branch", preview, { projectRef: { name: shop } }),
    room.ours("Connection", none, { baseUrl: room.emulator.url, token: { secretRef: { name: "none" } } }),
  ]);
  await room.ready("Project", shop);
  await room.ready("EdgeFunction", hello);
  await room.ready("Secret", env);
  await room.ready("Branch", preview);
  await room.stalled("Connection", none, "CredentialMissing");
  const { control } = stage.emulator;
  await control.faults.add({
    operation: "secrets.create",
    fault: { kind: "status", status: 400, body: { message: "no" } },
  });
  await room.apply(coreSecret(room, values, { TELLING_NAME: "other" }));
  await room.stalled("Secret", env, "Rejected");
  await control.faults.clear({});
  await control.faults.add({ operation: "projects.get", fault: { kind: "reset", phase: "before" } });
  await control.faults.add({ operation: "projects.get", fault: { kind: "status", status: 503 } });
  await room.reconcile("Project", shop);
  await room.reconcile("Project", shop);
  await room.kubectl("delete", "branch", preview);
  await room.gone("Branch", preview);
}

/** Any status that HTTP has. */
const STATUSES = Array.from({ length: 500 }, (_, index) => String(100 + index));

const ours = (): readonly Family[] => families.filter(({ name }) => name.startsWith("baas_"));

describe("the metrics of an operator that has seen something", () => {
  it("are many", () => {
    const sampled = ours().filter(({ samples }) => samples.length > 0);
    expect(sampled.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "baas_reconcile_total",
        "baas_api_retries_total",
        "baas_kube_events_total",
        "baas_leader",
      ]),
    );
    expect(sampled.length).toBeGreaterThan(20);
  });

  it("keep the conventions of names, units and help", () => {
    expect(ours().flatMap(lint)).toEqual([]);
  });

  it("have the labels that the page says, all of them and no other", () => {
    const documented = registeredMetrics(docs);
    const seen = ours()
      .filter(({ samples }) => samples.length > 0)
      .map((family) => [family.name, labelsOf(family).toSorted()]);
    expect(seen).toEqual(seen.map(([name]) => [name, [...(documented.get(String(name)) ?? [])].toSorted()]));
  });

  it("have values from closed sets, and none that names an object, a namespace or a ref", async () => {
    const { ref } = await room.remoteProject("telling-shop");
    expect(ours().flatMap((family) => strangersIn(family, { statuses: STATUSES }))).toEqual([]);
    const text = JSON.stringify(ours().flatMap(({ samples }) => samples.map(({ labels }) => labels)));
    for (const name of [NAMESPACE, ref, "default", ...objects]) expect(text).not.toContain(`"${name}"`);
  });
});

const lineSchema = z.looseObject({
  level: z.string(),
  msg: z.string(),
  reconcileId: z.string().optional(),
  kind: z.string().optional(),
  namespace: z.string().optional(),
  name: z.string().optional(),
  ref: z.string().optional(),
  changes: z.array(z.looseObject({ reason: z.string(), fields: z.array(z.string()) })).optional(),
});

function linesOfRuns() {
  const lines = stage.operator
    .logs()
    .split("\n")
    .filter((line) => line.startsWith("{"));
  return lines.map((line) => lineSchema.parse(JSON.parse(line))).filter(({ reconcileId }) => reconcileId !== undefined);
}

const isLast = ({ msg }: { readonly msg: string }): boolean => msg === "reconciled" || msg === "not reconciled";

describe("the log of an operator that has seen something", () => {
  it("has one line for each run, with what it is about, and nothing else of it above debug", async () => {
    const ends = await eventually("runs that ended", async () => {
      const lines = linesOfRuns();
      return lines.length > 10 && lines.at(-1) !== undefined && isLast(lines.at(-1) ?? { msg: "" }) ? lines : undefined;
    });
    const runs = Map.groupBy(ends, ({ reconcileId }) => reconcileId);
    const wrong = [...runs.values()].filter((lines) => lines.filter(isLast).length !== 1);
    expect(wrong).toEqual([]);
    expect(ends.filter((line) => !isLast(line) && line.level !== "debug")).toEqual([]);
    const nameless = ends.filter(({ kind, name, namespace }) => [kind, name, namespace].includes(undefined));
    expect(nameless).toEqual([]);
  });

  it("says at info what was written and only that, with the ref", async () => {
    const { ref } = await room.remoteProject("telling-shop");
    const told = linesOfRuns().filter((line) => isLast(line) && line.name === "telling-shop");
    expect(told.filter(({ level }) => level === "info").every(({ changes }) => changes !== undefined)).toBe(true);
    expect(told.filter(({ level }) => level === "debug").every(({ changes }) => changes === undefined)).toBe(true);
    const made = told.find(({ changes = [] }) => changes.some(({ reason }) => reason === "Created"));
    expect(made).toMatchObject({ level: "info", ref, namespace: NAMESPACE });
    expect(told.slice(told.findIndex((line) => line === made)).every((line) => line.ref === ref)).toBe(true);
  });

  it("is silent at info of a look that found nothing to do", async () => {
    const looks = () =>
      linesOfRuns().filter((line) => isLast(line) && line.kind === "Connection" && line.name === "default");
    const before = looks().length;
    // The token is as it was. How many looks a touch brings is not what this is about.
    await room.kubectl("annotate", "--overwrite", "secret", "token", "example.com/touched=once");
    const after = await eventually("another look", async () => {
      const lines = looks().slice(before);
      return lines.length > 0 ? lines : undefined;
    });
    const told = after.map(({ level, msg, changes }) => ({ level, msg, changes }));
    expect(told).toEqual(told.map(() => ({ level: "debug", msg: "reconciled", changes: undefined })));
  });
});
