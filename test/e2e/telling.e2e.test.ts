import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Family, lint, parseExposition } from "../support/metrics/exposition.ts";
import { labelsOf, strangersIn } from "../support/metrics/labels.ts";
import { registeredMetrics } from "../support/metrics/promql.ts";
import { eventually } from "../support/stage/eventually.ts";
import {
  coreSecret,
  deployByHand,
  functionOf,
  looksUntil,
  remoteFunction,
  secretOf,
} from "../support/stage/functions.ts";
import { type Room } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";
import { type Collector, startCollector } from "../support/traces/collector.ts";

/** What an operator that has seen something tells of it: its metrics as a scraper sees them, and its log (engine.md §7, §8). */

const NAMESPACE = "telling-room";
const root = new URL("../../", import.meta.url);
const docs = readFileSync(new URL("docs/operations.md", root), "utf8");
const documented = registeredMetrics(docs);

/** What this stage does not surely bring about, by metric: why not, and the test that reads what it counts. */
const elsewhere: Readonly<Record<string, { readonly why: string; readonly test: string }>> = {
  baas_lease_failures_total: {
    why: "the apiserver takes each request for the lease",
    test: "src/runtime/leader-election.test.ts",
  },
  baas_kube_watch_restarts_total: {
    why: "a watch lives for five minutes, unless the apiserver ends it",
    test: "src/kube/reflector-watch.loopback.test.ts",
  },
  baas_not_converging_total: {
    why: "the emulator keeps what is written",
    test: "src/controllers/shared/convergence.test.ts",
  },
  baas_released_total: {
    why: "what is deleted here is deleted remotely",
    test: "src/controllers/shared/releases.loopback.test.ts",
  },
  baas_release_failures_total: {
    why: "nothing is let go",
    test: "src/controllers/shared/unlisted.loopback.test.ts",
  },
  baas_status_items_left_out_total: {
    why: "it takes hundreds of items",
    test: "src/controllers/shared/status-left-out.test.ts",
  },
};

let stage: Stage;
let collector: Collector;
let room: Room;
let families: readonly Family[];

beforeAll(async () => {
  collector = await startCollector();
  const tracing = { otlpEndpoint: collector.url };
  stage = await startStage({ operator: { values: { log: { level: "debug" }, tracing } } });
  room = await stage.room(NAMESPACE);
  await live();
  // Spans are sent in the background, and are counted when the collector has answered.
  families = await eventually("spans are sent", async () => {
    const scraped = await scrape();
    return scraped.some(({ name, samples }) => name === "baas_trace_spans_total" && samples.length > 0)
      ? scraped
      : undefined;
  });
}, 180_000);

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await collector[Symbol.asyncDispose]();
});

async function scrape(): Promise<readonly Family[]> {
  const [replica] = stage.operator.replicas;
  return parseExposition((await replica?.get("/metrics"))?.text ?? "");
}

const objects = ["telling-shop", "telling-hello", "telling-env", "telling-preview", "telling-values", "telling-none"];

/** Objects of every kind, a section, a refusal, an outage, an edit, a deletion, what is asked for once, and looks that find nothing to do. */
async function live(): Promise<void> {
  const [shop, hello, env, preview, values, none] = objects as [string, string, string, string, string, string];
  await room.apply([
    room.project(shop, { deletionPolicy: "Delete", storage: { fileSizeLimit: "10Mi" } }),
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
  await liveOn(shop, hello);
}

/** A 429, a restart that is asked for, and a function that somebody else deployed, which is put right. */
async function liveOn(shop: string, hello: string): Promise<void> {
  const { faults } = stage.emulator.control;
  await faults.add({
    operation: "projects.get",
    fault: { kind: "status", status: 429, headers: { "retry-after": "1" } },
  });
  await room.kubectl("annotate", "project", shop, "baas.dev/restart=1");
  await room.until("Project", shop, ({ status }) => JSON.stringify(status["requests"] ?? "").includes("Succeeded"));
  await room.ready("Project", shop);
  const { ref } = await room.remoteProject(shop);
  const { sha256 } = await remoteFunction(room, ref, hello);
  await deployByHand(stage, room, ref, hello);
  await looksUntil(room, { kind: "EdgeFunction", name: hello }, async () => {
    return (await remoteFunction(room, ref, hello)).sha256 === sha256;
  });
}

/** Any status that HTTP has. */
const STATUSES = Array.from({ length: 500 }, (_, index) => String(100 + index));

const ours = (): readonly Family[] => families.filter(({ name }) => name.startsWith("baas_"));

describe("the metrics of an operator that has seen something", () => {
  it("have each counted, but for what another test reads", () => {
    const counts = ({ type, samples }: Family): boolean =>
      type === "gauge" ? samples.length > 0 : samples.some(({ value }) => value > 0);
    const shown = new Set(families.filter(counts).map(({ name }) => name));
    expect([...documented.keys()].filter((name) => !shown.has(name) && !Object.hasOwn(elsewhere, name))).toEqual([]);
    expect(Object.keys(elsewhere).filter((name) => !documented.has(name))).toEqual([]);
    for (const [name, { test }] of Object.entries(elsewhere)) {
      expect(readFileSync(new URL(test, root), "utf8")).toContain(`"${name}"`);
    }
  });

  it("keep the conventions of names, units and help", () => {
    expect(ours().flatMap(lint)).toEqual([]);
  });

  it("have the labels that the page says, all of them and no other", () => {
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
