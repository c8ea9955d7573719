import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { usualSecretVariables } from "../../src/resources/outputs/variables.ts";
import { collected, eventually } from "../support/stage/eventually.ts";
import { conditionOf, type Manifest, type Room } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** Connection outputs on a real control plane: its garbage collector, its rules, and the rights that the chart gives. */

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

const stored = z.looseObject({
  type: z.string().optional(),
  metadata: z.looseObject({ uid: z.string() }),
  data: z.record(z.string(), z.string()).default({}),
});

/** A core object, or undefined where there is none. */
async function core(
  room: Room,
  kind: "secret" | "configmap",
  name: string,
): Promise<z.output<typeof stored> | undefined> {
  const text = await room.kubectl(
    "get",
    `${kind === "secret" ? "secrets" : "configmaps"}.v1.`,
    name,
    "--ignore-not-found",
    "--output=json",
  );
  return text.trim() === "" ? undefined : stored.parse(JSON.parse(text));
}

async function secretData(room: Room, name: string): Promise<Readonly<Record<string, string>> | undefined> {
  const secret = await core(room, "secret", name);
  if (secret === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(secret.data).map(([key, text]) => [key, Buffer.from(text, "base64").toString("utf8")]),
  );
}

const OUTPUTS = {
  writeConnectionSecretToRef: { name: "out" },
  writeConnectionConfigMapToRef: { name: "out" },
};

describe("examples/outputs", () => {
  it("[K-08] is Ready as it is written, with all that programs connect by", async () => {
    const room = await stage.room("outputs-example");
    const text = readFileSync(new URL("../../examples/outputs/project.yaml", import.meta.url), "utf8");
    const manifests = parseAllDocuments(text.replace("organization: acme", `organization: ${room.namespace}`)).map(
      (document): Manifest => {
        const { metadata, ...rest } = z.looseObject({ metadata: z.looseObject({}) }).parse(document.toJS());
        return { ...rest, metadata: { ...metadata, namespace: room.namespace } };
      },
    );
    await room.apply(manifests);
    const project = await room.ready("Project", "store");
    const branch = await room.ready("Branch", "preview");
    const { ref } = z.object({ ref: z.string() }).parse(project.status);
    const { ref: branchRef } = z.object({ ref: z.string() }).parse(branch.status);
    expect(Object.keys((await secretData(room, "store-connection")) ?? {}).toSorted()).toEqual(
      ["type", "provider", ...usualSecretVariables].toSorted(),
    );
    expect((await core(room, "secret", "store-connection"))?.type).toBe("servicebinding.io/postgresql");
    expect((await core(room, "configmap", "store-address"))?.data).toMatchObject({ ref });
    expect(project.status["binding"]).toEqual({ name: "store-connection" });
    expect(await secretData(room, "preview-environment")).toEqual({
      type: "postgresql",
      provider: "baas.dev",
      DATABASE_URL: expect.stringMatching(`//postgres\\.${branchRef}:[^@]+@.*:6543/postgres\\?sslmode=require$`),
      DIRECT_DATABASE_URL: expect.stringContaining(`@db.${branchRef}.`),
      ANON_KEY: expect.stringMatching(/^eyJ/u),
      SERVICE_KEY: expect.stringMatching(/^eyJ/u),
    });
    expect((await core(room, "configmap", "preview-environment"))?.data).toEqual({
      API_URL: expect.stringContaining(`https://${branchRef}.`),
      REST_URL: expect.stringContaining("/rest/v1"),
    });
    for (const object of [project, branch]) expect(conditionOf(object, "OutputsComplete")).toBeUndefined();
  });
});

describe("an output", () => {
  it("is put back when it is edited or deleted, and moves to another name", async () => {
    const room = await stage.room("outputs-back");
    await room.apply(room.project("shop", OUTPUTS));
    await room.ready("Project", "shop");
    const before = await secretData(room, "out");
    const { uid = "" } = (await core(room, "secret", "out"))?.metadata ?? {};
    await room.kubectl(
      "patch",
      "secrets.v1.",
      "out",
      "--type=merge",
      "--patch",
      '{"data":{"host":"eA==","more":"eA=="}}',
    );
    await eventually("the edit is undone", async () => {
      const now = await secretData(room, "out");
      return now?.["host"] === before?.["host"] && now?.["more"] === undefined ? true : undefined;
    });
    await room.kubectl("delete", "secrets.v1.", "out");
    await room.kubectl("delete", "configmaps.v1.", "out");
    await eventually("both are there again", async () => {
      const secret = await core(room, "secret", "out");
      return secret !== undefined && secret.metadata.uid !== uid && (await core(room, "configmap", "out")) !== undefined
        ? true
        : undefined;
    });
    expect(await secretData(room, "out")).toEqual(before);
    await room.apply(room.project("shop", { ...OUTPUTS, writeConnectionSecretToRef: { name: "moved" } }));
    await eventually("the old one is gone", async () =>
      (await core(room, "secret", "out")) === undefined ? true : undefined,
    );
    expect(await secretData(room, "moved")).toEqual(before);
    expect(await core(room, "configmap", "out")).toBeDefined();
  });

  it("goes with its object where the project is retained, and the generated password stays", async () => {
    const room = await stage.room("outputs-gone");
    await room.apply(room.project("shop", { ...OUTPUTS, deletionPolicy: "Retain" }));
    await room.ready("Project", "shop");
    await room.kubectl("delete", "project", "shop", "--wait=true");
    await collected("both outputs", async () => {
      const left = [await core(room, "secret", "out"), await core(room, "configmap", "out")];
      return left.every((one) => one === undefined);
    });
    expect(await core(room, "secret", "shop-database-password")).toBeDefined();
    expect(await room.projects()).toHaveLength(1);
  });

  it("that is somebody else's is never written, and made once that is gone", async () => {
    const room = await stage.room("outputs-other");
    await room.apply([
      room.manifest("v1", "Secret", "out", { stringData: { key: "theirs" } }),
      room.project("shop", OUTPUTS),
    ]);
    await room.stalled("Project", "shop", "SecretNotOwned");
    expect(await secretData(room, "out")).toEqual({ key: "theirs" });
    await room.kubectl("delete", "secrets.v1.", "out");
    await room.ready("Project", "shop");
    expect(await secretData(room, "out")).toHaveProperty("uri");
  });

  it("that was made immutable is told of, and made again once it is deleted", async () => {
    const room = await stage.room("outputs-fixed");
    await room.apply(room.project("shop", OUTPUTS));
    await room.ready("Project", "shop");
    await room.kubectl("patch", "secrets.v1.", "out", "--type=merge", "--patch", '{"immutable":true}');
    await room.apply(
      room.project("shop", { ...OUTPUTS, writeConnectionSecretToRef: { name: "out", keys: [{ key: "uri" }] } }),
    );
    await room.stalled("Project", "shop", "OutputBlocked");
    await room.kubectl("delete", "secrets.v1.", "out");
    await room.ready("Project", "shop");
    expect(Object.keys((await secretData(room, "out")) ?? {}).toSorted()).toEqual(["provider", "type", "uri"]);
  });
});
