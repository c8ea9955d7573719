/**
 * test/support/control-plane: a real Kubernetes control plane (etcd, kube-apiserver, kube-controller-manager; no nodes) in a temporary
 * folder on loopback ports, for tests and the demo; and the choice of another cluster instead (cluster.ts). Nothing here knows our
 * kinds or the operator.
 */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureTools } from "../../../tools/build.ts";
import type { Layout } from "./arguments.ts";
import { apiserverArguments, controllerManagerArguments, etcdArguments, etcdUrl, files } from "./arguments.ts";
import { compact, isMember } from "./etcd.ts";
import { Guard } from "./guard.ts";
import { kubeconfig } from "./kubeconfig.ts";
import { statusOf, waitUntilReady } from "./poll.ts";
import type { Ports } from "./ports.ts";
import { freePorts } from "./ports.ts";
import { Program, StartError } from "./program.ts";

const startDeadlineMs = 60_000;
const attempts = 5;

/** The programs of a control plane. */
export type Part = "etcd" | "kube-apiserver" | "kube-controller-manager";

/** How a control plane is started; without options it is what tests usually want. */
export interface ControlPlaneOptions {
  /** False: watches come from etcd itself, so that compactEtcd ends them with a 410. True by default, as in real clusters. */
  readonly watchCache?: boolean;
  /** True: kube-apiserver logs every request to `auditLogPath`. */
  readonly audit?: boolean;
  /** More arguments for a program. */
  readonly extraArguments?: Readonly<Partial<Record<Part, readonly string[]>>>;
  /** Chooses the ports of an attempt (counted from 0); free ones by default. */
  readonly allocatePorts?: (attempt: number) => Promise<Ports>;
}

/** A control plane that runs until `stop`, or until this process ends in whatever way. */
export interface ControlPlane extends AsyncDisposable {
  /** Kubeconfig of an administrator. */
  readonly kubeconfigPath: string;
  /** Base URL of kube-apiserver. */
  readonly server: string;
  /** PEM of the certificate to trust. */
  readonly ca: string;
  /** Bearer token of the administrator. */
  readonly token: string;
  /** Temporary folder with data, logs and kubeconfig; `stop` removes it. */
  readonly dir: string;
  readonly ports: Ports;
  /** Where the requests are logged, with the option `audit`. */
  readonly auditLogPath: string;
  /** Process ids of the programs that run, and of the watchdog. */
  pids(): readonly number[];
  /** What a program logged so far. */
  log(part: Part): string;
  /** Sends a signal to kube-apiserver (SIGKILL by default) and resolves when it has ended. */
  killApiserver(signal?: NodeJS.Signals): Promise<void>;
  /** Starts kube-apiserver again, on the same port and data; resolves when it is ready. */
  startApiserver(): Promise<void>;
  /** Ends kube-apiserver as an upgrade would (SIGTERM) and starts it again. */
  restartApiserver(): Promise<void>;
  /**
   * Makes etcd forget all but the current revision, which it returns. A watch from an earlier one gets 410 when it begins after
   * restartApiserver (its cache begins anew), or at once with the option `watchCache: false`.
   */
  compactEtcd(): Promise<number>;
  /** Ends everything and removes the folder. Idempotent. */
  stop(): Promise<void>;
}

/** Everything that is logged, without bodies: enough to tell who asked for what. */
const auditPolicy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [{ level: "Metadata" }],
};

function writeKeysAndTokens(dir: string, token: string): void {
  const file = files(dir);
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const secret = { mode: 0o600 };
  writeFileSync(file.signingKey, keys.privateKey.export({ type: "sec1", format: "pem" }), secret);
  writeFileSync(file.publicKey, keys.publicKey.export({ type: "spki", format: "pem" }));
  writeFileSync(file.tokens, `${token},admin,admin,system:masters\n`, secret);
  writeFileSync(file.auditPolicy, JSON.stringify(auditPolicy));
}

class LocalControlPlane implements ControlPlane {
  readonly kubeconfigPath: string;
  readonly auditLogPath: string;
  readonly server: string;
  readonly token = randomBytes(16).toString("hex");
  readonly dir: string;
  readonly ports: Ports;
  readonly #guard = new Guard();
  readonly #layout: Layout;
  readonly #options: ControlPlaneOptions;
  readonly #programs = new Map<Part, Program>();
  #stopped: Promise<void> | undefined;

  constructor(ports: Ports, options: ControlPlaneOptions) {
    this.ports = ports;
    this.#options = options;
    this.dir = mkdtempSync(join(tmpdir(), "control-plane-"));
    this.#guard.tell({ remove: this.dir });
    this.#layout = {
      dir: this.dir,
      ports,
      member: `m-${randomBytes(6).toString("hex")}`,
      watchCache: options.watchCache ?? true,
      audit: options.audit ?? false,
    };
    this.server = `https://127.0.0.1:${ports.apiserver}`;
    this.kubeconfigPath = files(this.dir).kubeconfig;
    this.auditLogPath = files(this.dir).auditLog;
  }

  get ca(): string {
    return readFileSync(files(this.dir).ca, "utf8");
  }

  pids(): readonly number[] {
    const running = [...this.#programs.values()].filter((program) => !program.hasExited).map((program) => program.pid);
    return [...running, this.#guard.pid].filter((pid) => pid !== undefined);
  }

  log(part: Part): string {
    return this.#programs.get(part)?.log() ?? "";
  }

  async start(): Promise<void> {
    writeKeysAndTokens(this.dir, this.token);
    const etcd = this.#run("etcd", etcdArguments(this.#layout));
    await waitUntilReady({
      programs: [etcd],
      isReady: () => isMember(etcdUrl(this.ports), this.#layout.member),
      deadlineMs: startDeadlineMs,
    });
    const apiserver = this.#run("kube-apiserver", apiserverArguments(this.#layout));
    await this.#waitForApiserver([etcd, apiserver]);
    writeFileSync(this.kubeconfigPath, kubeconfig(this), { mode: 0o600 });
    // Not earlier: it would find no server and look again only a second later.
    const controllers = this.#run("kube-controller-manager", controllerManagerArguments(this.#layout));
    await waitUntilReady({
      programs: [etcd, apiserver, controllers],
      // The first thing that the controllers do for a namespace.
      isReady: () => this.#answers("/api/v1/namespaces/default/serviceaccounts/default"),
      deadlineMs: startDeadlineMs,
    });
  }

  async killApiserver(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    await this.#programs.get("kube-apiserver")?.kill(signal);
  }

  async startApiserver(): Promise<void> {
    await this.#waitForApiserver([this.#run("kube-apiserver", apiserverArguments(this.#layout))]);
  }

  async restartApiserver(): Promise<void> {
    await this.killApiserver("SIGTERM");
    await this.startApiserver();
  }

  compactEtcd(): Promise<number> {
    return compact(etcdUrl(this.ports));
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    await Promise.all([...this.#programs.values()].map((program) => program.stop()));
    rmSync(this.dir, { recursive: true, force: true });
    await this.#guard.release();
  }

  #run(part: Part, args: readonly string[]): Program {
    const extra = this.#options.extraArguments?.[part] ?? [];
    const program = new Program({ name: part, args: [...args, ...extra], dir: this.dir, guard: this.#guard });
    this.#programs.set(part, program);
    return program;
  }

  #waitForApiserver(programs: readonly Program[]): Promise<void> {
    return waitUntilReady({ programs, isReady: () => this.#answers("/readyz"), deadlineMs: startDeadlineMs });
  }

  async #answers(path: string): Promise<boolean> {
    return (await statusOf(this, path)) === 200;
  }
}

/**
 * Starts a control plane; building its programs first when they are missing. Several may run side by side. When another process takes
 * one of the ports first, it is tried again with others.
 *
 * @throws StartError with the last log lines of the program at fault
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  await ensureTools({ names: ["etcd", "kube-apiserver", "kube-controller-manager", "kubectl"] });
  const allocatePorts = options.allocatePorts ?? freePorts;
  for (let attempt = 0; ; attempt += 1) {
    const controlPlane = new LocalControlPlane(await allocatePorts(attempt), options);
    try {
      await controlPlane.start();
      return controlPlane;
    } catch (error) {
      await controlPlane.stop();
      const again = error instanceof StartError && error.portClash && attempt + 1 < attempts;
      if (!again) throw error;
    }
  }
}
