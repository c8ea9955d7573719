import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { READY } from "../../../test/support/artifacts/flux.ts";
import { digestOf, targz } from "../../../test/support/artifacts/tar.ts";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { FluxBench } from "../../../test/support/controllers/flux-bench.ts";

/** Functions whose source is an artifact of Flux. */

let bench: FluxBench;

beforeEach(async () => {
  bench = await FluxBench.open();
});

afterEach(() => bench[Symbol.asyncDispose]());

const READY_NOW = "True Available: the function is as declared";

describe("a function from an artifact", () => {
  it("is deployed from the folder that it names, and tells which artifact that was", async () => {
    const { digest, revision } = await bench.publish({
      "fn/index.ts": "1",
      "fn/lib/db.ts": "2",
      "other/index.ts": "3",
    });
    await bench.rest(() => bench.fn("one", { path: "./fn/" }));
    expect(bench.ready("one")).toBe(READY_NOW);
    expect(await bench.deployed("one")).toEqual(["index.ts", "lib/db.ts"]);
    expect(bench.status("one")["artifact"]).toEqual({
      kind: "GitRepository",
      name: "app",
      path: "fn",
      revision,
      digest,
    });
  });

  it.each(["GitRepository", "OCIRepository", "Bucket", "ExternalArtifact"] as const)(
    "of each kind: %s",
    async (kind) => {
      await bench.rest(() => bench.fn("one", { kind }));
      expect(bench.ready("one")).toBe(
        `Unknown ReferenceNotFound: there is no ${kind} app in namespace ${NAMESPACE}, or no such kind in the cluster yet`,
      );
      const artifact = bench.server.publish({ "index.ts": "1" });
      await bench.rest(() => bench.source({ artifact, ready: kind === "ExternalArtifact" ? undefined : READY }, kind));
      expect(bench.ready("one")).toBe(READY_NOW);
    },
  );

  it("is deployed again when what is below its folder has changed, and not for another revision of the same", async () => {
    await bench.publish({ "fn/index.ts": "1", "README.md": "1" });
    await bench.rest(() => bench.fn("one", { path: "fn" }));
    expect(await bench.writes()).toEqual(["functions.deploy"]);
    const { revision } = await bench.publish({ "fn/index.ts": "1", "README.md": "2" });
    await bench.rest();
    expect(await bench.writes()).toEqual([]);
    expect(bench.status("one")["artifact"]).toMatchObject({ revision });
    await bench.publish({ "fn/index.ts": "2", "README.md": "2" });
    await bench.rest();
    expect(await bench.writes()).toEqual(["functions.deploy"]);
    expect(bench.ready("one")).toBe(READY_NOW);
  });

  it("is fetched once for each artifact, however often drift is looked for, the operator starts, or Flux writes its status", async () => {
    const artifact = await bench.publish({ "index.ts": "1", "deno.json": "{}" });
    await bench.rest(() => bench.fn("one", {}));
    await bench.rest(undefined, 3_600_000);
    await bench.begin();
    await bench.rest(() => bench.source({ artifact, ready: ["True", "StillSucceeded"] }));
    expect(bench.server.asked).toHaveLength(1);
    expect(bench.ready("one")).toBe(READY_NOW);
    expect(await bench.writes()).toEqual(["functions.deploy"]);
  });

  it("comes back whole when somebody deleted or changed it, from the artifact in force", async () => {
    await bench.publish({ "index.ts": "1" });
    await bench.rest(() => bench.fn("one", {}));
    const { client } = bench.life;
    const ref = String(bench.status("one")["ref"]);
    await client.functions.delete({ ref, function_slug: "one" });
    await bench.rest(undefined, 1_500_000);
    expect(await bench.deployed("one")).toEqual(["index.ts"]);
    await client.functions.deploy({
      ref,
      slug: "one",
      body: { metadata: { entrypoint_path: "x.ts" }, files: [{ path: "x.ts", content: "x" }] },
    });
    await bench.rest(undefined, 1_500_000);
    expect(await bench.deployed("one")).toEqual(["index.ts"]);
  });

  it("is deployed at a start when another artifact was published while nobody watched", async () => {
    await bench.publish({ "index.ts": "1" });
    await bench.rest(() => bench.fn("one", {}));
    await bench.writes();
    await bench.publish({ "index.ts": "2" }); // unseen: nothing looks
    await bench.begin();
    expect(await bench.writes()).toEqual(["functions.deploy"]);
  });

  it("has its settings changed without another look at the artifact than the spec's edit asks for", async () => {
    await bench.publish({ "index.ts": "1" });
    await bench.rest(() => bench.fn("one", {}));
    await bench.writes();
    await bench.rest(() => bench.fn("one", {}, { verifyJwt: false }));
    expect(await bench.writes()).toEqual(["functions.update"]);
    expect(bench.server.asked).toHaveLength(2);
  });
});

describe("a function waits", () => {
  it.each([
    ["while the source has no artifact", { ready: ["Unknown", "Progressing"] }, "has no artifact yet (Progressing)"],
    ["while the source is not Ready", { ready: ["False", "GitOperationFailed"] }, "is not Ready (GitOperationFailed)"],
    ["while the source is checked", { ready: ["Unknown", "Progressing"] }, "is not Ready (Progressing)"],
    ["without words that are no reason", { ready: ["False", "bad\nwords"] }, "is not Ready"],
  ] as const)("%s, and goes on when that changes", async (_why, { ready }, told) => {
    const artifact = bench.server.publish({ "index.ts": "1" });
    await bench.source({ ready, ...(told.startsWith("has no") ? {} : { artifact }) });
    await bench.rest(() => bench.fn("one", {}));
    expect(bench.ready("one")).toBe(`Unknown ReferenceNotReady: the GitRepository app ${told}`);
    expect(bench.server.asked).toEqual([]);
    await bench.rest(() => bench.source({ artifact, ready: READY }));
    expect(bench.ready("one")).toBe(READY_NOW);
  });

  it("for no source that was there before and cannot be reached for a while", async () => {
    const artifact = await bench.publish({ "index.ts": "1" });
    await bench.rest(() => bench.fn("one", {}));
    await bench.rest(() => bench.source({ artifact, ready: ["False", "GitOperationFailed"] }), 1_500_000);
    expect(bench.ready("one")).toBe(READY_NOW);
    const next = bench.server.publish({ "index.ts": "2" });
    await bench.rest(() => bench.source({ artifact: next, ready: ["False", "GitOperationFailed"] }));
    expect(bench.ready("one")).toContain("ReferenceNotReady");
    expect(await bench.writes()).toEqual(["functions.deploy"]);
  });

  it("for a source of its own namespace alone", async () => {
    const artifact = bench.server.publish({ "index.ts": "1" });
    await bench.source({ artifact, ready: READY });
    const theirs = { ...bench.theatre.kubernetes.get("gitrepositories", NAMESPACE, "app") };
    bench.theatre.kubernetes.put("gitrepositories", {
      apiVersion: "source.toolkit.fluxcd.io/v1",
      kind: "GitRepository",
      metadata: { name: "theirs", namespace: "other" },
      status: theirs["status"],
    });
    await bench.rest(() => bench.fn("one", { name: "theirs" }));
    expect(bench.ready("one")).toContain("ReferenceNotFound");
    expect(bench.server.asked).toEqual([]);
  });

  it("and says so when its source object was deleted", async () => {
    await bench.publish({ "index.ts": "1" });
    await bench.rest(() => bench.fn("one", {}));
    await bench.rest(() => bench.theatre.kubernetes.delete("gitrepositories", NAMESPACE, "app"));
    expect(bench.ready("one")).toContain("ReferenceNotFound");
  });
});

describe("an artifact", () => {
  it("that is not what its digest says is refused, told, and taken when another one is published", async () => {
    const artifact = bench.server.publish({ "index.ts": "1" });
    await bench.source({ artifact: { ...artifact, digest: digestOf(Buffer.from("x")) }, ready: READY });
    await bench.rest(() => bench.fn("one", {}));
    expect(bench.ready("one")).toBe(
      "False ArtifactRefused: could not read the artifact of the GitRepository app: " +
        "what was fetched is not what the digest of the artifact says",
    );
    expect(await bench.writes()).toEqual([]);
    await bench.rest(() => bench.source({ artifact, ready: READY }));
    expect(bench.ready("one")).toBe(READY_NOW);
  });

  it("that was refused is tried again by itself: its server may have been at fault", async () => {
    const right = targz([{ path: "index.ts", content: "1" }]);
    let served = Buffer.alloc(right.length);
    bench.server.serve("/mended", (_request, response) => void response.writeHead(200).end(served));
    const artifact = { ...bench.server.publishBytes(right), url: `${bench.server.url}/mended` };
    await bench.source({ artifact, ready: READY });
    await bench.rest(() => bench.fn("one", {}));
    expect(bench.ready("one")).toContain("ArtifactRefused");
    served = Buffer.from(right);
    await bench.rest(undefined, 300_000);
    expect(bench.ready("one")).toContain("ArtifactRefused");
    await bench.rest(undefined, 400_000);
    expect(bench.ready("one")).toBe(READY_NOW);
  });

  it("that is hostile leaves what is deployed as it is", async () => {
    await bench.publish({ "index.ts": "1" });
    await bench.rest(() => bench.fn("one", {}));
    await bench.writes();
    const hostile = bench.server.publishBytes(
      targz([
        { path: "index.ts", content: "2" },
        { path: "../x", content: "x" },
      ]),
    );
    await bench.rest(() => bench.source({ artifact: hostile, ready: READY }));
    expect(bench.ready("one")).toMatch(/^False ArtifactRefused: .*not plain: "\.\.\/x"$/u);
    expect(await bench.writes()).toEqual([]);
  });

  it("that cannot be had is asked for again by itself", async () => {
    const artifact = bench.server.publish({ "index.ts": "1" });

    let failures = 2;
    const moved = `${bench.server.url}/later`;
    bench.server.serve("/later", (_request, response) => {
      failures -= 1;
      if (failures >= 0) response.writeHead(503).end();
      else response.writeHead(200).end(bytes);
    });
    const bytes = targz([{ path: "index.ts", content: "1" }]);
    await bench.source({ artifact: { ...artifact, url: moved }, ready: READY });
    await bench.rest(() => bench.fn("one", {}), 500);
    expect(bench.ready("one")).toBe(
      "Unknown ArtifactUnavailable: could not read the artifact of the GitRepository app: the artifact's server answered 503",
    );
    await bench.rest(undefined, 60_000);
    expect(bench.ready("one")).toBe(READY_NOW);
  });

  it("without the entrypoint is told by the field and the folder", async () => {
    await bench.publish({ "fn/main.ts": "1" });
    await bench.rest(() => bench.fn("one", { path: "fn" }));
    expect(bench.ready("one")).toBe(
      "False InvalidSpec: spec.entrypoint: the artifact of the GitRepository app, below fn, gives no file index.ts: " +
        "add it, or name one that is there",
    );
  });

  it("serves many functions, each its own folder, with one fetch for each", async () => {
    const names = Array.from({ length: 12 }, (_, n) => `fn-${n}`);
    const files = (text: string): Readonly<Record<string, string>> =>
      Object.fromEntries(names.map((name) => [`functions/${name}/index.ts`, `${name} ${text}`]));
    await bench.publish(files("1"));
    await bench.rest(() => {
      for (const name of names) bench.fn(name, { path: `functions/${name}` });
    });
    expect(names.map((name) => bench.ready(name))).toEqual(names.map(() => READY_NOW));
    expect(await bench.writes()).toHaveLength(12);
    await bench.rest(() => bench.publish({ ...files("1"), "functions/fn-3/index.ts": "changed" }), 60_000);
    expect(await bench.writes()).toEqual(["functions.deploy"]);
    expect(names.map((name) => bench.ready(name))).toEqual(names.map(() => READY_NOW));
  });
});
