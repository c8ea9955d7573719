import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Emulator, startEmulator } from "../../../src/emulator/emulator.ts";
import { type ControlPlane, startControlPlane } from "../control-plane/control-plane.ts";
import { kubeconfig } from "../control-plane/kubeconfig.ts";
import { type Answer, type Asked, type Director, type Reply, startHttpRelay, type Watch } from "../matrix/relay.ts";
import type { Exit } from "../operator/process.ts";
import { applyDefinitions } from "../programs/definitions.ts";
import { kubectl } from "../programs/kubectl.ts";
import { succeeded } from "../programs/run.ts";
import { eventually } from "../stage/eventually.ts";

/**
 * test/support/stopping: `baas run` between a real control plane and the emulator, with a relay before each that notes every request with
 * its time and keeps those that it is told to.
 */

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const crds = join(repository, "crds");
const API = "baas.dev/v1alpha1";
/** Path of the leases where the operator's lies. */
export const LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

/** A request as it arrived at either relay. Watches are not among them. */
export interface Noted {
  /** method and path without query, as "PATCH /apis/baas.dev/v1alpha1/namespaces/a/projects/b" */
  readonly label: string;
  /** on the test's monotonic clock, milliseconds */
  readonly atMs: number;
}

/** Where a request is kept: it has no effect yet, or its effect is there and its answer is not. */
type Phase = "before" | "after";

/** Notes what arrives and keeps what matches, until it is let go. */
class Noting implements Director {
  readonly requests: Noted[] = [];
  readonly #traps = new Set<{ readonly matches: RegExp; readonly phase: Phase; readonly caught: () => void }>();
  readonly #watches = new Set<Watch>();
  /** what of the next watch's path tells that it is to be refused */
  #expired: string | undefined;
  #thaw = Promise.withResolvers<void>();

  /** Keeps every request that matches from now on. @returns when the first one is kept */
  keep(matches: RegExp, phase: Phase): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#traps.add({ matches, phase, caught: resolve });
    return promise;
  }

  /** Lets go of what is kept, and keeps nothing any more. */
  letGo(): void {
    this.#traps.clear();
    this.#thaw.resolve();
    this.#thaw = Promise.withResolvers<void>();
  }

  async handle({ method, path }: Asked, forward: () => Promise<Answer>): Promise<Reply> {
    const label = `${method} ${path.split("?")[0] ?? ""}`;
    this.requests.push({ label, atMs: performance.now() });
    const trap = [...this.#traps].find(({ matches }) => matches.test(label));
    if (trap === undefined) return forward();
    const thawed = this.#thaw.promise;
    const answer = trap.phase === "after" ? await forward() : undefined;
    trap.caught();
    await thawed;
    return answer ?? forward();
  }

  answered(): void {}

  /** Breaks the watches whose path has this in it; the next one is told that its version is too old, so that a list has to come. */
  expire(path: string): void {
    this.#expired = path;
    for (const watch of this.#watches) if (watch.path.includes(path)) watch.cut();
  }

  watch({ path }: Watch): Reply | undefined {
    if (this.#expired === undefined || !path.includes(this.#expired)) return undefined;
    this.#expired = undefined;
    const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Expired", code: 410 };
    return { status: 410, headers: { "content-type": "application/json" }, body: Buffer.from(JSON.stringify(status)) };
  }

  watched(watch: Watch, what: "begun" | "over" | Uint8Array): void {
    if (what === "begun") this.#watches.add(watch);
    if (what === "over") this.#watches.delete(watch);
  }
}

/** One process of the operator. */
export interface Process {
  readonly exited: Promise<Exit>;
  logs(): string;
  /** @returns when it was asked to stop, on the test's monotonic clock */
  terminate(): number;
  /** Stops it as a debugger or a frozen machine does, until `resume`. */
  suspend(): void;
  resume(): void;
}

export class Between implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly emulator: Emulator;
  readonly traffic: Noting;
  /** base URL of the platform, through its relay */
  readonly platformUrl: string;
  readonly #kubeconfigPath: string;
  readonly #stack: AsyncDisposableStack;
  readonly #children: ChildProcess[] = [];
  #serial = 0;

  private constructor(parts: {
    readonly plane: ControlPlane;
    readonly emulator: Emulator;
    readonly traffic: Noting;
    readonly platformUrl: string;
    readonly kubeconfigPath: string;
    readonly stack: AsyncDisposableStack;
  }) {
    this.plane = parts.plane;
    this.emulator = parts.emulator;
    this.traffic = parts.traffic;
    this.platformUrl = parts.platformUrl;
    this.#kubeconfigPath = parts.kubeconfigPath;
    this.#stack = parts.stack;
  }

  static async open(): Promise<Between> {
    await using stack = new AsyncDisposableStack();
    const plane = stack.use(await startControlPlane());
    await applyDefinitions(plane, crds);
    succeeded(await kubectl(plane, ["create", "namespace", "baas-system"]));
    const emulator = await startEmulator({ tokens: ["token"], speed: 100 });
    stack.defer(() => emulator.stop());
    const traffic = new Noting();
    const { server: target, ca, token } = plane;
    const kubernetes = stack.use(await startHttpRelay({ server: "kubernetes", target, ca, director: traffic }));
    const platform = stack.use(await startHttpRelay({ server: "platform", target: emulator.url, director: traffic }));
    const directory = mkdtempSync(join(tmpdir(), "stopping-"));
    stack.defer(() => rmSync(directory, { recursive: true, force: true }));
    const kubeconfigPath = join(directory, "kubeconfig");
    writeFileSync(kubeconfigPath, kubeconfig({ server: kubernetes.url, ca, token }), { mode: 0o600 });
    return new Between({ plane, emulator, traffic, platformUrl: platform.url, kubeconfigPath, stack: stack.move() });
  }

  /** Ends what runs, and takes away whatever a later process would work on. */
  async clear(): Promise<void> {
    this.traffic.letGo();
    for (const child of this.#children.splice(0)) child.kill("SIGKILL");
    const path = "jsonpath={range .items[*]}{.metadata.namespace} {.metadata.name}{'\\n'}{end}";
    const all = succeeded(await kubectl(this.plane, ["get", "projects", "--all-namespaces", `--output=${path}`]));
    for (const [namespace = "", name = ""] of all
      .trim()
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split(" "))) {
      const project = [`--namespace=${namespace}`, "patch", "project", name, "--type=merge"];
      succeeded(await kubectl(this.plane, [...project, `--patch={"metadata":{"finalizers":null}}`]));
    }
    succeeded(await kubectl(this.plane, ["delete", "projects", "--all", "--all-namespaces"]));
    const lease = ["--namespace=kube-system", "delete", "lease", "baas-operator", "--ignore-not-found"];
    succeeded(await kubectl(this.plane, lease));
    this.traffic.requests.length = 0;
  }

  /** Starts the operator; ends with this. */
  start(...flags: readonly string[]): Process {
    return this.startWith({}, ...flags);
  }

  /**
   * The same.
   *
   * @param options.preload JavaScript that is run before the program, within it
   * @param options.cwd the folder that it runs in
   */
  startWith(
    { preload, cwd = repository }: { readonly preload?: string; readonly cwd?: string },
    ...flags: readonly string[]
  ): Process {
    const common = ["--kubeconfig", this.#kubeconfigPath, "--operator-namespace", "baas-system"];
    const before = preload === undefined ? [] : ["--import", `data:text/javascript,${encodeURIComponent(preload)}`];
    const run = [...before, join(repository, "src/main.ts"), "run", ...common];
    const args = [...run, "--health-address", "127.0.0.1:0", "--log-level", "debug", ...flags];
    const child = spawn(process.execPath, args, {
      cwd,
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    });
    this.#children.push(child);
    return processOf(child);
  }

  /** Waits until the process has logged this. */
  async said(process: Process, text: string): Promise<void> {
    await eventually(
      () => `"${text}" in ${process.logs()}`,
      async () => (process.logs().includes(text) ? true : undefined),
    );
  }

  /** A namespace with a Connection, and Projects that are to be made. */
  async projects(...names: readonly string[]): Promise<string> {
    const namespace = `stopping-${(this.#serial += 1)}`;
    succeeded(await kubectl(this.plane, ["create", "namespace", namespace]));
    const at = (name: string) => ({ name, namespace });
    const token = { secretRef: { name: "token" } };
    await this.apply(
      { apiVersion: "v1", kind: "Secret", metadata: at("token"), stringData: { token: "token" } },
      { apiVersion: API, kind: "Connection", metadata: at("default"), spec: { baseUrl: this.platformUrl, token } },
      ...names.map((name) => {
        // What earlier tests left on the platform has other names.
        const spec = { organization: "acme", name: `${namespace}-${name}` };
        return { apiVersion: API, kind: "Project", metadata: at(name), spec };
      }),
    );
    return namespace;
  }

  /** A connection to a platform that is down, once it says so. */
  async unreachable(namespace: string): Promise<void> {
    const metadata = { name: "down", namespace };
    const spec = { baseUrl: "http://127.0.0.1:1", token: { secretRef: { name: "token" } } };
    await this.apply({ apiVersion: API, kind: "Connection", metadata, spec });
    const says = "--for=jsonpath={.status.conditions[?(@.type=='Ready')].reason}=ServerUnavailable";
    const args = [`--namespace=${namespace}`, "wait", "connection/down", says, "--timeout=60s"];
    succeeded(await kubectl(this.plane, args));
  }

  /** Somebody writes themselves into the lease, whatever it says. */
  async takeLease(identity: string): Promise<void> {
    const renewTime = new Date().toISOString().replace("Z", "000Z");
    const spec = { holderIdentity: identity, leaseDurationSeconds: 15, renewTime };
    const metadata = { name: "baas-operator", namespace: "kube-system" };
    await this.apply({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec });
  }

  /** Objects, applied past the relay. */
  async apply(...items: readonly object[]): Promise<void> {
    const stdin = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    succeeded(await kubectl(this.plane, ["apply", "-f", "-"], { stdin }));
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.traffic.letGo();
    for (const child of this.#children) child.kill("SIGKILL");
    return this.#stack.disposeAsync();
  }
}

function processOf(child: ChildProcess): Process {
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void (output += text));
  return {
    exited: new Promise((resolve) => child.once("close", (code, signal) => resolve({ code, signal }))),
    logs: () => output,
    terminate: () => {
      const atMs = performance.now();
      child.kill("SIGTERM");
      return atMs;
    },
    suspend: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
  };
}
