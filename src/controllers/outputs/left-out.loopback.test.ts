import { describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { lifeInEach } from "../../../test/support/controllers/life-in-each.ts";
import {
  applyProject,
  configMapData,
  permitAllBut,
  projectCondition,
  projectStatus,
  secretData,
  settledProject,
} from "../../../test/support/controllers/outputs.ts";

/** What an output cannot hold, and objects in its place that are not its: told in words, while the rest goes on. */

const stage = lifeInEach();

const OUTPUT = { writeConnectionSecretToRef: { name: "out" } };

const settled = (spec: object): Promise<void> => settledProject(stage, spec);

describe("a permission that is missing", () => {
  it.each([
    { permission: "api_gateway_keys_secret_read", doing: "reveal the API keys", keys: ["anon-key"] },
    {
      permission: "database_pooling_config_read",
      doing: "read the pooler",
      keys: ["pooler-transaction-uri", "pooler-session-uri"],
    },
  ])("is named by a condition, and the rest is written: $permission", async ({ permission, doing, keys }) => {
    await permitAllBut(stage.theatre, permission);
    await settled(OUTPUT);
    expect(projectCondition(stage.theatre, "OutputsComplete")).toMatchObject({
      status: "False",
      reason: "Forbidden",
      message: `not in the Secret out, or as it was last: ${keys.join(", ")} (could not ${doing}: give the token the permission ${permission})`,
    });
    expect(projectCondition(stage.theatre, "Ready")).toMatchObject({
      status: "True",
      message: "see condition OutputsComplete",
    });
    const held = secretData(stage.theatre, "out") ?? {};
    expect(keys.filter((key) => key in held)).toEqual([]);
    expect(held).toHaveProperty("password");
    await permitAllBut(stage.theatre);
    await stage.theatre.pass(600_000);
    await stage.life.run("Project", "shop", "drift");
    expect(Object.keys(secretData(stage.theatre, "out") ?? {})).toEqual(expect.arrayContaining(keys));
    expect(projectCondition(stage.theatre, "OutputsComplete")).toBeUndefined();
  });

  it("that goes later leaves what was written as it is", async () => {
    await settled(OUTPUT);
    const before = secretData(stage.theatre, "out");
    await permitAllBut(stage.theatre, "api_gateway_keys_secret_read");
    await stage.theatre.pass(600_000);
    await stage.life.run("Project", "shop", "drift");
    expect(secretData(stage.theatre, "out")).toEqual(before);
    expect(projectCondition(stage.theatre, "OutputsComplete")).toMatchObject({ reason: "Forbidden" });
  });
});

describe("a password that nobody knows", () => {
  it("of an adopted project is left out with what needs it, and told of", async () => {
    const body = { name: "theirs", organization_slug: "acme", db_pass: "set by somebody else" };
    const { ref } = await stage.life.client.projects.create({ body });
    await settled({ ref, ...OUTPUT });
    expect(Object.keys(secretData(stage.theatre, "out") ?? {}).toSorted()).toEqual(
      ["anon-key", "database", "host", "port", "provider", "type", "url", "username"].toSorted(),
    );
    expect(projectCondition(stage.theatre, "OutputsComplete")).toMatchObject({
      reason: "PasswordUnknown",
      message: expect.stringContaining(
        "password, uri, pooler-transaction-uri, pooler-session-uri (this object did not set the database password: " +
          "name a Secret in spec.databasePassword.secretKeyRef to have its password set)",
      ),
    });
  });

  it.each([
    {
      what: "its Secret is gone",
      says: "name another one in spec.databasePassword.secretKeyRef to have its password set",
      act: (): void => stage.theatre.kubernetes.delete("secrets", NAMESPACE, "shop-database-password"),
    },
    {
      what: "its Secret was edited, which sets no password",
      says: "to have it set, write spec.databasePassword.secretKeyRef.name: shop-database-password",
      act: (): void => {
        const data = { password: Buffer.from("another").toString("base64") };
        stage.theatre.kubernetes.put("secrets", {
          metadata: { name: "shop-database-password", namespace: NAMESPACE },
          data,
        });
      },
    },
  ])("since $what, stays as it was written, with what to do", async ({ act, says }) => {
    await settled(OUTPUT);
    const before = secretData(stage.theatre, "out");
    act();
    await stage.theatre.pass(600_000);
    await stage.life.run("Project", "shop", "drift");
    expect(secretData(stage.theatre, "out")).toEqual(before);
    expect(projectCondition(stage.theatre, "OutputsComplete")).toMatchObject({
      reason: "PasswordUnknown",
      message: expect.stringContaining(says),
    });
  });

  it("of a generated Secret is set once that is named, and known again", async () => {
    await settled(OUTPUT);
    const data = { password: Buffer.from("another").toString("base64") };
    stage.theatre.kubernetes.put("secrets", {
      metadata: { name: "shop-database-password", namespace: NAMESPACE },
      data,
    });
    await settled({ ...OUTPUT, databasePassword: { secretKeyRef: { name: "shop-database-password" } } });
    expect(projectCondition(stage.theatre, "OutputsComplete")).toBeUndefined();
    expect(secretData(stage.theatre, "out")).toMatchObject({ password: "another" });
  });
});

describe("the pooler's mode", () => {
  it("set to session leaves out what needs transaction mode, as soon as it is written", async () => {
    await settled({ ...OUTPUT, database: { pooler: { poolMode: "Session" } } });
    const { "pooler-session-uri": session } = secretData(stage.theatre, "out") ?? {};
    expect(session).toContain(":6543/postgres");
    expect(secretData(stage.theatre, "out")).not.toHaveProperty("pooler-transaction-uri");
    expect(projectCondition(stage.theatre, "OutputsComplete")).toMatchObject({ reason: "ValueNotOffered" });
    await settled({ ...OUTPUT, database: { pooler: { poolMode: "Transaction" } } });
    expect(secretData(stage.theatre, "out")?.["pooler-session-uri"]).toContain(":5432/postgres");
    expect(secretData(stage.theatre, "out")).toHaveProperty("pooler-transaction-uri");
    expect(projectCondition(stage.theatre, "OutputsComplete")).toBeUndefined();
  });
});

function putSecret(name: string, rest: object, metadata: object = {}): void {
  stage.theatre.kubernetes.put("secrets", {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: NAMESPACE, ...metadata },
    ...rest,
  });
}

describe("an object in the place of an output", () => {
  const elsewhere = { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "other" };
  it.each([
    { whose: "nobody's", metadata: {}, says: "was not made for this" },
    {
      whose: "another controller's",
      metadata: { ownerReferences: [elsewhere] },
      says: "belongs to the Deployment web",
    },
  ])("is never written where it is $whose, and the ConfigMap is all the same", async ({ metadata, says }) => {
    putSecret("out", { stringData: { key: "theirs" } }, metadata);
    const before = stage.theatre.kubernetes.get("secrets", NAMESPACE, "out");
    applyProject(stage.theatre, { ...OUTPUT, writeConnectionConfigMapToRef: { name: "out" } });
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "terminal", reason: "SecretNotOwned" });
    expect(projectCondition(stage.theatre, "Ready")).toMatchObject({
      status: "False",
      message: expect.stringContaining(says),
    });
    expect(stage.theatre.kubernetes.get("secrets", NAMESPACE, "out")).toEqual(before);
    expect(configMapData(stage.theatre, "out")).toHaveProperty("host", projectStatus(stage.theatre).host);
    expect(projectStatus(stage.theatre).binding).toBeUndefined();
  });

  it("of the kind ConfigMap is never written either", async () => {
    stage.theatre.kubernetes.put("configmaps", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "out", namespace: NAMESPACE },
      data: { key: "theirs" },
    });
    applyProject(stage.theatre, { writeConnectionConfigMapToRef: { name: "out" } });
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "terminal", reason: "ConfigMapNotOwned" });
    expect(configMapData(stage.theatre, "out")).toEqual({ key: "theirs" });
  });

  it.each([
    { plural: "secrets", kind: "Secret", rest: { type: "servicebinding.io/postgresql", data: { mine: "eA==" } } },
    { plural: "configmaps", kind: "ConfigMap", rest: { data: { mine: "x" }, binaryData: { bytes: "AAAA" } } },
  ])("that the Project owns without its having made it is never written, binary keys too: $kind", async (one) => {
    await settled({});
    const { uid } = stage.theatre.kubernetes.get("projects", NAMESPACE, "shop")?.metadata ?? {};
    const ownerReferences = [{ apiVersion: "baas.dev/v1alpha1", kind: "Project", name: "shop", uid }];
    const metadata = { name: "out", namespace: NAMESPACE, ownerReferences };
    stage.theatre.kubernetes.put(one.plural, { apiVersion: "v1", kind: one.kind, metadata, ...one.rest });
    const before = stage.theatre.kubernetes.get(one.plural, NAMESPACE, "out");
    applyProject(stage.theatre, { [`writeConnection${one.kind}ToRef`]: { name: "out" } });
    const outcome = await stage.life.settle("Project", "shop");
    expect(outcome).toMatchObject({ kind: "terminal", reason: `${one.kind}NotOwned` });
    expect(projectCondition(stage.theatre, "Stalled")?.message).toContain("exists and was not made for this");
    expect(stage.theatre.kubernetes.get(one.plural, NAMESPACE, "out")).toEqual(before);
  });

  it.each([
    { plural: "secrets", kind: "Secret" },
    { plural: "configmaps", kind: "ConfigMap" },
  ])("that lost its label is known by what each write leaves: $kind", async ({ plural, kind }) => {
    const field = `writeConnection${kind}ToRef`;
    await settled({ [field]: { name: "out" } });
    stage.theatre.kubernetes.put(plural, { metadata: { name: "out", namespace: NAMESPACE, labels: {} } });
    await settled({ [field]: { name: "out", keys: [{ key: "host" }] } });
    expect(stage.theatre.kubernetes.get(plural, NAMESPACE, "out")?.metadata.labels).toHaveProperty("baas.dev/output");
  });

  it.each([
    { what: "immutable", change: { immutable: true, data: {} }, says: "is immutable" },
    { what: "of another type", change: { type: "Opaque" }, says: "is of another type than Service Binding has" },
  ])("that is its own and $what cannot be written, and is made again once it is deleted", async ({ change, says }) => {
    await settled(OUTPUT);
    putSecret("out", change);
    applyProject(stage.theatre, { writeConnectionSecretToRef: { name: "out", keys: [{ key: "url" }] } });
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "terminal", reason: "OutputBlocked" });
    expect(projectCondition(stage.theatre, "Stalled")?.message).toBe(
      `the Secret out ${says}: delete it, and it is made again`,
    );
    stage.theatre.kubernetes.delete("secrets", NAMESPACE, "out");
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(Object.keys(secretData(stage.theatre, "out") ?? {})).toEqual(["type", "provider", "url"]);
  });
});

describe("the ConfigMap", () => {
  it("holds addresses and names, and nothing that opens anything", async () => {
    await settled({ writeConnectionConfigMapToRef: { name: "out" } });
    const { ref, host } = projectStatus(stage.theatre);
    expect(configMapData(stage.theatre, "out")).toEqual({
      ref,
      url: `https://${ref}.emulator.test`,
      host,
      port: "5432",
      database: "postgres",
      username: "postgres",
      "pooler-host": "aws-0-us-east-1.pooler.emulator.test",
      "pooler-username": `postgres.${ref}`,
      "pooler-transaction-port": "6543",
      "pooler-session-port": "5432",
    });
    const { byOperation } = await stage.theatre.emulator.control.log.summary();
    expect(byOperation).not.toHaveProperty("apiKeys.list");
  });
});
