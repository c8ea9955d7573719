import { describe, expect, it } from "vitest";
import { z } from "zod";
import { inEach } from "../../../test/support/controllers/in-each.ts";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { spendBudgetOf } from "../../../test/support/controllers/no-budget.ts";
import { inline, redeploying } from "../../../test/support/controllers/redeploy-bench.ts";
import { openSectionStage } from "../../../test/support/sections/stage.ts";
import { DeadlineError } from "../../base/abort.ts";
import { silentLogger } from "../../base/log.ts";
import { classify, disposition } from "../../runtime/outcome.ts";

/** engine.md §7: what is known not to be as declared without any drift: of what is referenced in the cluster, of outputs, and in a run that is cut off. */

const standing = inEach("a stage", async (stack) =>
  stack.use(await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "pro" }] } })),
);

const conditioned = z.object({
  status: z.object({
    conditions: z.array(z.object({ type: z.string(), status: z.string(), reason: z.string(), message: z.string() })),
  }),
});

function ready(plural = "projects", name = "shop"): string | undefined {
  const { status } = conditioned.parse(standing().theatre.kubernetes.get(plural, NAMESPACE, name));
  const found = status.conditions.find(({ type }) => type === "Ready");
  return found && `${found.status} ${found.reason}: ${found.message}`;
}

async function fails(operation: string): Promise<void> {
  const fault = { kind: "status", status: 500, body: { message: "oops" } } as const;
  await standing().theatre.emulator.control.faults.add({ operation, count: null, fault });
}

const READY = /^True Available: /u;
const UNKNOWN = /^Unknown ServerUnavailable: .*could not /u;

interface Rotated {
  readonly what: string;
  readonly kind: string;
  readonly plural: string;
  readonly name: string;
  readonly spec: object;
  /** writes what it refers to */
  readonly put: (value: string) => void;
  readonly operation: string;
}

const projectRef = { name: "shop" };
const putValues = (value: string): void => standing().putSecret("values", { KEY: value });
const secretKeyRef = { name: "values", key: "KEY" };
const SHOP = { kind: "Project", plural: "projects", name: "shop" } as const;

const rotated: readonly Rotated[] = [
  {
    ...SHOP,
    what: "the Secret of a section",
    spec: {
      organization: "acme",
      auth: { providers: { github: { enabled: true, clientId: "x", clientSecret: { secretKeyRef } } } },
    },
    put: putValues,
    operation: "authConfig.update",
  },
  {
    ...SHOP,
    what: "the database password",
    spec: { organization: "acme", databasePassword: { secretKeyRef } },
    put: putValues,
    operation: "projects.updatePassword",
  },
  {
    kind: "EdgeFunction",
    plural: "edgefunctions",
    name: "fn",
    what: "the ConfigMap of a function",
    spec: { projectRef, source: { configMapRef: { name: "src" } } },
    put: (value) => standing().putConfigMap("src", { "index.ts": value }),
    operation: "functions.deploy",
  },
  {
    kind: "Secret",
    plural: "secrets",
    name: "env",
    what: "the values of a Secret",
    spec: { projectRef, from: [{ secretRef: { name: "values" } }] },
    put: putValues,
    operation: "secrets.create",
  },
];

describe("what is made of another one now", () => {
  it.each(rotated)("and cannot be written leaves no Ready until it is in force: $what", async (one) => {
    const { theatre, life } = standing();
    const { kind, plural, name, spec } = one;
    one.put("the first one");
    const metadata = { name, namespace: NAMESPACE };
    theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
    expect(await life.settle(kind, name)).toMatchObject({ kind: "done" });
    expect(ready(plural, name)).toMatch(READY);
    one.put("another one");
    await fails(one.operation);
    expect(await life.run(kind, name)).toMatchObject({ kind: "transient" });
    expect(ready(plural, name)).toMatch(UNKNOWN);
    await theatre.emulator.control.faults.clear();
    await theatre.pass(60_000);
    expect(await life.settle(kind, name)).toMatchObject({ kind: "done" });
    expect(ready(plural, name)).toMatch(READY);
  });
});

describe("a function that was deployed for its environment", () => {
  it("is due for that no more, where what came of it cannot be read", async () => {
    const { theatre, life } = standing();
    const put = (plural: string, kind: string, name: string, spec: object): void => {
      const metadata = { name, namespace: NAMESPACE };
      theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
    };
    putValues("the first one");
    put("secrets", "Secret", "env", redeploying("values"));
    put("edgefunctions", "EdgeFunction", "fn", { projectRef, ...inline("1") });
    await life.settle("Secret", "env");
    await life.settle("EdgeFunction", "fn");
    putValues("another one");
    await life.settle("Secret", "env");
    await life.run("EdgeFunction", "fn"); // what changes together is gathered first
    expect(ready("edgefunctions", "fn")).toMatch(READY);
    await theatre.pass(20_000);
    await fails("functions.get");
    expect(await life.run("EdgeFunction", "fn")).toMatchObject({ kind: "transient" });
    const { byOperation } = await theatre.emulator.control.log.summary();
    expect(byOperation["functions.deploy"]).toBe(2);
    expect(ready("edgefunctions", "fn")).toMatch(READY);
  });
});

/** Of which nothing but the keys is read from the platform. */
const OUTPUT = { writeConnectionSecretToRef: { name: "conn", keys: [{ key: "password" }, { key: "anon-key" }] } };
const databasePassword = { secretKeyRef };

const putOutput = (change: (data: Readonly<Record<string, string>>) => object): void => {
  const { kubernetes } = standing().theatre;
  const found = z
    .looseObject({ apiVersion: z.string(), kind: z.string(), metadata: z.looseObject({ name: z.string() }) })
    .extend({ data: z.record(z.string(), z.string()) })
    .parse(kubernetes.get("secrets", NAMESPACE, "conn"));
  kubernetes.put("secrets", { ...found, ...change(found.data) });
};

interface Spoiled {
  readonly what: string;
  readonly spoil: () => void;
  /** what becomes of it once all can be read; default: it is Ready again */
  readonly ends?: RegExp;
}

const spoiled: readonly Spoiled[] = [
  { what: "is gone", spoil: () => standing().theatre.kubernetes.delete("secrets", NAMESPACE, "conn") },
  { what: "lacks a key", spoil: () => putOutput(({ "anon-key": _gone, ...data }) => ({ data })) },
  { what: "holds more", spoil: () => putOutput((data) => ({ data: { ...data, more: "" } })) },
  { what: "holds another password", spoil: () => putOutput((data) => ({ data: { ...data, password: "" } })) },
  { what: "holds the password before", spoil: () => putValues("another one") },
  {
    what: "is somebody else's",
    spoil: () => {
      standing().theatre.kubernetes.delete("secrets", NAMESPACE, "conn");
      standing().putSecret("conn", { password: "the first one" });
    },
    ends: /^False SecretNotOwned: /u,
  },
];

describe("an output", () => {
  it.each(spoiled)(
    "that $what leaves no Ready, though what it is made of cannot be read",
    async ({ spoil, ends = READY }) => {
      const { theatre, life } = standing();
      putValues("the first one");
      await standing().apply({ ...OUTPUT, databasePassword });
      expect(ready()).toMatch(READY);
      spoil();
      await fails("apiKeys.list");
      await theatre.pass(60_000);
      expect(await life.run("Project", "shop")).toMatchObject({ kind: "transient" });
      expect(ready()).toMatch(UNKNOWN);
      await theatre.emulator.control.faults.clear();
      await life.settle("Project", "shop");
      expect(ready()).toMatch(ends);
    },
  );

  it("that is as it was leaves Ready, where what it is made of cannot be read", async () => {
    const { theatre, life } = standing();
    putValues("the first one");
    await standing().apply({ ...OUTPUT, databasePassword });
    await fails("apiKeys.list");
    await theatre.pass(60_000);
    expect(await life.run("Project", "shop")).toMatchObject({ kind: "transient" });
    expect(ready()).toMatch(READY);
  });

  it.each([
    { while: "its budget is spent", fault: undefined, reads: 0 },
    { while: "what it is made of cannot be read", fault: "apiKeys.list", reads: 1 },
  ])("is not read where that would tell nothing: $reads times while $while", async ({ fault, reads }) => {
    const { theatre, life } = standing();
    await standing().apply({ writeConnectionSecretToRef: { name: "conn", keys: [{ key: "anon-key" }] } });
    if (fault === undefined) spendBudgetOf(life, "apiKeys.list");
    else await fails(fault);
    for (const most of [reads, 0]) {
      await theatre.pass(60_000);
      const before = theatre.kubernetes.read.get("secrets") ?? 0;
      await life.run("Project", "shop");
      expect(theatre.kubernetes.read.get("secrets") ?? 0).toBe(before + most);
      theatre.kubernetes.delete("secrets", NAMESPACE, "conn");
      await life.run("Project", "shop"); // by which Ready says so
    }
  });

  it("that cannot be made again leaves no Ready", async () => {
    const { theatre, life } = standing();
    await standing().apply({ writeConnectionSecretToRef: { name: "conn" } });
    theatre.kubernetes.delete("secrets", NAMESPACE, "conn");
    theatre.kubernetes.failWrite(0, "refused");
    expect(await life.run("Project", "shop")).toMatchObject({ kind: "transient" });
    expect(ready()).toMatch(/^Unknown KubernetesError: /u);
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(ready()).toMatch(READY);
  });

  it("that a run was cut off from making again leaves no Ready", async () => {
    const { theatre, life } = standing();
    await standing().apply({ writeConnectionSecretToRef: { name: "conn" } });
    theatre.kubernetes.delete("secrets", NAMESPACE, "conn");
    const held = theatre.kubernetes.holdWrite();
    const reconciler = life.reconcilers.find(({ kind }) => kind === "Project");
    const key = { kind: "Project", namespace: NAMESPACE, name: "shop" };
    const limit = new AbortController();
    const asked = {
      lane: "drift",
      urgency: "drift",
      wasReady: true,
      askedAgoMs: 0,
      reconcileId: "run",
      failures: 0,
    } as const;
    const context = { ...asked, log: silentLogger };
    life.look();
    const running = reconciler?.reconcile(key, { ...context, signal: limit.signal });
    await held.reached;
    limit.abort(new DeadlineError(120_000));
    const error: unknown = await running?.catch((thrown: unknown) => thrown);
    held.release();
    const shown = disposition(classify(error, limit.signal));
    expect(shown).toMatchObject({ metric: "deadline" });
    await reconciler?.reportFailure?.(key, shown, { ...context, signal: new AbortController().signal });
    expect(ready()).toMatch(/^Unknown DeadlineExceeded: /u);
  });
});
