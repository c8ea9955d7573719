import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ConnectionBench, openConnectionBench } from "../../../test/support/controllers/connection-bench.ts";

/** What is wrong with the file of the operator's own token says nothing of the Secret of an app's client secret. */

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

describe("a Secret under deletion whose value only goes with the operator's own token", () => {
  let bench: ConnectionBench;
  let folder: string;

  beforeEach(async () => {
    bench = await openConnectionBench();
    folder = await mkdtemp(join(tmpdir(), "own-token-"));
  });

  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  it.each<{
    readonly why: string;
    readonly file?: string;
    readonly namespaces?: readonly string[];
    readonly key?: string;
    readonly held: boolean;
  }>([
    { why: "that is half written", file: "eyJhbGciOi", namespaces: ["ns"], held: true },
    { why: "that is not written yet", namespaces: ["ns"], held: true },
    { why: "the operator has none yet", held: true },
    { why: "its namespace may not use that yet", namespaces: [], held: true },
    { why: "it has not the key that is named", file: "eyJhbGciOi", namespaces: ["ns"], key: "other", held: false },
  ])("is held after 30 s: $held, since $why", async ({ file, namespaces, key = "token", held }) => {
    const tokenFile = join(folder, "token");
    if (file !== undefined) await writeFile(tokenFile, file);
    const clientSecret = { secretRef: { name: "token", key } };
    bench.putSecret("token", { deletedForMs: 30 * SECOND_MS });
    bench.putConnection("default", {
      spec: { baseUrl: "http://127.0.0.1:1", workloadIdentity: { clientId: "app", clientSecret } },
    });
    bench.putDependent("15m", MINUTE_MS);
    await bench.look("default", true, { tokenFile, namespaces });
    expect(bench.guarded("token")).toBe(held);
  });
});
