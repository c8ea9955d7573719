import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { WholeOperator } from "../../../test/support/controllers/whole-operator.ts";
import { everything } from "../../../test/support/sections/everything.ts";
import { levers } from "../../../test/support/sections/levers.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { valueAt } from "../../resources/settings/setting.ts";
import { sections } from "./sections.ts";

/** The whole operator over hours: whatever keeps a section from coming to rest, neither it nor the others are asked for more than is due. */

const MINUTE_MS = 60_000;
/** two drift checks, and something after the second one */
const WHILE_MS = 25 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** questions of one drift check of everything that is declared here */
const CHECK = 30;
/** What asks on and on has asked so much within seconds. */
const STEP_MS = 10_000;

let stage: SectionStage;
let operator: WholeOperator;
let looks = 0;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "enterprise" }] } });
  const { root_key: rootKey } = await stage.client.encryptionKey.get({ ref: stage.ref });
  stage.putSecret("root", { rootKey });
  operator = await WholeOperator.start(stage.theatre);
});

afterEach(async () => {
  await operator[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

/** Declares that, and asks for a look at it. */
function declare(spec: object): void {
  const { kubernetes } = stage.theatre;
  const before: KubeObject["metadata"] | undefined = kubernetes.get("projects", NAMESPACE, "shop")?.metadata;
  looks += 1;
  kubernetes.put("projects", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: {
      name: "shop",
      namespace: NAMESPACE,
      annotations: { ...before?.annotations, "baas.dev/reconcile-at": `${looks}` },
      finalizers: [...(before?.finalizers ?? [])],
    },
    spec: { organization: "acme", ...spec },
  });
  operator.look();
}

/** Until it was looked at and is Ready. @throws Error where it is not so in time */
async function comeUp(): Promise<void> {
  const isLookedAt = (): boolean => stage.stored().lastHandledReconcileAt === `${looks}`;
  await operator.advanceUntil(() => isLookedAt() && stage.condition("Ready")?.status === "True", HOUR_MS);
  await stage.calls();
}

/** Declares that of a new project, until it is Ready. Webhooks would need a database, whose beginning takes long and shows nothing here. */
async function begin(spec: object): Promise<void> {
  const fault = { kind: "status", status: 201, body: {} } as const;
  await stage.theatre.emulator.control.faults.add({ operation: "database.enableWebhooks", count: null, fault });
  declare(spec);
  await comeUp();
}

/** Lets time pass, no longer than until more is asked for than `most`, and tells that by operation; undefined: it was no more. */
async function askedTooMuch(ms: number, most: number): Promise<Readonly<Record<string, number>> | undefined> {
  const asked: Record<string, number> = {};
  let all = 0;
  for (let passed = 0; passed < ms && all <= most; passed += STEP_MS) {
    await operator.advance(STEP_MS);
    const calls = await stage.calls();
    for (const id of calls) asked[id] = (asked[id] ?? 0) + 1;
    all += calls.length;
  }
  return all > most ? asked : undefined;
}

const stateOf = (name: string): string | undefined => stage.entry(name)?.state;

/** What keeps one section after the other from its end, all that it is asked with. */
const KEPT = [
  { state: "Failed", by: 403, most: 4 * CHECK },
  { state: "Waiting", by: 503, most: 12 * CHECK }, // repeated with backoff, and each request sent again
] as const;

describe("a Project with every section declared", () => {
  it("asks for no more than its drift checks, in hours", async () => {
    await begin(everything);
    expect(await askedTooMuch(HOUR_MS, 6 * CHECK)).toBeUndefined();
  });

  it.each(KEPT)("does so too while any one of them is $state", async ({ state, by: status, most }) => {
    await begin(everything);
    const { faults } = stage.theatre.emulator.control;
    for (const section of sections) {
      const { name, operations, writeOnly } = section;
      // What is written once is not asked for again, and cannot fail any more.
      if (section.declared(everything) === undefined || writeOnly !== undefined) continue;
      for (const operation of operations as readonly "dataApi.get"[]) {
        await faults.add({ operation, count: null, fault: { kind: "status", status, body: { message: "no" } } });
      }
      declare(everything);
      await operator.advance(STEP_MS);
      expect({ name, state: stateOf(name) }).toEqual({ name, state });
      await stage.calls();
      expect({ name, asked: await askedTooMuch(WHILE_MS, most) }).toEqual({ name, asked: undefined });
      await faults.clear();
      declare(everything);
      await comeUp();
    }
  });

  it("does so too while they are refused, all of them", async () => {
    const { faults } = stage.theatre.emulator.control;
    const fault = { kind: "status", status: 400, body: { message: "no" } } as const;
    for (const operation of sections.flatMap((section) => section.operations as readonly "dataApi.get"[])) {
      if (!/get|list|read|autoscale/iu.test(operation)) await faults.add({ operation, count: null, fault });
    }
    declare(everything);
    await operator.advance(MINUTE_MS);
    expect(stage.stored().sections?.some(({ state }) => state === "Failed")).toBe(true);
    await stage.calls();
    expect(await askedTooMuch(HOUR_MS, 7 * CHECK)).toBeUndefined();
  });

  it("does so too while they are Drifted, one after the other until all are", async () => {
    const reported = { ...everything, driftPolicy: "Report" };
    await begin(reported);
    for (const lever of levers) {
      const { section: name, path, theirs } = lever;
      const mine = valueAt(everything, path);
      if (mine === undefined || mine === theirs.declared || stateOf(name) === "Drifted") continue;
      await stage.theatre.pass(lever.restMs ?? 0);
      await lever.byHand(stage);
      declare(reported);
      await operator.advanceUntil(() => stateOf(name) === "Drifted", HOUR_MS);
      await comeUp();
      expect({ path, asked: await askedTooMuch(WHILE_MS, 3 * CHECK) }).toEqual({ path, asked: undefined });
    }
  });
});
