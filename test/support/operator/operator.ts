import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Guard } from "../control-plane/guard.ts";
import { freePort } from "../control-plane/ports.ts";
import type { Target } from "../programs/kubectl.ts";
import type { InstallOptions, Release } from "./chart.ts";
import { deploymentOf, installChart } from "./chart.ts";
import type { PodProcess } from "./pod.ts";
import { podProcess } from "./pod.ts";
import type { Exit } from "./process.ts";
import { Replica } from "./process.ts";

/** How the operator is started; without options it is the chart with its default values, one replica. */
export interface OperatorOptions extends InstallOptions {
  /** Sets the chart's `replicas`, and starts as many processes. */
  readonly replicas?: number;
  /** False: takes the Deployment as it is installed already. */
  readonly install?: boolean;
  /** True: what the replicas write also stands in a file, `logPath`. */
  readonly keepsLog?: boolean;
}

/** An installed operator whose replicas run as processes of this machine. */
export interface OperatorHandle extends AsyncDisposable {
  readonly release: Release;
  /** With the option `keepsLog`: a file with what all replicas wrote, until `stop`. */
  readonly logPath: string | undefined;
  /** Every process that was started, in that order, the ended ones included. */
  readonly replicas: readonly Replica[];
  /** Starts one more process with the Deployment's present arguments, as a node does when a container ended. */
  startReplica(): Promise<Replica>;
  /** Sends a signal (SIGKILL by default) to all that run; resolves when they have ended. They are not started again. */
  kill(signal?: NodeJS.Signals): Promise<readonly Exit[]>;
  /** Kills all that run, reads the Deployment anew and starts as many replicas as it says: what a roll-out does. */
  restart(signal?: NodeJS.Signals): Promise<void>;
  /** What all replicas wrote. */
  logs(): string;
  /** Resolves when every replica that runs answers 200 on /readyz. Rejects with log lines otherwise. */
  waitReady(deadlineMs?: number): Promise<void>;
  /** Ends all replicas gracefully and removes their files. The release stays installed. Idempotent. Rejects when one had to be killed. */
  stop(): Promise<void>;
}

/** The arguments of a Deployment serve probes on an address of the Pod; here several replicas share one machine. */
function onLoopback(process: PodProcess, port: number): PodProcess {
  const at = process.args.indexOf("--health-address");
  if (at < 0) throw new Error("the Deployment passes no --health-address");
  return { ...process, args: process.args.with(at + 1, `127.0.0.1:${port}`) };
}

class InstalledOperator implements OperatorHandle {
  readonly release: Release;
  readonly logPath: string | undefined;
  readonly replicas: Replica[] = [];
  readonly #target: Target;
  readonly #directory = mkdtempSync(join(tmpdir(), "operator-"));
  readonly #guard = new Guard();
  #stopped: Promise<void> | undefined;

  constructor(target: Target, release: Release, keepsLog: boolean) {
    this.#target = target;
    this.release = release;
    this.logPath = keepsLog ? join(this.#directory, "operator.log") : undefined;
    this.#guard.tell({ remove: this.#directory });
  }

  async startReplica(): Promise<Replica> {
    const { metadata, spec } = await deploymentOf(this.#target, this.release);
    const name = `${metadata.name}-${this.replicas.length}`;
    const pod = { name, namespace: metadata.namespace, spec: spec.template.spec };
    const port = await freePort();
    const process = await podProcess(this.#target, pod, join(this.#directory, name));
    const replica = new Replica({
      process: onLoopback(process, port),
      port,
      graceMs: pod.spec.terminationGracePeriodSeconds * 1000,
      guard: this.#guard,
      logPath: this.logPath,
    });
    this.replicas.push(replica);
    return replica;
  }

  async startAll(): Promise<void> {
    const { spec } = await deploymentOf(this.#target, this.release);
    for (let i = 0; i < spec.replicas; i += 1) await this.startReplica();
  }

  kill(signal: NodeJS.Signals = "SIGKILL"): Promise<readonly Exit[]> {
    return Promise.all(this.#running().map((replica) => replica.kill(signal)));
  }

  async restart(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    await this.kill(signal);
    await this.startAll();
  }

  logs(): string {
    return this.replicas.map((replica) => replica.logs()).join("");
  }

  async waitReady(deadlineMs?: number): Promise<void> {
    await Promise.all(this.#running().map((replica) => replica.waitReady(deadlineMs)));
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #running(): readonly Replica[] {
    return this.replicas.filter((replica) => replica.exit === undefined);
  }

  async #stop(): Promise<void> {
    try {
      await Promise.all(this.#running().map((replica) => replica.stop()));
    } finally {
      rmSync(this.#directory, { recursive: true, force: true });
      await this.#guard.release();
    }
  }
}

/**
 * Installs the chart into a cluster with helm and starts the processes that its Deployment describes: the Deployment's own arguments,
 * environment and mounted files, and a token of its ServiceAccount, so that a missing right fails the test. Only the address of the probes
 * is another. Does not wait until they are ready (`waitReady`).
 *
 * @throws Error in helm's or kubectl's words
 */
export async function startOperator(target: Target, options: OperatorOptions = {}): Promise<OperatorHandle> {
  const replicas = options.replicas === undefined ? {} : { replicas: options.replicas };
  const values = { ...options.values, ...replicas };
  const known = { name: options.name ?? "baas-operator", namespace: options.namespace ?? "baas-system" };
  const release = options.install === false ? known : await installChart(target, { ...options, values });
  const operator = new InstalledOperator(target, release, options.keepsLog === true);
  try {
    await operator.startAll();
  } catch (error) {
    await operator.stop();
    throw error;
  }
  return operator;
}
