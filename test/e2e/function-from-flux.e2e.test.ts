import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fluxStatus, READY } from "../support/artifacts/flux.ts";
import { ArtifactServer, type Published } from "../support/artifacts/server.ts";
import { applyDefinitions } from "../support/programs/definitions.ts";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";
import { readyProject } from "../support/stage/branches.ts";
import { functionOf, remoteFunction } from "../support/stage/functions.ts";
import { conditionOf, type Room } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** Functions whose source Flux publishes, in a cluster that has no Flux when the operator starts. Its source-controller is played by the test. */

const EXAMPLE = "function-from-flux";
/** The operator looks for kinds that are absent about once a minute. */
const FOUND_WITHIN_MS = 150_000;

let stage: Stage;
let server: ArtifactServer;

beforeAll(async () => {
  stage = await startStage();
  server = await ArtifactServer.start();
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

async function installFlux(): Promise<void> {
  const manifest = fileURLToPath(new URL("../support/flux/crds.yaml", import.meta.url));
  await applyDefinitions(stage.cluster, manifest);
}

function gitRepository(room: Room, name: string): Readonly<Record<string, unknown>> {
  return room.manifest("source.toolkit.fluxcd.io/v1", "GitRepository", name, { spec: { interval: "1m" } });
}

/** The source-controller fetched these files. */
async function publish(room: Room, name: string, files: Readonly<Record<string, string>>): Promise<Published> {
  const artifact = server.publish(files);
  const patch = JSON.stringify({ status: fluxStatus({ artifact, ready: READY }) });
  await room.kubectl("patch", "gitrepository", name, "--subresource=status", "--type=merge", "--patch", patch);
  return artifact;
}

const fromFlux = { source: { artifactRef: { kind: "GitRepository", name: "app", path: "fn" } } };

describe("a function from Flux", () => {
  it(
    "waits while the cluster has no Flux, beside functions that need none, and is deployed when it has",
    { timeout: 300_000 },
    async () => {
      const room = await stage.room("flux-late");
      const ref = await readyProject(room);
      await room.apply([functionOf(room, "other"), functionOf(room, "hello", fromFlux)]);
      await room.ready("EdgeFunction", "other");
      const waits = await room.until(
        "EdgeFunction",
        "hello",
        (object) => conditionOf(object, "Ready")?.reason === "ReferenceNotFound",
      );
      expect(conditionOf(waits, "Ready")?.message).toContain("there is no GitRepository app in namespace flux-late");

      await installFlux();
      await room.apply(gitRepository(room, "app"));
      await room.until(
        "EdgeFunction",
        "hello",
        (object) => conditionOf(object, "Ready")?.reason === "ReferenceNotReady",
        FOUND_WITHIN_MS,
      );
      const { digest, revision } = await publish(room, "app", { "fn/index.ts": "1", "README.md": "1" });
      const { status } = await room.ready("EdgeFunction", "hello");
      expect(status["artifact"]).toEqual({ kind: "GitRepository", name: "app", path: "fn", digest, revision });
      expect((await remoteFunction(room, ref, "hello")).files.map(({ path }) => path)).toEqual(["index.ts"]);

      const after = await room.lastRequest();
      const next = await publish(room, "app", { "fn/index.ts": "1", "README.md": "2" });
      await room.until("EdgeFunction", "hello", (object) =>
        JSON.stringify(object.status["artifact"]).includes(next.digest),
      );
      expect(await room.writes(after)).toEqual([]);
      await publish(room, "app", { "fn/index.ts": "2", "README.md": "2" });
      await room.until("EdgeFunction", "hello", (object) => object.status["version"] === 2);
      await room.ready("EdgeFunction", "hello");
      expect(await room.writes(after)).toEqual(["functions.deploy 201"]);
    },
  );

  it("refuses what is not what its digest says, and takes what is published next", async () => {
    const room = await stage.room("flux-digest");
    await readyProject(room);
    await room.apply([gitRepository(room, "app"), functionOf(room, "hello", fromFlux)]);
    const wrong = { ...server.publish({ "fn/index.ts": "1" }), digest: `sha256:${"0".repeat(64)}` };
    const patch = JSON.stringify({ status: fluxStatus({ artifact: wrong, ready: READY }) });
    await room.kubectl("patch", "gitrepository", "app", "--subresource=status", "--type=merge", "--patch", patch);
    const stalled = await room.stalled("EdgeFunction", "hello", "ArtifactRefused");
    expect(conditionOf(stalled, "Stalled")?.message).toContain("not what the digest of the artifact says");
    await publish(room, "app", { "fn/index.ts": "1" });
    await room.ready("EdgeFunction", "hello");
  });
});

it("examples/function-from-flux is deployed as it is written", async () => {
  const room = await stage.room(EXAMPLE);
  const ref = await readyProject(room);
  const folder = new URL(`../../examples/${EXAMPLE}/`, import.meta.url);
  const texts = readdirSync(folder)
    .toSorted()
    .map((file) => readFileSync(new URL(file, folder), "utf8"));
  succeeded(await kubectl(stage.cluster, ["apply", "-f", "-"], { stdin: texts.join("\n---\n") }));
  await publish(room, "functions", {
    "functions/hello/index.ts": "Deno.serve(() => new Response());",
    "functions/hello/static/page.html": "<p>",
    "functions/checkout/index.ts": 'import "stripe";',
  });
  await room.ready("EdgeFunction", "hello");
  await room.ready("EdgeFunction", "checkout");
  const hello = await remoteFunction(room, ref, "hello");
  expect(hello).toMatchObject({ verifyJwt: false, entrypointPath: "index.ts" });
  expect(hello.files.map(({ path }) => path)).toEqual(["index.ts", "static/page.html"]);
  const checkout = await remoteFunction(room, ref, "checkout");
  expect(checkout).toMatchObject({ verifyJwt: true, importMapPath: "import_map.json" });
  expect(checkout.files.map(({ path }) => path)).toEqual(["import_map.json", "index.ts"]);
});
