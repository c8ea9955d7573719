import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { spendBudgetOf } from "../../../test/support/controllers/no-budget.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import { inline, inShop, redeploying } from "../../../test/support/controllers/redeploy-bench.ts";

/** What waits for request budget writes no status but the one that says so, and what is refused again and again no more than its records (ADR 21). */

const REF = "abcdefghijklmnopqrst";
const PLURALS = {
  Project: "projects",
  Branch: "branches",
  EdgeFunction: "edgefunctions",
  Secret: "secrets",
} as const;
type Kind = keyof typeof PLURALS;

/** Longer than what was refused rests, milliseconds. */
const AGAIN_MS = 610_000;

let theatre: Theatre;
let life: Life;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  const { state } = theatre.emulator.control;
  await state.seed({
    organizations: [{ slug: "other", members: { owner: "Owner" } }],
    projects: [{ name: "shop", ref: REF, organization: "acme", postgresVersion: "15.8.1.085" }],
  });
  life = await theatre.life();
});

afterEach(() => theatre[Symbol.asyncDispose]());

function put(kind: Kind, name: string, spec: object): void {
  const metadata = { name, namespace: NAMESPACE };
  theatre.kubernetes.put(PLURALS[kind], { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
}

function values(name: string, value: string): void {
  const data = { A: Buffer.from(value).toString("base64") };
  const metadata = { name, namespace: NAMESPACE };
  theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data });
}

async function settle(kind: Kind, name: string): Promise<void> {
  expect(await life.settle(kind, name)).toMatchObject({ kind: "done" });
}

const SHOP = {
  organization: "acme",
  ref: REF,
  transferPolicy: "Allow",
  databasePassword: { secretKeyRef: { name: "db", key: "A" } },
};

async function withShop(spec: object = {}): Promise<void> {
  values("db", "first-password");
  put("Project", "shop", { ...SHOP, ...spec });
  await settle("Project", "shop");
}

async function asked(operation: string): Promise<number> {
  return (await theatre.emulator.control.log.read({ operation })).entries.length;
}

function stored(kind: Kind, name: string, field: string): unknown {
  const status: unknown = theatre.kubernetes.get(PLURALS[kind], NAMESPACE, name)?.["status"];
  return typeof status === "object" && status !== null ? Reflect.get(status, field) : undefined;
}

interface Waiting {
  readonly operation: string;
  readonly kind: Kind;
  readonly name: string;
  /** what brings the object to where it sends that next */
  readonly begin: () => Promise<void> | void;
  /** the field of the status that such a request is recorded in */
  readonly field: string;
  /** how often each try may write the status at most; default 1 */
  readonly perTry?: number;
}

const waits: readonly Waiting[] = [
  {
    operation: "projects.create",
    kind: "Project",
    name: "new",
    begin: () => put("Project", "new", { organization: "acme" }),
    field: "intent",
    perTry: 2, // whoever else makes one of that name meanwhile has it, also in the eyes of a later life
  },
  {
    operation: "branches.create",
    kind: "Branch",
    name: "preview",
    begin: async () => {
      await withShop();
      put("Branch", "former", inShop);
      await settle("Branch", "former"); // so that there is a default branch
      put("Branch", "preview", inShop);
    },
    field: "intent",
    perTry: 2, // whoever else makes one of that name meanwhile has it, also in the eyes of a later life
  },
  {
    operation: "transfers.create",
    kind: "Project",
    name: "shop",
    begin: async () => {
      await withShop();
      put("Project", "shop", { ...SHOP, organization: "other" });
    },
    field: "transfer",
  },
  {
    operation: "upgrades.start",
    kind: "Project",
    name: "shop",
    begin: async () => {
      await withShop();
      put("Project", "shop", { ...SHOP, database: { version: "17" } });
    },
    field: "upgrade",
  },
  {
    operation: "projects.updatePassword",
    kind: "Project",
    name: "shop",
    begin: async () => {
      await withShop();
      values("db", "second-password");
    },
    field: "databasePassword",
    perTry: 0,
  },
  {
    operation: "postgresConfig.replace",
    kind: "Project",
    name: "shop",
    begin: async () => {
      await withShop();
      put("Project", "shop", { ...SHOP, database: { settings: { sharedBuffers: "256MB" }, settingsRestart: "Never" } });
    },
    field: "sections",
    perTry: 2, // that a restart is awaited, and that none is: a later life that believed it would restart the database for nothing
  },
  {
    operation: "authConfig.update",
    kind: "Project",
    name: "shop",
    begin: async () => {
      await withShop({ auth: { siteUrl: "https://a.example" } });
      put("Project", "shop", { ...SHOP, auth: { siteUrl: "https://b.example" } });
    },
    field: "sections",
  },
  {
    operation: "functions.deploy",
    kind: "EdgeFunction",
    name: "new",
    begin: async () => {
      await withShop();
      put("EdgeFunction", "new", { ...inShop, ...inline("1") });
    },
    field: "redeployment",
    perTry: 2, // the slug is claimed, and given back
  },
  {
    operation: "functions.deploy",
    kind: "EdgeFunction",
    name: "edited",
    begin: async () => {
      await withShop();
      put("EdgeFunction", "edited", { ...inShop, ...inline("1") });
      await settle("EdgeFunction", "edited");
      put("EdgeFunction", "edited", { ...inShop, ...inline("2") });
    },
    field: "sourceHash",
    perTry: 0,
  },
  {
    operation: "functions.deploy",
    kind: "EdgeFunction",
    name: "redeployed",
    begin: async () => {
      await withShop();
      values("values", "1");
      put("Secret", "env", redeploying("values"));
      await settle("Secret", "env");
      put("EdgeFunction", "redeployed", { ...inShop, ...inline("1") });
      await settle("EdgeFunction", "redeployed");
      values("values", "2");
      await settle("Secret", "env");
    },
    field: "redeployment",
  },
];

/** Tries so often, with a rest after each. */
async function tryIt({ kind, name }: Waiting, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    await life.runWhileTimePasses(kind, name, "progress");
    await theatre.pass(AGAIN_MS);
  }
}

/** What the first tries tell is told then. */
const TOLD = 2;
const TRIES = 3;

describe.each(waits)("$operation of the $kind $name", (one) => {
  const { operation, kind, name, begin, field, perTry = 1 } = one;

  it("writes no status and records nothing while it waits for budget", async () => {
    await begin();
    life.look();
    const before = stored(kind, name, field);
    spendBudgetOf(life, operation);
    await tryIt(one, TOLD);
    const { writes } = theatre.kubernetes;
    for (let n = 0; n < TRIES; n += 1) {
      expect(await life.runWhileTimePasses(kind, name, "progress")).toMatchObject({ kind: "rateLimited" });
      await theatre.pass(10_000);
    }
    expect(theatre.kubernetes.writes - writes).toBe(0);
    expect(stored(kind, name, field)).toEqual(before);
  });

  it.each([400, 403, 429])("writes no more than its record for each try that is refused with %i", async (status) => {
    await begin();
    life.look();
    const { faults } = theatre.emulator.control;
    await faults.add({ operation, count: null, fault: { kind: "status", status, phase: "before" } });
    await tryIt(one, TOLD);
    const { writes } = theatre.kubernetes;
    await tryIt(one, TRIES);
    expect(theatre.kubernetes.writes - writes).toBeLessThanOrEqual(perTry * TRIES);
    await faults.clear();
    const calls = await asked(operation);
    // What is remembered of those tries in this life another one does not know: neither sends it twice, or not at all.
    if (status === 429) life = await theatre.life();
    await theatre.pass(AGAIN_MS * 6);
    for (const lane of ["drift", "progress", "progress"] as const) {
      await life.runWhileTimePasses(kind, name, lane);
      await theatre.pass(AGAIN_MS);
    }
    await settle(kind, name);
    expect(await asked(operation)).toBe(calls + 1);
  });
});

it("a source that was refused and is taken back leaves the former in force: nothing is sent", async () => {
  await withShop();
  put("EdgeFunction", "edited", { ...inShop, ...inline("1") });
  await settle("EdgeFunction", "edited");
  const { faults } = theatre.emulator.control;
  const fault = { kind: "status", status: 429, phase: "before" } as const;
  await faults.add({ operation: "functions.deploy", count: null, fault });
  put("EdgeFunction", "edited", { ...inShop, ...inline("2") });
  await life.runWhileTimePasses("EdgeFunction", "edited");
  await theatre.pass(AGAIN_MS);
  await faults.clear();
  const calls = await asked("functions.deploy");
  put("EdgeFunction", "edited", { ...inShop, ...inline("1") });
  await settle("EdgeFunction", "edited");
  expect(await asked("functions.deploy")).toBe(calls);
});
