import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, it } from "vitest";
import { KubeServer } from "../../test/support/kube-server/kube-server.ts";
import { kubeconfigText } from "../../test/support/kube-server/kubeconfig.ts";
import { runProgram } from "./program.ts";

const namespaceObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "baas-system", resourceVersion: "1", uid: "n" },
};

let server: KubeServer;
let folder: string;

beforeEach(async () => {
  server = await KubeServer.start();
  folder = mkdtempSync(join(tmpdir(), "cleanup-"));
});

afterEach(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

it("says for whom it waits, and that nothing was done when it is ended meanwhile", async () => {
  const config = join(folder, "config");
  writeFileSync(config, kubeconfigText({ server: server.url }));
  const [stdout, stderr, stop] = [new PassThrough().resume(), new PassThrough(), new AbortController()];
  const args = ["cleanup", "--kubeconfig", config, "--operator-namespace", "baas-system", "--log-level", "silent"];
  const ended = runProgram(args, { env: {}, stdout, stderr, signal: stop.signal });
  (await server.next()).json(200, namespaceObject);
  const spec = { holderIdentity: "pod-7_abc", leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.000000Z" };
  const metadata = { name: "baas-operator", namespace: "kube-system", resourceVersion: "1", uid: "l" };
  (await server.next()).json(200, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec });
  const [said] = await once(stderr, "data");
  expect(String(said)).toBe(
    "waiting up to 30 s for the operator pod-7_abc, which holds the lease, to end: uninstall it first, or end this with Ctrl-C\n",
  );
  stop.abort(new Error("SIGINT"));
  expect(await ended).toBe(1);
  expect(String(stderr.read())).toBe("baas: ended before it held the lease: no finalizer was taken off\n");
});

it("is refused for a namespace that does not exist: nothing there was the operator's", async () => {
  const config = join(folder, "config");
  writeFileSync(config, kubeconfigText({ server: server.url }));
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  const args = ["cleanup", "--kubeconfig", config, "--operator-namespace", "nope", "--log-level", "silent"];
  const ended = runProgram(args, { env: {}, stdout, stderr, signal });
  const asked = await server.next();
  expect(asked.path).toBe("/api/v1/namespaces/nope");
  asked.failure(404, "NotFound");
  expect(await ended).toBe(2);
  expect(String(stderr.read())).toBe(
    "baas: --operator-namespace: there is no namespace nope: create it, or name another one\n",
  );
  expect(stdout.read()).toBeNull();
});
