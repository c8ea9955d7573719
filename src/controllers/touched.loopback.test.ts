import { beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE } from "../../test/support/controllers/life.ts";
import { operatorInEach } from "../../test/support/controllers/operator-in-each.ts";
import { callsOf } from "../../test/support/controllers/shop.ts";

/**
 * What was refused is asked for again every ten minutes (docs/operations.md), and at once when what it hangs on is another: not whenever somebody touches
 * something beside it (engine.md §7).
 */

const API = "baas.dev/v1alpha1";
const TOUCHES = 20;
const stage = operatorInEach();

function put(kind: string, plural: string, name: string, spec: object): void {
  const metadata = { name, namespace: NAMESPACE };
  stage.theatre.kubernetes.put(plural, { apiVersion: API, kind, metadata, spec });
}

function putValue(value: string, annotation = ""): void {
  putValues({ KEY: Buffer.from(value).toString("base64") }, { annotations: { annotation } });
}

function putValues(data: object, marks: object): void {
  const metadata = { name: "values", namespace: NAMESPACE, ...marks };
  stage.theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data });
}

const putProject = (spec: object = {}): void => put("Project", "projects", "shop", { organization: "acme", ...spec });
const inShop = { projectRef: { name: "shop" } };
const withPassword = { databasePassword: { secretKeyRef: { name: "values", key: "KEY" } } };

async function pass(seconds: number): Promise<void> {
  stage.operator.look();
  await stage.operator.advance(seconds * 1000);
}

async function refuse(operation: string, status: number): Promise<void> {
  const { faults } = stage.theatre.emulator.control;
  await faults.add({ operation, count: null, fault: { kind: "status", status, body: { message: "no" } } });
}

/** Calls of an operation from now on, while something is done. */
async function callsWhile(operation: string, act: () => Promise<void>): Promise<number> {
  await stage.theatre.emulator.control.log.clear();
  await act();
  return (await callsOf(stage.theatre))[operation] ?? 0;
}

async function repeatedly(touch: (n: number) => void): Promise<void> {
  for (let n = 1; n <= TOUCHES; n += 1) {
    touch(n);
    await pass(1);
  }
}

function marked(plural: string, namespace: string, name: string, n: number): void {
  const { kubernetes } = stage.theatre;
  const object = kubernetes.get(plural, namespace, name);
  if (object === undefined) throw new Error(`there is no ${plural} ${name}`);
  const metadata = {
    ...object.metadata,
    labels: { n: `${n}` },
    annotations: { ...object.metadata.annotations, n: `${n}` },
  };
  kubernetes.put(plural, { ...object, metadata });
}

function reasonOf(plural: string, name: string): string | undefined {
  const object = stage.theatre.kubernetes
    .list(plural)
    .find(({ apiVersion, metadata }) => apiVersion === API && metadata.name === name);
  const { conditions = [] } = (object?.["status"] ?? {}) as { conditions?: { type: string; reason: string }[] };
  return conditions.find(({ type }) => type === "Stalled")?.reason;
}

describe("what lives in a Project and was refused is not asked for again when somebody labels that", () => {
  beforeEach(async () => {
    putProject();
    await pass(120);
  });

  const label = (n: number): void => marked("projects", NAMESPACE, "shop", n);

  it("a branch", async () => {
    await refuse("branches.create", 402);
    put("Branch", "branches", "preview", inShop);
    await pass(5);
    expect(reasonOf("branches", "preview")).toBe("PlanLimit");
    expect(await callsWhile("branches.create", () => repeatedly(label))).toBe(0);
  });

  it("a secret", async () => {
    await refuse("secrets.create", 400);
    putValue("a value");
    put("Secret", "secrets", "env", { ...inShop, from: [{ secretRef: { name: "values" } }] });
    await pass(5);
    expect(reasonOf("secrets", "env")).toBe("Rejected");
    expect(await callsWhile("secrets.create", () => repeatedly(label))).toBe(0);
  });

  it("the deletion of a function", async () => {
    put("EdgeFunction", "edgefunctions", "hello", { ...inShop, source: { inline: { files: { "index.ts": "1" } } } });
    await pass(30);
    await refuse("functions.delete", 403);
    stage.theatre.kubernetes.delete("edgefunctions", NAMESPACE, "hello");
    await pass(5);
    expect(reasonOf("edgefunctions", "hello")).toBeDefined();
    expect(await callsWhile("functions.delete", () => repeatedly(label))).toBe(0);
  });
});

describe("a Secret whose values were refused", () => {
  beforeEach(async () => {
    putProject();
    putValue("a value");
    put("Secret", "secrets", "env", { ...inShop, from: [{ secretRef: { name: "values" } }], deletionPolicy: "Delete" });
  });

  it("is not asked for again when somebody annotates these, and at once with another value", async () => {
    await refuse("secrets.create", 400);
    await pass(120);
    expect(reasonOf("secrets", "env")).toBe("Rejected");
    const annotate = (n: number): void => putValue("a value", `${n}`);
    expect(await callsWhile("secrets.create", () => repeatedly(annotate))).toBeLessThanOrEqual(1);
    const rotate = async (): Promise<void> => {
      putValue("another value");
      await pass(2);
    };
    expect(await callsWhile("secrets.create", rotate)).toBe(1);
  });

  it("is not asked for again where it is the deletion of secrets that was refused", async () => {
    await pass(120);
    await refuse("secrets.delete", 403);
    stage.theatre.kubernetes.delete("secrets", NAMESPACE, "env");
    await pass(5);
    expect(reasonOf("secrets", "env")).toBeDefined();
    const rotate = (n: number): void => putValue(`value ${n}`);
    expect(await callsWhile("secrets.delete", () => repeatedly(rotate))).toBe(0);
  });
});

describe("a Project that was refused", () => {
  beforeEach(async () => {
    await refuse("projects.create", 402);
    putValue("a-long-password-1");
    putProject(withPassword);
    await pass(5);
  });

  const creations = (act: () => Promise<void>): Promise<number> => callsWhile("projects.create", act);

  it("is not asked for again when somebody marks its namespace", async () => {
    expect(reasonOf("projects", "shop")).toBe("PlanLimit");
    expect(await creations(() => repeatedly((n) => marked("namespaces", "", NAMESPACE, n)))).toBe(0);
  });

  it("is not asked for again when another connection says otherwise why it does not work", async () => {
    put("Connection", "connections", "other", { token: { secretRef: { name: "none" } } });
    await pass(1);
    const tells = (n: number): void => {
      const reason = n % 2 === 0 ? "ServerUnavailable" : "RateLimited";
      const lastTransitionTime = "2026-01-01T00:00:00Z";
      const condition = {
        type: "Ready",
        status: "Unknown",
        reason,
        message: "",
        observedGeneration: 1,
        lastTransitionTime,
      };
      stage.theatre.kubernetes.restate("connections", NAMESPACE, "other", () => ({ conditions: [condition] }));
    };
    expect(await creations(() => repeatedly(tells))).toBe(0);
  });

  it("is asked for again once at most when somebody annotates the Secret of its password, whatever is edited of it", async () => {
    const annotate = (n: number): void => putValue("a-long-password-1", `${n}`);
    expect(await creations(() => repeatedly(annotate))).toBeLessThanOrEqual(1);
    putProject({ ...withPassword, name: "another" });
    await pass(5);
    expect(await creations(() => repeatedly(annotate))).toBeLessThanOrEqual(1);
  });

  it("is asked for at once with each other password, also with one that was there before", async () => {
    const calls: number[] = [];
    for (const value of ["2", "1", "3", "1", "2"]) {
      const act = async (): Promise<void> => {
        putValue(`a-long-password-${value}`, "the same");
        await pass(2);
      };
      calls.push(await creations(act));
    }
    expect(calls).toEqual([1, 1, 1, 1, 1]);
  });

  it("goes on at once with a password that was refused, then taken, and is there again after one that was not", async () => {
    putValue("a-long-password-1", "touched");
    await pass(2);
    await stage.theatre.emulator.control.faults.clear();
    await pass(900);
    expect(reasonOf("projects", "shop")).toBeUndefined();
    await refuse("projects.updatePassword", 400);
    putValue("a-long-password-2", "touched");
    await pass(2);
    expect(reasonOf("projects", "shop")).toBe("Rejected");
    putValue("a-long-password-1", "touched");
    await pass(2);
    expect(reasonOf("projects", "shop")).toBeUndefined();
  });

  it.each(["Unknown", "True"])(
    "is asked for at once with a password that came as its run was under way: Ready %s",
    async (status) => {
      const says = { status, reason: "Creating", message: "", observedGeneration: 1 };
      const conditions = [{ ...says, type: "Ready", lastTransitionTime: "2026-01-01T00:00:00Z" }];
      const act = async (): Promise<void> => {
        putValue("a-long-password-2");
        stage.operator.look();
        stage.theatre.kubernetes.restate("projects", NAMESPACE, "shop", (before) => ({
          ...(before as object),
          conditions,
        }));
        await pass(2);
      };
      expect(await creations(act)).toBe(1);
    },
  );

  const unread = (refusal = { status: 500, reason: "InternalError" }): void =>
    stage.theatre.kubernetes.refuseReads("secrets", refusal);
  const readable = (): void => stage.theatre.kubernetes.refuseReads("secrets", undefined);

  it("is not asked for again, time and again, when the apiserver does not give its touched Secret for a moment", async () => {
    putValue("a-long-password-1", "0");
    await pass(2);
    const act = (): Promise<void> =>
      repeatedly((n) => {
        if (n % 2 === 0) readable();
        else unread();
        putValue("a-long-password-1", `${n}`);
      });
    expect(await creations(act)).toBe(0);
  });

  it("is asked for at once with a password that came as its run was under way, and could not be read at first", async () => {
    putValue("a-long-password-1", "0");
    await pass(2);
    const says = { type: "Ready", status: "Unknown", reason: "Creating", message: "", observedGeneration: 1 };
    const conditions = [{ ...says, lastTransitionTime: "2026-01-01T00:00:00Z" }];
    const act = async (): Promise<void> => {
      unread();
      putValue("a-long-password-2");
      stage.operator.look();
      await stage.operator.advance(20_000);
      stage.theatre.kubernetes.restate("projects", NAMESPACE, "shop", (before) => ({
        ...(before as object),
        conditions,
      }));
      readable();
      await pass(30);
    };
    expect(await creations(act)).toBe(1);
  });

  it.each([
    { what: "cannot be read", spoil: () => putValues({ KEY: 1 }, {}) },
    {
      what: "may not be read",
      spoil: () => {
        unread({ status: 403, reason: "Forbidden" });
        putValue("a-long-password-1", "touched");
      },
    },
  ])("tells that the Secret of its password $what, and asks for nothing", async ({ spoil }) => {
    const spoilt = async (): Promise<void> => {
      spoil();
      await pass(5);
    };
    expect(await creations(spoilt)).toBe(0);
    expect(reasonOf("projects", "shop")).toBeUndefined();
    const restore = async (): Promise<void> => {
      readable();
      putValue("a-long-password-1");
      await pass(5);
    };
    expect(await creations(restore)).toBe(1);
  });
});

describe("a Project whose password lay in an output", () => {
  const label = { "baas.dev/output": "connection" };
  const annotation = { "baas.dev/replaced-version": "5" };

  it.each([
    { what: "its label", labels: label, annotations: {} },
    { what: "its annotation", labels: {}, annotations: annotation },
    { what: "both its marks, one after the other", labels: label, annotations: annotation },
  ])("goes on at once when that has lost $what, whoever touched it before", async ({ labels, annotations }) => {
    const data = { KEY: Buffer.from("a-long-password-1").toString("base64") };
    putValues(data, { labels, annotations });
    putProject(withPassword);
    await pass(5);
    expect(reasonOf("projects", "shop")).toBe("InvalidSpec");
    putValues(data, { labels: { ...labels, note: "touched" }, annotations });
    await pass(2);
    putValues(data, { labels: {}, annotations });
    await pass(2);
    putValues(data, { labels: {}, annotations: {} });
    await pass(2);
    expect(reasonOf("projects", "shop")).toBeUndefined();
  });
});
