import { describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { lifeInEach } from "../../../test/support/controllers/life-in-each.ts";
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

/** What a Project writes for programs that connect to it: when, what, and that nothing of it is written twice. */

const stage = lifeInEach();

const settled = (spec: object): Promise<void> => settledProject(stage, spec);

const looked = (): Promise<void> => lookedAgain(stage);

function metadataOf(name: string): { readonly resourceVersion: string; readonly ownerReferences?: unknown } {
  const object = stage.theatre.kubernetes.get("secrets", NAMESPACE, name);
  if (object === undefined) throw new Error(`there is no Secret ${name}`);
  return object.metadata;
}

const OUTPUT = { writeConnectionSecretToRef: { name: "out" } };

describe("the Secret of a new project", () => {
  it("[K-08] holds the Service Binding layout, the database, the pooler in both modes and the project's own APIs, without the service key", async () => {
    const password = "p@ss:w/rd é'(x)";
    stage.theatre.kubernetes.put("secrets", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "db", namespace: NAMESPACE },
      stringData: { password },
    });
    await settled({ ...OUTPUT, databasePassword: { secretKeyRef: { name: "db" } } });
    const { ref = "", host = "" } = projectStatus(stage.theatre);
    const encoded = "p%40ss%3Aw%2Frd%20%C3%A9%27%28x%29";
    const pooler = `postgresql://postgres.${ref}:${encoded}@aws-0-us-east-1.pooler.emulator.test`;
    expect(host).toBe(`db.${ref}.emulator.test`);
    expect(secretData(stage.theatre, "out")).toEqual({
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
    const secret = stage.theatre.kubernetes.get("secrets", NAMESPACE, "out");
    const { uid } = stage.theatre.kubernetes.get("projects", NAMESPACE, "shop")?.metadata ?? {};
    expect(secret).toMatchObject({
      type: "servicebinding.io/postgresql",
      metadata: { ownerReferences: [{ kind: "Project", name: "shop", uid, controller: true }] },
    });
    expect(projectStatus(stage.theatre).binding).toEqual({ name: "out" });
    expect(projectCondition(stage.theatre, "OutputsComplete")).toBeUndefined();
  });

  it("holds the service key where the spec says so", async () => {
    await settled({ writeConnectionSecretToRef: { name: "out", includeServiceKey: true } });
    const before = secretData(stage.theatre, "out");
    expect(before?.["service-key"]).toMatch(/^eyJ/u);
    await settled({ writeConnectionSecretToRef: { name: "out" } });
    const { "service-key": gone, ...rest } = before ?? {};
    expect(gone).toBeDefined();
    expect(secretData(stage.theatre, "out")).toEqual(rest);
  });

  it("holds the keys that are asked for, composed of variables, and no others", async () => {
    const keys = [
      { key: "DATABASE_URL", value: "$(uri)?sslmode=require&price=$5" },
      { key: "API", value: "$(url)/rest/v1" },
      { key: "RUN", value: "echo $$(ref) of $(ref)" },
      { key: "ref" },
    ];
    await settled({ writeConnectionSecretToRef: { name: "out", keys } });
    const { ref, host } = projectStatus(stage.theatre);
    const { password } = secretData(stage.theatre, "shop-database-password") ?? {};
    expect(secretData(stage.theatre, "out")).toEqual({
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
    const { byOperation } = await stage.theatre.emulator.control.log.summary();
    expect(byOperation).not.toHaveProperty("apiKeys.list");
    expect(byOperation).not.toHaveProperty("pooler.get");
  });
});

describe("[K-08] a key that is not there yet", () => {
  it("is awaited: nothing is written, Ready says what for, and then the whole is", async () => {
    await listedKeys(stage.theatre, [], 2);
    applyProject(stage.theatre, OUTPUT);
    let outcome = await stage.life.run("Project", "shop");
    for (let run = 0; run < 20 && projectCondition(stage.theatre, "Ready")?.reason !== "OutputsAwaited"; run += 1) {
      await stage.theatre.pass(2000);
      outcome = await stage.life.run("Project", "shop", "progress");
    }
    expect(outcome).toMatchObject({ kind: "waiting", reason: "OutputsAwaited" });
    expect(projectCondition(stage.theatre, "Ready")).toMatchObject({
      status: "Unknown",
      message: "the Secret out awaits anon-key (the platform has no anon-key yet)",
    });
    expect(secretData(stage.theatre, "out")).toBeUndefined();
    expect(projectStatus(stage.theatre).binding).toBeUndefined();
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(projectCondition(stage.theatre, "Ready")).toMatchObject({ status: "True" });
    expect(secretData(stage.theatre, "out")).toHaveProperty("anon-key");
    expect(projectStatus(stage.theatre).underway).toBeUndefined();
  });

  it("for longer than the provisioning timeout is told as Stalled, and watched all the same", async () => {
    await listedKeys(stage.theatre, [], null);
    applyProject(stage.theatre, { ...OUTPUT, provisioningTimeout: "1m" });
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "terminal", reason: "DeadlineExceeded" });
    expect(projectCondition(stage.theatre, "Stalled")?.message).toContain("the Secret out awaits anon-key");
    await stage.theatre.emulator.control.faults.clear({});
    await looked();
    expect(secretData(stage.theatre, "out")).toHaveProperty("anon-key");
  });

  it("is stood in for by the publishable key where legacy keys are off, and takes its place again", async () => {
    await settled(OUTPUT);
    const legacy = secretData(stage.theatre, "out")?.["anon-key"];
    const { ref = "" } = projectStatus(stage.theatre);
    await stage.life.client.apiKeys.updateLegacy({ ref, enabled: false });
    await looked();
    expect(secretData(stage.theatre, "out")?.["anon-key"]).toMatch(/^pk_publishable_/u);
    await stage.life.client.apiKeys.updateLegacy({ ref, enabled: true });
    await looked();
    expect(secretData(stage.theatre, "out")?.["anon-key"]).toBe(legacy);
  });
});

describe("legacy keys that the spec switches off", () => {
  it("[K-08] are out of the Secret in the same run", async () => {
    await settled(OUTPUT);
    applyProject(stage.theatre, { ...OUTPUT, legacyApiKeysEnabled: false });
    expect(await stage.life.run("Project", "shop")).toMatchObject({ kind: "done" });
    expect(secretData(stage.theatre, "out")?.["anon-key"]).toMatch(/^pk_publishable_/u);
  });
});

describe("an output in line", () => {
  it("is not written: an idle hour writes nothing, and asks for keys and pooler once a check", async () => {
    await settled({ ...OUTPUT, writeConnectionConfigMapToRef: { name: "out" } });
    const { version, writes } = stage.theatre.kubernetes;
    await stage.theatre.emulator.control.log.clear({});
    for (let check = 0; check < 6; check += 1) await looked();
    expect([stage.theatre.kubernetes.version, stage.theatre.kubernetes.writes]).toEqual([version, writes]);
    const { byOperation } = await stage.theatre.emulator.control.log.summary();
    expect(byOperation).toMatchObject({ "apiKeys.list": 6, "pooler.get": 6 });
  });

  it.each(["__proto__", "constructor", "toString"])("is not written either where a key of it is %s", async (key) => {
    await settled({
      writeConnectionSecretToRef: { name: "out", keys: [{ key, value: "$(uri)" }, { key: "ref" }] },
      writeConnectionConfigMapToRef: { name: "out", keys: [{ key, value: "$(host)" }] },
    });
    for (const plural of ["secrets", "configmaps"]) {
      const data = stage.theatre.kubernetes.get(plural, NAMESPACE, "out")?.["data"];
      expect(JSON.stringify(data)).toContain(`"${key}":`);
    }
    const { version, writes } = stage.theatre.kubernetes;
    for (let check = 0; check < 3; check += 1) await looked();
    expect([stage.theatre.kubernetes.version, stage.theatre.kubernetes.writes]).toEqual([version, writes]);
    expect(projectCondition(stage.theatre, "OutputsComplete")).toBeUndefined();
  });

  it("is written again when the password rotates: the password and what is made of it", async () => {
    const password = (text: string) =>
      stage.theatre.kubernetes.put("secrets", {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "db", namespace: NAMESPACE },
        data: { password: Buffer.from(text).toString("base64") },
      });
    password("first");
    const spec = { ...OUTPUT, databasePassword: { secretKeyRef: { name: "db" } } };
    await settled(spec);
    const before = secretData(stage.theatre, "out") ?? {};
    password("second");
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    const after = secretData(stage.theatre, "out") ?? {};
    const changed = Object.keys(after).filter((key) => after[key] !== before[key]);
    expect(changed.toSorted()).toEqual(["password", "pooler-session-uri", "pooler-transaction-uri", "uri"]);
    expect(after["password"]).toBe("second");
  });
});

describe("the output of a paused project", () => {
  it("stays as it is, whatever its API tells then: a pause is no alarm", async () => {
    await settled(OUTPUT);
    const before = secretData(stage.theatre, "out");
    await settled({ ...OUTPUT, state: "Paused" });
    await listedKeys(stage.theatre, [], null);
    for (let check = 0; check < 3; check += 1) await looked();
    expect(projectCondition(stage.theatre, "Ready")).toMatchObject({ status: "True", reason: "Paused" });
    expect(projectCondition(stage.theatre, "OutputsComplete")).toBeUndefined();
    expect(secretData(stage.theatre, "out")).toEqual(before);
    expect(projectStatus(stage.theatre).binding).toEqual({ name: "out" });
  });
});

describe("an output that somebody touches", () => {
  it.each([
    { what: "an edited value", change: { data: { host: Buffer.from("elsewhere").toString("base64") } } },
    { what: "another key", change: { data: { mine: Buffer.from("1").toString("base64") } } },
    { what: "its label", change: { metadata: { labels: {} } } },
  ])("is put back: $what", async ({ change }) => {
    await settled(OUTPUT);
    const before = secretData(stage.theatre, "out");
    const labels = stage.theatre.kubernetes.get("secrets", NAMESPACE, "out")?.metadata.labels;
    const { metadata, ...rest } = { metadata: {}, ...change };
    const draft = stage.theatre.kubernetes.get("secrets", NAMESPACE, "out");
    const data = { ...(draft?.["data"] as object), ...("data" in rest ? (rest.data as object) : {}) };
    stage.theatre.kubernetes.put("secrets", { metadata: { name: "out", namespace: NAMESPACE, ...metadata }, data });
    await looked();
    expect(secretData(stage.theatre, "out")).toEqual(before);
    expect(stage.theatre.kubernetes.get("secrets", NAMESPACE, "out")?.metadata.labels).toEqual(labels);
  });

  it("is put back when it is deleted", async () => {
    await settled(OUTPUT);
    const before = secretData(stage.theatre, "out");
    stage.theatre.kubernetes.delete("secrets", NAMESPACE, "out");
    await looked();
    expect(secretData(stage.theatre, "out")).toEqual(before);
  });

  it("over and over is left after three writes but for drift checks, and the object says so", async () => {
    await settled(OUTPUT);
    const fight = async (): Promise<void> => {
      const data = { host: Buffer.from("theirs").toString("base64") };
      stage.theatre.kubernetes.put("secrets", { metadata: { name: "out", namespace: NAMESPACE }, data });
      await stage.life.run("Project", "shop");
    };
    for (let round = 0; round < 5; round += 1) await fight();
    expect(secretData(stage.theatre, "out")).toEqual({ host: "theirs" });
    expect(projectCondition(stage.theatre, "OutputsComplete")).toMatchObject({
      status: "False",
      reason: "NotConverging",
    });
    expect(projectCondition(stage.theatre, "Ready")).toMatchObject({
      status: "True",
      message: "see condition OutputsComplete",
    });
    await looked();
    expect(secretData(stage.theatre, "out")).toHaveProperty("uri");
    expect(projectCondition(stage.theatre, "OutputsComplete")).toMatchObject({ reason: "NotConverging" });
    await looked();
    expect(projectCondition(stage.theatre, "OutputsComplete")).toBeUndefined();
  });
});

describe("another name", () => {
  it("leaves no Secret and no ConfigMap behind under the old one, nor a removed field one", async () => {
    await settled({ ...OUTPUT, writeConnectionConfigMapToRef: { name: "out" } });
    const before = secretData(stage.theatre, "out");
    expect(before).toHaveProperty("uri");
    await settled({
      writeConnectionSecretToRef: { name: "other" },
      writeConnectionConfigMapToRef: { name: "other" },
    });
    expect([secretData(stage.theatre, "out"), configMapData(stage.theatre, "out")]).toEqual([undefined, undefined]);
    expect(secretData(stage.theatre, "other")).toEqual(before);
    expect(configMapData(stage.theatre, "other")).toHaveProperty("host");
    expect(projectStatus(stage.theatre).binding).toEqual({ name: "other" });
    await settled({});
    expect([secretData(stage.theatre, "other"), configMapData(stage.theatre, "other")]).toEqual([undefined, undefined]);
    expect(secretData(stage.theatre, "shop-database-password")).toBeDefined();
    expect(projectStatus(stage.theatre).binding).toBeUndefined();
  });

  it("that cannot be written leaves the old one there, to be bound to", async () => {
    await settled(OUTPUT);
    stage.theatre.kubernetes.put("secrets", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "theirs", namespace: NAMESPACE },
      stringData: { key: "value" },
    });
    const { resourceVersion } = metadataOf("theirs");
    applyProject(stage.theatre, { writeConnectionSecretToRef: { name: "theirs" } });
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "terminal", reason: "SecretNotOwned" });
    expect(projectCondition(stage.theatre, "Stalled")?.message).toBe(
      "the Secret theirs exists and was not made for this, so that it is never written: write another " +
        "spec.writeConnectionSecretToRef.name, or delete it",
    );
    expect(metadataOf("theirs").resourceVersion).toBe(resourceVersion);
    expect(secretData(stage.theatre, "out")).toBeDefined();
    expect(projectStatus(stage.theatre).binding).toEqual({ name: "out" });
  });
});
