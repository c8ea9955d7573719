import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { ApiClient } from "../../api/client.ts";
import { bulkFunctionSchema, type EdgeFunction } from "../../api/contract/functions.ts";
import { annotations } from "../../resources/annotations.ts";
import { FluxBench } from "../../../test/support/controllers/flux-bench.ts";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { inline, inShop } from "../../../test/support/controllers/redeploy-bench.ts";

/** [K-32] Settings of several functions that change at once. */

const NAMES = ["one", "two", "three", "four", "five"] as const;
const DRIFT_MS = 700_000;

let bench: FluxBench;

beforeEach(async () => {
  bench = await FluxBench.open();
  await bench.rest(() => {
    for (const name of NAMES) put(name);
  });
  await bench.writes();
});

afterEach(() => bench[Symbol.asyncDispose]());

function put(name: string, spec: object = {}, metadata: object = {}, text = name): void {
  bench.theatre.kubernetes.put("edgefunctions", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "EdgeFunction",
    metadata: { name, namespace: NAMESPACE, ...metadata },
    spec: { ...inShop, ...inline(text), ...spec },
  });
}

const openAll = (names: readonly string[] = NAMES): void => {
  for (const name of names) put(name, { verifyJwt: false });
};

function person(): { readonly ref: string; readonly functions: ApiClient["functions"] } {
  return { ref: String(bench.status("one")["ref"]), functions: bench.life.client.functions };
}

async function remote(): Promise<readonly EdgeFunction[]> {
  const { ref, functions } = person();
  return (await functions.list({ ref })).toSorted((a, b) => (a.slug < b.slug ? -1 : 1));
}

async function isOpen(): Promise<Readonly<Record<string, boolean>>> {
  return Object.fromEntries((await remote()).map(({ slug, verify_jwt: closed }) => [slug, closed !== true]));
}

/** Everybody is asked to look, at a list that is read anew. */
async function looked(five: object = {}): Promise<void> {
  await bench.rest(undefined, 15_000);
  await bench.rest(() => {
    const metadata = { annotations: { [annotations.reconcileAt]: "now" } };
    for (const name of NAMES) put(name, name === "five" ? five : {}, metadata);
  });
}

const allOpen = (except: readonly string[] = []): object =>
  Object.fromEntries(NAMES.map((name) => [name, !except.includes(name)]));

/** Makes "five" one that has an import map. */
const MAPPED = { source: { inline: { files: { "index.ts": "five", "deno.json": "{}" } } } };

/** What is to be sent of functions that are like this, for these settings. */
function replacing(before: readonly EdgeFunction[], settings: (slug: string) => object): readonly object[] {
  return before.map(({ updated_at: _own, version, ...kept }) => {
    return { ...kept, version: version + 1, ...settings(kept.slug) };
  });
}

/** The items of the common requests since the log was cleared last. */
async function sent(): Promise<readonly object[]> {
  const { entries } = await bench.theatre.emulator.control.log.read({ operation: "functions.bulkUpdate" });
  const items = entries.flatMap(({ body }) => z.array(z.looseObject({ slug: z.string() })).parse(body));
  return items.toSorted((a, b) => (a.slug < b.slug ? -1 : 1));
}

const allReady = (): void => {
  expect(NAMES.map((name) => bench.ready(name))).toEqual(
    NAMES.map(() => "True Available: the function is as declared"),
  );
};

describe("[K-32] settings of several functions", () => {
  it("are changed by one request, each with the next version and the bundle that it has, and told of each", async () => {
    const before = await remote();
    const events = bench.life.events.length;
    await bench.rest(() => openAll());
    expect(await bench.writes()).toEqual(["functions.bulkUpdate"]);
    expect(await isOpen()).toEqual(allOpen());
    const kept = ({ id, name, created_at, entrypoint_path, ezbr_sha256 }: EdgeFunction): object => {
      return { id, name, created_at, entrypoint_path, ezbr_sha256 };
    };
    const after = await remote();
    expect(after.map(kept)).toEqual(before.map(kept));
    expect(after.map(({ version }) => version)).toEqual(before.map(({ version }) => version + 1));
    allReady();
    const told = bench.life.events.slice(events).filter(({ reason }) => reason === "Updated");
    expect(told.map(({ note }) => note).toSorted()).toEqual(
      NAMES.map(
        (name) => `changed the settings of ${name}, in one request with those of others: spec.verifyJwt`,
      ).toSorted(),
    );
    await bench.rest(undefined, 2 * DRIFT_MS);
    expect(await bench.writes()).toEqual([]);
  });

  it("keep all that they do not change: the request replaces functions whole, the import map and what is open too", async () => {
    await bench.rest(() => put("five", MAPPED), 30_000);
    await bench.writes();
    const closed = await remote();
    expect(closed[0]).toMatchObject({ slug: "five", import_map: true, import_map_path: "deno.json" });
    await bench.rest(() => {
      openAll(NAMES.slice(0, 4));
      put("five", { ...MAPPED, verifyJwt: false });
    });
    const opened = replacing(closed, () => ({ verify_jwt: false }));
    expect(await sent()).toEqual(opened);
    expect(await bench.writes()).toEqual(["functions.bulkUpdate"]);
    const open = await remote();
    expect(open).toMatchObject(opened);
    await bench.rest(() => {
      for (const name of NAMES) {
        const own = name === "five" ? MAPPED : {};
        put(name, { ...own, verifyJwt: false, name: `The ${name}` });
      }
    });
    const named = replacing(open, (slug) => ({ name: `The ${slug}` }));
    expect(await sent()).toEqual(named);
    expect(await remote()).toMatchObject(named);
    allReady();
  });

  it("cost four reads beside that request, however many they are", async () => {
    await bench.theatre.emulator.control.log.clear();
    await bench.rest(() => openAll());
    const { byOperation } = await bench.theatre.emulator.control.log.summary();
    expect(byOperation).toEqual({ "functions.list": expect.any(Number), "functions.bulkUpdate": 1 });
    expect(byOperation["functions.list"]).toBeLessThanOrEqual(4);
  });

  it("of one function are changed by a request that names it alone, at once", async () => {
    await bench.rest(() => put("one", { verifyJwt: false }), 500);
    expect(await bench.writes()).toEqual(["functions.update"]);
  });

  it("that drifted are repaired by one request", async () => {
    const { ref, functions } = person();
    for (const slug of NAMES) await functions.update({ ref, function_slug: slug, body: { verify_jwt: false } });
    await bench.writes();
    const events = bench.life.events.length;
    await looked();
    expect(await bench.writes()).toEqual(["functions.bulkUpdate"]);
    expect(await isOpen()).toEqual(allOpen(NAMES));
    const told = bench.life.events.slice(events).filter(({ reason }) => reason === "DriftCorrected");
    expect(told).toHaveLength(NAMES.length);
    allReady();
  });

  it("are changed beside a deployment of one whose source changed too", async () => {
    await bench.rest(() => {
      openAll(["one", "two", "three"]);
      put("four", { verifyJwt: false }, {}, "changed");
    });
    expect((await bench.writes()).toSorted()).toEqual(["functions.bulkUpdate", "functions.deploy"]);
    expect(await isOpen()).toEqual(allOpen(["five"]));
    allReady();
  });

  it("leave alone what is reported, and what somebody else is to leave", async () => {
    await bench.rest(() => put("five", { driftPolicy: "Report" }));
    const { ref, functions } = person();
    for (const slug of NAMES) await functions.update({ ref, function_slug: slug, body: { verify_jwt: false } });
    await bench.writes();
    await looked({ driftPolicy: "Report" });
    expect(await bench.writes()).toEqual(["functions.bulkUpdate"]);
    expect(await isOpen()).toEqual({ ...allOpen(NAMES), five: true });
  });
});

describe("[K-32] a function that waits for others", () => {
  const GATHERING_MS = 400;

  it("is not written for when it is deleted meanwhile, and does not come back", async () => {
    await bench.rest(() => openAll(), GATHERING_MS);
    await bench.rest(() => bench.theatre.kubernetes.delete("edgefunctions", NAMESPACE, "two"));
    expect((await bench.writes()).toSorted()).toEqual(["functions.bulkUpdate", "functions.delete"]);
    expect((await remote()).map(({ slug }) => slug)).toEqual(["five", "four", "one", "three"]);
  });

  it("is not written for when it is paused meanwhile", async () => {
    await bench.rest(() => openAll(), GATHERING_MS);
    await bench.rest(() => put("two", { verifyJwt: false }, { annotations: { [annotations.paused]: "true" } }));
    expect(await isOpen()).toEqual(allOpen(["two"]));
  });

  it("is not written for as it was when it is edited meanwhile", async () => {
    await bench.rest(() => openAll(), GATHERING_MS);
    await bench.rest(() => put("two"));
    expect(await bench.writes()).toEqual(["functions.bulkUpdate"]);
    expect(await isOpen()).toEqual(allOpen(["two"]));
    allReady();
  });

  it("is deployed, not made again without a bundle, when somebody deletes it remotely meanwhile", async () => {
    await bench.rest(() => openAll(), GATHERING_MS);
    const { ref, functions } = person();
    await functions.delete({ ref, function_slug: "two" });
    await bench.rest(undefined, 30_000);
    expect((await bench.writes()).toSorted()).toEqual(["functions.bulkUpdate", "functions.delete", "functions.deploy"]);
    expect((await remote()).every(({ ezbr_sha256: bundle }) => typeof bundle === "string")).toBe(true);
    expect(await isOpen()).toEqual(allOpen());
  });

  it("is not made again without its source, when the list shows it as removed meanwhile", async () => {
    const { ref, functions } = person();
    const two = (await remote()).find(({ slug }) => slug === "two");
    if (two === undefined) throw new Error("there is no function two");
    const { updated_at: _own, ...kept } = two;
    await bench.rest(() => openAll(), GATHERING_MS);
    const item = { ...bulkFunctionSchema.parse(kept), status: "REMOVED" } as const;
    await functions.bulkUpdate({ ref, body: [item] });
    await bench.writes();
    await bench.rest(undefined, 1500);
    expect(await sent()).toHaveLength(4);
    expect(JSON.stringify(await sent())).not.toContain('"two"');
  });
});

describe("[K-32] a request for several functions", () => {
  it("is made from a list that is read for it alone, and names none that somebody deletes once its run has looked", async () => {
    await bench.rest(() => openAll(), 400);
    const { ref, functions } = person();
    const { list } = functions;
    let looks = 0;
    const listAndLose: typeof list = async (input, options) => {
      const listed = await list(input, options);
      looks += 1;
      if (looks === 1) {
        const url = `${bench.theatre.emulator.url}/v1/projects/${ref}/functions/two`;
        await fetch(url, { method: "DELETE", headers: { authorization: "Bearer token" } });
      }
      return listed;
    };
    Object.assign(functions, { list: listAndLose });
    await bench.rest(undefined, 30_000);
    const { entries } = await bench.theatre.emulator.control.log.read({ operation: "functions.bulkUpdate" });
    expect(entries).toHaveLength(1);
    expect(JSON.stringify(entries.map(({ body }) => body))).not.toContain('"two"');
    expect((await bench.writes()).toSorted()).toEqual(["functions.bulkUpdate", "functions.delete", "functions.deploy"]);
    expect(await isOpen()).toEqual(allOpen());
  });

  it("that is refused is made for each by itself: none is held up by another one's settings", async () => {
    const refused = { kind: "status", status: 400 } as const;
    await bench.theatre.emulator.control.faults.add({ operation: "functions.bulkUpdate", fault: refused });
    await bench.theatre.emulator.control.faults.add({ operation: "functions.update", count: 1, fault: refused });
    await bench.rest(() => openAll(), 20_000);
    const writes = await bench.writes();
    expect(writes.filter((write) => write === "functions.bulkUpdate")).toHaveLength(1);
    expect(writes.filter((write) => write === "functions.update")).toHaveLength(NAMES.length);
    const ready = NAMES.map((name) => bench.ready(name).replace(/:.*/su, ""));
    expect(ready.toSorted()).toEqual(["False Rejected", ...NAMES.slice(1).map(() => "True Available")]);
  });

  it.each([
    ["fails", { kind: "status", status: 500 }],
    ["is answered by nobody, whether or not it was carried out", { kind: "reset", phase: "after" }],
  ] as const)("that %s is made again, and ends as declared", async (_how, fault) => {
    await bench.theatre.emulator.control.faults.add({ operation: "functions.bulkUpdate", count: 1, fault });
    await bench.rest(() => openAll(), 60_000);
    expect(await isOpen()).toEqual(allOpen());
    allReady();
    expect((await remote()).every(({ ezbr_sha256: bundle }) => typeof bundle === "string")).toBe(true);
  });
});
