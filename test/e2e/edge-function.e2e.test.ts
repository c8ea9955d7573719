import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { branchOf, readyProject } from "../support/stage/branches.ts";
import {
  configMap,
  deployByHand,
  functionOf,
  looksUntil,
  remoteFunction,
  remoteFunctions,
  sha256,
  sourceText,
} from "../support/stage/functions.ts";
import { conditionOf } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/**
 * An EdgeFunction through its life, on a real control plane and the emulator. Whose it is and its end: edge-function-end. Deployments that fail or
 * meet others: edge-function-deploys.
 */

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

/** A project that no object manages. */
const THEIRS = "abcdefghijklmnopqrst";

const hello = { kind: "EdgeFunction", name: "hello" } as const;

describe.concurrent("creating", () => {
  it("deploys the files, says every setting that has a default, and shows what there is", async () => {
    const room = await stage.room("fn-create");
    const ref = await readyProject(room);
    const after = await room.lastRequest();
    await room.apply(functionOf(room, "hello"));
    const object = await room.ready("EdgeFunction", "hello");
    const remote = await remoteFunction(room, ref, "hello");
    expect(remote).toMatchObject({ name: "hello", version: 1, verifyJwt: true, entrypointPath: "index.ts" });
    expect(remote.files).toMatchObject([{ path: "index.ts", sha256: sha256(sourceText("hello")) }]);
    expect(object.status).toMatchObject({ ref, slug: "hello", version: 1, state: "ACTIVE", bundleHash: remote.sha256 });
    expect(object.metadata.finalizers).toEqual(["baas.dev/finalizer"]);
    expect(JSON.parse(object.metadata.annotations["baas.dev/ref"] ?? "")).toMatchObject({ ref, id: "hello" });
    expect(await room.writes(after)).toEqual(["functions.deploy 201"]);
  });

  it("waits for a Project that is applied after it", async () => {
    const room = await stage.room("fn-order");
    await room.apply(functionOf(room, "hello"));
    await room.until("EdgeFunction", "hello", (object) => conditionOf(object, "Ready")?.reason === "ReferenceNotFound");
    const ref = await readyProject(room);
    expect((await room.ready("EdgeFunction", "hello")).status).toMatchObject({ ref });
  });

  it("deploys into a preview branch and into a project that no object manages", async () => {
    const room = await stage.room("fn-parents");
    const ref = await readyProject(room);
    await room.emulator.control.state.seed({
      projects: [{ name: "theirs", organization: room.namespace, ref: THEIRS }],
    });
    await room.apply([
      branchOf(room, "shop", "preview"),
      functionOf(room, "in-branch", { projectRef: undefined, branchRef: { name: "preview" } }),
      functionOf(room, "in-theirs", { projectRef: { ref: THEIRS } }),
      functionOf(room, "in-nothing", { projectRef: { ref: "nobodyhasthisproject" } }),
    ]);
    const nowhere = await room.stalled("EdgeFunction", "in-nothing", "ReferenceNotFound");
    expect(conditionOf(nowhere, "Stalled")?.message).toContain("nobodyhasthisproject");
    await room.ready("EdgeFunction", "in-theirs");
    expect((await remoteFunctions(room, THEIRS)).map(({ slug }) => slug)).toEqual(["in-theirs"]);
    const { status } = await room.ready("EdgeFunction", "in-branch");
    expect(status["ref"]).not.toBe(ref);
    expect((await remoteFunctions(room, String(status["ref"]))).map(({ slug }) => slug)).toEqual(["in-branch"]);
    expect(await remoteFunctions(room, ref)).toEqual([]);
  });

  it("writes nothing when asked to look again", async () => {
    const room = await stage.room("fn-quiet");
    await readyProject(room);
    await room.apply(functionOf(room, "hello"));
    await room.ready("EdgeFunction", "hello");
    const after = await room.lastRequest();
    const first = await room.reconcile("EdgeFunction", "hello");
    const second = await room.reconcile("EdgeFunction", "hello");
    expect(await room.writes(after)).toEqual([]);
    expect({ ...second.status, lastHandledReconcileAt: "" }).toEqual({ ...first.status, lastHandledReconcileAt: "" });
  });
});

describe.concurrent("changing", () => {
  it("[K-28] carries a change of verifyJwt alone with one update and no upload", async () => {
    const room = await stage.room("fn-jwt");
    const ref = await readyProject(room);
    await room.apply(functionOf(room, "hello"));
    await room.ready("EdgeFunction", "hello");
    const after = await room.lastRequest();
    await room.apply(functionOf(room, "hello", { verifyJwt: false }));
    await room.ready("EdgeFunction", "hello");
    expect(await remoteFunction(room, ref, "hello")).toMatchObject({ verifyJwt: false, version: 1 });
    expect(await room.writes(after)).toEqual(["functions.update 200"]);
  });

  it("[K-28] keeps the declared verifyJwt when the source alone changes", async () => {
    const room = await stage.room("fn-source");
    const ref = await readyProject(room);
    await room.apply(functionOf(room, "hello", { verifyJwt: false }));
    await room.ready("EdgeFunction", "hello");
    const after = await room.lastRequest();
    await room.apply(functionOf(room, "hello", { verifyJwt: false }, "changed"));
    const object = await room.ready("EdgeFunction", "hello");
    const remote = await remoteFunction(room, ref, "hello");
    expect(remote).toMatchObject({ verifyJwt: false, version: 2 });
    expect(remote.files).toMatchObject([{ sha256: sha256(sourceText("changed")) }]);
    expect(object.status["bundleHash"]).toBe(remote.sha256);
    expect(await room.writes(after)).toEqual(["functions.deploy 201"]);
  });

  it("takes the files from a ConfigMap, text and binary, and deploys each change of it once", async () => {
    const room = await stage.room("fn-map");
    const ref = await readyProject(room);
    const binary = Buffer.from([0, 255, 128, 10]);
    const source = { configMapRef: { name: "files", keys: [{ key: "main", path: "src/index.ts" }, { key: "logo" }] } };
    await room.apply(functionOf(room, "hello", { source, entrypoint: "src/index.ts" }));
    await room.until("EdgeFunction", "hello", (object) => conditionOf(object, "Ready")?.reason === "ReferenceNotFound");
    const files = (words: string): object => ({
      data: { main: sourceText(words) },
      binaryData: { logo: binary.toString("base64") },
    });
    await room.apply(configMap(room, "files", { ...files("one") }));
    await room.ready("EdgeFunction", "hello");
    expect((await remoteFunction(room, ref, "hello")).files).toEqual([
      { path: "logo", bytes: 4, sha256: expect.any(String) },
      { path: "src/index.ts", bytes: sourceText("one").length, sha256: sha256(sourceText("one")) },
    ]);
    const after = await room.lastRequest();
    await room.apply(configMap(room, "files", { ...files("two") }));
    const { status } = await room.until("EdgeFunction", "hello", (object) => object.status["version"] === 2);
    expect(status).toMatchObject({ version: 2 });
    expect(await room.writes(after)).toEqual(["functions.deploy 201"]);
  });

  it("tells a ConfigMap without the entrypoint by the field and the file, and goes on when it is there", async () => {
    const room = await stage.room("fn-entry");
    await readyProject(room);
    await room.apply([
      functionOf(room, "hello", { source: { configMapRef: { name: "files" } } }),
      configMap(room, "files", { data: { "main.ts": sourceText("hello") } }),
    ]);
    const stalled = await room.stalled("EdgeFunction", "hello", "InvalidSpec");
    expect(conditionOf(stalled, "Stalled")?.message).toMatch(/^spec\.entrypoint: the ConfigMap files .*index\.ts/u);
    await room.apply(configMap(room, "files", { data: { "index.ts": sourceText("hello") } }));
    await room.ready("EdgeFunction", "hello");
  });

  it("switches an import map off that is not declared any more and whose file is gone", async () => {
    const room = await stage.room("fn-import");
    const ref = await readyProject(room);
    const files = { "index.ts": sourceText("hello"), "deno.json": "{}" };
    await room.apply(functionOf(room, "hello", { source: { inline: { files } }, importMap: "deno.json" }));
    await room.ready("EdgeFunction", "hello");
    expect(await remoteFunction(room, ref, "hello")).toMatchObject({ importMapPath: "deno.json" });
    const after = await room.lastRequest();
    await room.apply(functionOf(room, "hello"));
    await room.ready("EdgeFunction", "hello");
    expect(await room.writes(after)).toEqual(["functions.deploy 201", "functions.update 200"]);
    await room.reconcile("EdgeFunction", "hello");
    expect(await room.writes(after)).toHaveLength(2);
  });
});

describe.concurrent("drift", () => {
  it("[K-28] repairs verifyJwt alone when somebody switched it off", async () => {
    const room = await stage.room("fn-drift-jwt");
    const ref = await readyProject(room);
    await room.apply(functionOf(room, "hello"));
    await room.ready("EdgeFunction", "hello");
    const path = `/v1/projects/${ref}/functions/hello`;
    expect(await stage.call("PATCH", path, room.token, { verify_jwt: false })).toMatchObject({ status: 200 });
    const after = await room.lastRequest();
    await looksUntil(room, hello, async () => (await remoteFunction(room, ref, "hello")).verifyJwt);
    expect(await room.writes(after)).toEqual(["functions.update 200"]);
    expect(await remoteFunction(room, ref, "hello")).toMatchObject({ version: 1, verifyJwt: true });
  });

  it("puts the source back when somebody deployed another one, told by the bundle's hash", async () => {
    const room = await stage.room("fn-drift-source");
    const ref = await readyProject(room);
    await room.apply(functionOf(room, "hello"));
    await room.ready("EdgeFunction", "hello");
    const { sha256: bundle } = await remoteFunction(room, ref, "hello");
    await deployByHand(stage, room, ref, "hello");
    await looksUntil(room, hello, async () => (await remoteFunction(room, ref, "hello")).sha256 === bundle);
    expect(await remoteFunction(room, ref, "hello")).toMatchObject({ version: 3 });
    const events = await room.kubectl("get", "events", "--field-selector=reason=DriftCorrected", "--output=json");
    expect(events).toContain("spec.source");
  });

  it("brings a function back that somebody deleted: it holds no data", async () => {
    const room = await stage.room("fn-drift-gone");
    const ref = await readyProject(room);
    await room.apply(functionOf(room, "hello"));
    await room.ready("EdgeFunction", "hello");
    expect(await stage.call("DELETE", `/v1/projects/${ref}/functions/hello`, room.token)).toMatchObject({
      status: 200,
    });
    await looksUntil(room, hello, async () => (await remoteFunctions(room, ref)).length === 1);
    await room.ready("EdgeFunction", "hello");
  });

  it("only tells what differs under driftPolicy Report, and is not Ready without the function", async () => {
    const room = await stage.room("fn-report");
    const ref = await readyProject(room);
    await room.apply(functionOf(room, "hello", { driftPolicy: "Report" }));
    await room.ready("EdgeFunction", "hello");
    const path = `/v1/projects/${ref}/functions/hello`;
    await stage.call("PATCH", path, room.token, { verify_jwt: false });
    const after = await room.lastRequest();
    const drifted = await looksUntil(room, hello, (object) => conditionOf(object, "Drifted")?.status === "True");
    expect(conditionOf(drifted, "Drifted")?.message).toBe("differs remotely: spec.verifyJwt");
    await stage.call("DELETE", path, room.token);
    const gone = await looksUntil(room, hello, (object) => conditionOf(object, "Ready")?.status === "False");
    expect(conditionOf(gone, "Ready")).toMatchObject({ reason: "DriftDetected" });
    expect(await room.writes(after)).toEqual(["functions.delete 200"]);
  });
});

describe.concurrent("policies", () => {
  it("reads and reports under managementPolicy Observe, and leaves all of it behind", async () => {
    const room = await stage.room("fn-observe");
    const ref = await readyProject(room);
    await deployByHand(stage, room, ref, "hello");
    const after = await room.lastRequest();
    await room.apply(functionOf(room, "hello", { managementPolicy: "Observe", verifyJwt: false }));
    const object = await room.ready("EdgeFunction", "hello");
    expect(conditionOf(object, "Ready")?.reason).toBe("Observed");
    expect(conditionOf(object, "Drifted")?.message).toBe("differs remotely: spec.verifyJwt");
    expect(object.metadata.finalizers).toEqual([]);
    await room.kubectl("delete", "edgefunction", "hello");
    expect(await room.writes(after)).toEqual([]);
  });

  it("does nothing while paused, and goes on after", async () => {
    const room = await stage.room("fn-paused");
    const ref = await readyProject(room);
    await room.apply(functionOf(room, "hello"));
    await room.ready("EdgeFunction", "hello");
    await room.kubectl("annotate", "edgefunction", "hello", "baas.dev/paused=true");
    await room.until("EdgeFunction", "hello", (object) => conditionOf(object, "Paused")?.status === "True");
    const after = await room.lastRequest();
    await room.apply(functionOf(room, "hello", {}, "changed"));
    await room.until("EdgeFunction", "hello", ({ metadata }) => metadata.generation === 2);
    expect(await room.writes(after)).toEqual([]);
    await room.kubectl("annotate", "edgefunction", "hello", "baas.dev/paused-");
    await room.ready("EdgeFunction", "hello");
    expect(await remoteFunction(room, ref, "hello")).toMatchObject({ version: 2 });
  });
});
