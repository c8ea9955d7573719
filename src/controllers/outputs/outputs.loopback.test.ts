import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import {
  applyProject,
  configMapData,
  listedKeys,
  projectCondition,
  projectStatus,
  secretData,
  settledProject,
  lookedAgain,
} from "../../../test/support/controllers/outputs.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";

/** What a Project writes for programs that connect to it: when, what, and that nothing of it is written twice. */

let theatre: Theatre;
let life: Life;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  life = await theatre.life();
});

afterEach(() => theatre[Symbol.asyncDispose]());

const settled = (spec: object): Promise<void> => settledProject({ theatre, life }, spec);

const looked = (): Promise<void> => lookedAgain({ theatre, life });

function metadataOf(name: string): { readonly resourceVersion: string; readonly ownerReferences?: unknown } {
  const object = theatre.kubernetes.get("secrets", NAMESPACE, name);
  if (object === undefined) throw new Error(`there is no Secret ${name}`);
  return object.metadata;
}

const OUTPUT = { writeConnectionSecretToRef: { name: "out" } };

describe("the Secret of a new project", () => {
  it("[K-08] holds the Service Binding layout, the database, the pooler in both modes and the project's own APIs, without the service key", async () => {
    const password = "p@ss:w/rd é'(x)";
    theatre.kubernetes.put("secrets", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "db", namespace: NAMESPACE },
      stringData: { password },
    });
    await settled({ ...OUTPUT, databasePassword: { secretKeyRef: { name: "db" } } });
    const { ref = "", host = "" } = projectStatus(theatre);
    const encoded = "p%40ss%3Aw%2Frd%20%C3%A9%27%28x%29";
    const pooler = `postgresql://postgres.${ref}:${encoded}@aws-0-us-east-1.pooler.emulator.test`;
    expect(host).toBe(`db.${ref}.emulator.test`);
    expect(secretData(theatre, "out")).toEqual({
      type: "postgresql",
      provider: "baas.dev",
      host,
      port: "5432",
      database: "postgres",
      username: "postgres",
      password,
      uri: `postgresql://postgres:${encoded}@${host}:5432/postgres`,
      url: `https://${ref}.emulator.test`,
      "anon-key": expect.stringMatching(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/u),
      "pooler-transaction-uri": `${pooler}:6543/postgres`,
      "pooler-session-uri": `${pooler}:5432/postgres`,
    });
    const secret = theatre.kubernetes.get("secrets", NAMESPACE, "out");
    const { uid } = theatre.kubernetes.get("projects", NAMESPACE, "shop")?.metadata ?? {};
    expect(secret).toMatchObject({
      type: "servicebinding.io/postgresql",
      metadata: { ownerReferences: [{ kind: "Project", name: "shop", uid, controller: true }] },
    });
    expect(projectStatus(theatre).binding).toEqual({ name: "out" });
    expect(projectCondition(theatre, "OutputsComplete")).toBeUndefined();
  });

  it("holds the service key where the spec says so", async () => {
    await settled({ writeConnectionSecretToRef: { name: "out", includeServiceKey: true } });
    const before = secretData(theatre, "out");
    expect(before?.["service-key"]).toMatch(/^eyJ/u);
    await settled({ writeConnectionSecretToRef: { name: "out" } });
    const { "service-key": gone, ...rest } = before ?? {};
    expect(gone).toBeDefined();
    expect(secretData(theatre, "out")).toEqual(rest);
  });

  it("holds the keys that are asked for, composed of variables, and no others", async () => {
    const keys = [
      { key: "DATABASE_URL", value: "$(uri)?sslmode=require&price=$5" },
      { key: "API", value: "$(url)/rest/v1" },
      { key: "RUN", value: "echo $$(ref) of $(ref)" },
      { key: "ref" },
    ];
    await settled({ writeConnectionSecretToRef: { name: "out", keys } });
    const { ref, host } = projectStatus(theatre);
    const { password } = secretData(theatre, "shop-database-password") ?? {};
    expect(secretData(theatre, "out")).toEqual({
      type: "postgresql",
      provider: "baas.dev",
      DATABASE_URL: `postgresql://postgres:${password}@${host}:5432/postgres?sslmode=require&price=$5`,
      API: `https://${ref}.emulator.test/rest/v1`,
      RUN: `echo $(ref) of ${ref}`,
      ref,
    });
  });

  it("asks the platform for what its keys need, and for nothing else", async () => {
    await settled({ writeConnectionSecretToRef: { name: "out", keys: [{ key: "uri" }, { key: "url" }] } });
    const { byOperation } = await theatre.emulator.control.log.summary();
    expect(byOperation).not.toHaveProperty("apiKeys.list");
    expect(byOperation).not.toHaveProperty("pooler.get");
  });
});

describe("[K-08] a key that is not there yet", () => {
  it("is awaited: nothing is written, Ready says what for, and then the whole is", async () => {
    await listedKeys(theatre, [], 2);
    applyProject(theatre, OUTPUT);
    let outcome = await life.run("Project", "shop");
    for (let run = 0; run < 20 && projectCondition(theatre, "Ready")?.reason !== "OutputsAwaited"; run += 1) {
      await theatre.pass(2000);
      outcome = await life.run("Project", "shop", "progress");
    }
    expect(outcome).toMatchObject({ kind: "waiting", reason: "OutputsAwaited" });
    expect(projectCondition(theatre, "Ready")).toMatchObject({
      status: "Unknown",
      message: "the Secret out awaits anon-key (the platform has no anon-key yet)",
    });
    expect(secretData(theatre, "out")).toBeUndefined();
    expect(projectStatus(theatre).binding).toBeUndefined();
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(projectCondition(theatre, "Ready")).toMatchObject({ status: "True" });
    expect(secretData(theatre, "out")).toHaveProperty("anon-key");
    expect(projectStatus(theatre).underway).toBeUndefined();
  });

  it("for longer than the provisioning timeout is told as Stalled, and watched all the same", async () => {
    await listedKeys(theatre, [], null);
    applyProject(theatre, { ...OUTPUT, provisioningTimeout: "1m" });
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "terminal", reason: "DeadlineExceeded" });
    expect(projectCondition(theatre, "Stalled")?.message).toContain("the Secret out awaits anon-key");
    await theatre.emulator.control.faults.clear({});
    await looked();
    expect(secretData(theatre, "out")).toHaveProperty("anon-key");
  });

  it("is stood in for by the publishable key where legacy keys are off, and takes its place again", async () => {
    await settled(OUTPUT);
    const legacy = secretData(theatre, "out")?.["anon-key"];
    const { ref = "" } = projectStatus(theatre);
    await life.client.apiKeys.updateLegacy({ ref, enabled: false });
    await looked();
    expect(secretData(theatre, "out")?.["anon-key"]).toMatch(/^pk_publishable_/u);
    await life.client.apiKeys.updateLegacy({ ref, enabled: true });
    await looked();
    expect(secretData(theatre, "out")?.["anon-key"]).toBe(legacy);
  });
});

describe("legacy keys that the spec switches off", () => {
  it("[K-08] are out of the Secret in the same run", async () => {
    await settled(OUTPUT);
    applyProject(theatre, { ...OUTPUT, legacyApiKeysEnabled: false });
    expect(await life.run("Project", "shop")).toMatchObject({ kind: "done" });
    expect(secretData(theatre, "out")?.["anon-key"]).toMatch(/^pk_publishable_/u);
  });
});

describe("an output in line", () => {
  it("is not written: an idle hour writes nothing, and asks for keys and pooler once a check", async () => {
    await settled({ ...OUTPUT, writeConnectionConfigMapToRef: { name: "out" } });
    const { version, writes } = theatre.kubernetes;
    await theatre.emulator.control.log.clear({});
    for (let check = 0; check < 6; check += 1) await looked();
    expect([theatre.kubernetes.version, theatre.kubernetes.writes]).toEqual([version, writes]);
    const { byOperation } = await theatre.emulator.control.log.summary();
    expect(byOperation).toMatchObject({ "apiKeys.list": 6, "pooler.get": 6 });
  });

  it.each(["__proto__", "constructor", "toString"])("is not written either where a key of it is %s", async (key) => {
    await settled({
      writeConnectionSecretToRef: { name: "out", keys: [{ key, value: "$(uri)" }, { key: "ref" }] },
      writeConnectionConfigMapToRef: { name: "out", keys: [{ key, value: "$(host)" }] },
    });
    for (const plural of ["secrets", "configmaps"]) {
      const data = theatre.kubernetes.get(plural, NAMESPACE, "out")?.["data"];
      expect(JSON.stringify(data)).toContain(`"${key}":`);
    }
    const { version, writes } = theatre.kubernetes;
    for (let check = 0; check < 3; check += 1) await looked();
    expect([theatre.kubernetes.version, theatre.kubernetes.writes]).toEqual([version, writes]);
    expect(projectCondition(theatre, "OutputsComplete")).toBeUndefined();
  });

  it("is written again when the password rotates: the password and what is made of it", async () => {
    const password = (text: string) =>
      theatre.kubernetes.put("secrets", {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "db", namespace: NAMESPACE },
        data: { password: Buffer.from(text).toString("base64") },
      });
    password("first");
    const spec = { ...OUTPUT, databasePassword: { secretKeyRef: { name: "db" } } };
    await settled(spec);
    const before = secretData(theatre, "out") ?? {};
    password("second");
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    const after = secretData(theatre, "out") ?? {};
    const changed = Object.keys(after).filter((key) => after[key] !== before[key]);
    expect(changed.toSorted()).toEqual(["password", "pooler-session-uri", "pooler-transaction-uri", "uri"]);
    expect(after["password"]).toBe("second");
  });
});

describe("the output of a paused project", () => {
  it("stays as it is, whatever its API tells then: a pause is no alarm", async () => {
    await settled(OUTPUT);
    const before = secretData(theatre, "out");
    await settled({ ...OUTPUT, state: "Paused" });
    await listedKeys(theatre, [], null);
    for (let check = 0; check < 3; check += 1) await looked();
    expect(projectCondition(theatre, "Ready")).toMatchObject({ status: "True", reason: "Paused" });
    expect(projectCondition(theatre, "OutputsComplete")).toBeUndefined();
    expect(secretData(theatre, "out")).toEqual(before);
    expect(projectStatus(theatre).binding).toEqual({ name: "out" });
  });
});

describe("an output that somebody touches", () => {
  it.each([
    { what: "an edited value", change: { data: { host: Buffer.from("elsewhere").toString("base64") } } },
    { what: "another key", change: { data: { mine: Buffer.from("1").toString("base64") } } },
    { what: "its label", change: { metadata: { labels: {} } } },
  ])("is put back: $what", async ({ change }) => {
    await settled(OUTPUT);
    const before = secretData(theatre, "out");
    const labels = theatre.kubernetes.get("secrets", NAMESPACE, "out")?.metadata.labels;
    const { metadata, ...rest } = { metadata: {}, ...change };
    const draft = theatre.kubernetes.get("secrets", NAMESPACE, "out");
    const data = { ...(draft?.["data"] as object), ...("data" in rest ? (rest.data as object) : {}) };
    theatre.kubernetes.put("secrets", { metadata: { name: "out", namespace: NAMESPACE, ...metadata }, data });
    await looked();
    expect(secretData(theatre, "out")).toEqual(before);
    expect(theatre.kubernetes.get("secrets", NAMESPACE, "out")?.metadata.labels).toEqual(labels);
  });

  it("is put back when it is deleted", async () => {
    await settled(OUTPUT);
    const before = secretData(theatre, "out");
    theatre.kubernetes.delete("secrets", NAMESPACE, "out");
    await looked();
    expect(secretData(theatre, "out")).toEqual(before);
  });

  it("over and over is left after three writes but for drift checks, and the object says so", async () => {
    await settled(OUTPUT);
    const fight = async (): Promise<void> => {
      const data = { host: Buffer.from("theirs").toString("base64") };
      theatre.kubernetes.put("secrets", { metadata: { name: "out", namespace: NAMESPACE }, data });
      await life.run("Project", "shop");
    };
    for (let round = 0; round < 5; round += 1) await fight();
    expect(secretData(theatre, "out")).toEqual({ host: "theirs" });
    expect(projectCondition(theatre, "OutputsComplete")).toMatchObject({ status: "False", reason: "NotConverging" });
    expect(projectCondition(theatre, "Ready")).toMatchObject({
      status: "True",
      message: "see condition OutputsComplete",
    });
    await looked();
    expect(secretData(theatre, "out")).toHaveProperty("uri");
    expect(projectCondition(theatre, "OutputsComplete")).toMatchObject({ reason: "NotConverging" });
    await looked();
    expect(projectCondition(theatre, "OutputsComplete")).toBeUndefined();
  });
});

describe("another name", () => {
  it("leaves no Secret and no ConfigMap behind under the old one, nor a removed field one", async () => {
    await settled({ ...OUTPUT, writeConnectionConfigMapToRef: { name: "out" } });
    const before = secretData(theatre, "out");
    expect(before).toHaveProperty("uri");
    await settled({
      writeConnectionSecretToRef: { name: "other" },
      writeConnectionConfigMapToRef: { name: "other" },
    });
    expect([secretData(theatre, "out"), configMapData(theatre, "out")]).toEqual([undefined, undefined]);
    expect(secretData(theatre, "other")).toEqual(before);
    expect(configMapData(theatre, "other")).toHaveProperty("host");
    expect(projectStatus(theatre).binding).toEqual({ name: "other" });
    await settled({});
    expect([secretData(theatre, "other"), configMapData(theatre, "other")]).toEqual([undefined, undefined]);
    expect(secretData(theatre, "shop-database-password")).toBeDefined();
    expect(projectStatus(theatre).binding).toBeUndefined();
  });

  it("that cannot be written leaves the old one there, to be bound to", async () => {
    await settled(OUTPUT);
    theatre.kubernetes.put("secrets", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "theirs", namespace: NAMESPACE },
      stringData: { key: "value" },
    });
    const { resourceVersion } = metadataOf("theirs");
    applyProject(theatre, { writeConnectionSecretToRef: { name: "theirs" } });
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "terminal", reason: "SecretNotOwned" });
    expect(projectCondition(theatre, "Stalled")?.message).toBe(
      "the Secret theirs exists and was not made for this, so that it is never written: write another " +
        "spec.writeConnectionSecretToRef.name, or delete it",
    );
    expect(metadataOf("theirs").resourceVersion).toBe(resourceVersion);
    expect(secretData(theatre, "out")).toBeDefined();
    expect(projectStatus(theatre).binding).toEqual({ name: "out" });
  });
});
