import type { Mutant } from "../mutant.ts";

const HEALTH = "src/runtime/health.ts";
const KUBERNETES = "src/cli/kubernetes.ts";
const KUBERNETES_TEST = "src/cli/kubernetes.loopback.test.ts";

/** engine.md §8: times and places of the lease, what the probes fail for, and Secrets that are read when needed. Part of the section of the process. */
export const probes: readonly Mutant[] = [
  ...[
    { name: "lease-tried-every-eight-seconds", find: "retryMs: 2_000", replace: "retryMs: 8_000" },
    {
      name: "lease-renewed-within-fourteen-seconds",
      find: "renewDeadlineMs: 10_000",
      replace: "renewDeadlineMs: 14_000",
    },
  ].map((mutant) => ({
    ...mutant,
    promise: "leases (15 s / 10 s / 2 s)",
    file: "src/runtime/leader-election.ts",
    killer: { project: "unit" as const, files: ["src/runtime/leader-election.test.ts"] as const },
  })),
  {
    name: "one-lease-for-all-scopes",
    promise: "leases, one per watched scope: installs of different namespaces do not wait for each other",
    file: KUBERNETES,
    find: 'return `${PROGRAM}-${createHash("sha256").update(scope).digest("hex").slice(0, 8)}`;',
    replace: 'return createHash("sha256").update(scope).digest("hex") === "" ? "" : PROGRAM;',
    killer: { project: "unit", files: ["src/cli/kubernetes.test.ts"] },
  },
  {
    name: "namespaced-install-without-a-lease-of-its-own",
    promise: "a namespaced install has its own, in its own namespace",
    file: KUBERNETES,
    find: 'flags.watchNamespace.length === 0 ? "kube-system" : flags.operatorNamespace',
    replace: '"kube-system"',
    killer: { project: "loopback", files: [KUBERNETES_TEST], only: "is a namespaced install's own" },
  },
  {
    name: "place-of-the-lease-ignored",
    promise: "--leader-election-namespace says where the lease lies",
    file: KUBERNETES,
    find: "namespace: flags.leaderElectionNamespace ?? own }",
    replace: "namespace: own }",
    killer: { project: "loopback", files: [KUBERNETES_TEST], only: "lies where it is told to" },
  },
  {
    name: "alive-though-its-loop-is-blocked",
    promise: "/healthz fails when the event loop is stuck",
    file: HEALTH,
    find: "const url = await server.listen({ host, port });",
    replace: [
      "await server.listen({ host, port });",
      '  const { Worker } = await import("node:worker_threads");',
      "  const told = \"require('node:worker_threads').parentPort.postMessage(this.address().port)\";",
      "  const code = `require('node:http').createServer((_, to) => to.end('ok')).listen(0, '127.0.0.1', function () { ${told}; })`;",
      "  const worker = new Worker(code, { eval: true });",
      "  worker.unref();",
      '  const url = `http://127.0.0.1:${await new Promise((resolve) => worker.once("message", resolve))}`;',
    ].join("\n"),
    killer: {
      project: "loopback",
      files: ["src/runtime/health.loopback.test.ts"],
      only: "answers nothing while the event loop is blocked",
    },
  },
  {
    name: "ended-for-a-platform-that-is-down",
    promise: "/healthz never fails because the API is down",
    file: "src/cli/operator.ts",
    find: "liveness: () => manager.liveness(),",
    replace: [
      "liveness: () => [",
      "      ...manager.liveness(),",
      '      ...stores.objects.connections.reader.list().filter((one) => JSON.stringify(one).includes("ServerUnavailable")).map(() => "no platform"),',
      "    ],",
    ].join("\n"),
    killer: { project: "e2e", files: ["test/e2e/stopping.e2e.test.ts"], only: "tell the truth at each step" },
  },
  {
    name: "secret-kept-once-it-was-read",
    promise: "Kubernetes Secrets are read by name when needed",
    file: "src/controllers/shared/core-objects.ts",
    find: [
      "export function readSecret(kube: KubeClient, place: ObjectPlace, signal: AbortSignal): Promise<CoreSecret | undefined> {",
      "  return read(kube,",
    ].join("\n"),
    replace: [
      "const seen = new Map<string, Promise<CoreSecret | undefined>>();",
      "export function readSecret(kube: KubeClient, place: ObjectPlace, signal: AbortSignal): Promise<CoreSecret | undefined> {",
      "  const of = `${place.namespace}/${place.name}`;",
      "  const known = seen.get(of);",
      "  if (known === undefined) seen.set(of, reading(kube, place, signal));",
      "  return known ?? reading(kube, place, signal);",
      "}",
      "function reading(kube: KubeClient, place: ObjectPlace, signal: AbortSignal): Promise<CoreSecret | undefined> {",
      "  return read(kube,",
    ].join("\n"),
    killer: { project: "loopback", files: ["src/controllers/secret/edit-died.loopback.test.ts"] },
  },
];
