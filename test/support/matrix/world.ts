import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../../src/base/clock.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { silentMeter } from "../../../src/base/meter.ts";
import { namespaceType } from "../../../src/controllers/shared/core-types.ts";
import { type Emulator, startEmulator } from "../../../src/emulator/emulator.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { createKubeClient } from "../../../src/kube/client-requests.ts";
import { leaseType } from "../../../src/kube/leases.ts";
import { createKubeTransport } from "../../../src/kube/transport.ts";
import { ArtifactServer, type Published } from "../artifacts/server.ts";
import { startControlPlane } from "../control-plane/control-plane.ts";
import { kubeconfig } from "../control-plane/kubeconfig.ts";
import { bundle } from "../programs/bundle.ts";
import { applyDefinitions } from "../programs/definitions.ts";
import { Child } from "./child.ts";
import { deleteIfThere } from "./delete-if-there.ts";
import type { OfFamily } from "./gate.ts";
import { type HttpRelay, startHttpRelay } from "./relay.ts";
import { Traffic } from "./traffic.ts";

/**
 * test/support/matrix: the operator as a process that ends at any moment of its requests to any server. This file: what outlasts its
 * lives, namely a control plane, the emulator, a server of Flux's artifacts, a relay before each of them, and time, which operator and emulator share
 * and which goes on by itself only while no server has anything to do.
 */

const crds = fileURLToPath(new URL("../../../crds", import.meta.url));
const fluxCrds = fileURLToPath(new URL("../flux/crds.yaml", import.meta.url));
const LEASE = { namespace: "kube-system", name: "baas-operator" };
const OPERATOR_NAMESPACE = "matrix-operator";

/** For how long both servers must have been idle before time goes on, milliseconds of the machine. */
const QUIET_MS = 25;
/** How far it then goes on, milliseconds. */
const STEP_MS = 2000;
/** For how long nothing may have arrived for no run to be under way but those that are held, or wait for time, milliseconds of the machine. */
const STILL_MS = 500;
/** `terminationGracePeriodSeconds` of the chart, milliseconds. */
const GRACE_MS = 45_000;

interface Parts {
  readonly stack: AsyncDisposableStack;
  readonly emulator: Emulator;
  readonly kube: KubeClient;
  readonly traffic: Traffic;
  readonly platformUrl: string;
  readonly artifacts: { readonly server: ArtifactServer; readonly relay: HttpRelay };
  readonly kubeconfigPath: string;
  /** main file of what a life runs */
  readonly program: string;
  readonly time: Time;
}

/** How far driven time is ahead of the machine's. */
interface Time {
  aheadMs: number;
}

/** What differs between lives. */
export interface LifeOptions {
  readonly leaderElect?: boolean;
}

export class World implements AsyncDisposable {
  readonly emulator: Emulator;
  /** as an administrator, past the relay */
  readonly kube: KubeClient;
  readonly traffic: Traffic;
  /** base URL of the platform, through the relay */
  readonly platformUrl: string;
  readonly #parts: Parts;
  readonly #ended = new AbortController();
  readonly #pumping: Promise<void>;
  #child: Child | undefined;
  /** whether its end is what the test is about */
  #isEnding = false;
  /** time goes on by itself */
  #isPumped = true;
  /** what ended lives logged */
  #logs = "";

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.emulator = parts.emulator;
    this.kube = parts.kube;
    this.traffic = parts.traffic;
    this.platformUrl = parts.platformUrl;
    this.#pumping = this.#pump();
  }

  static async open(): Promise<World> {
    await using stack = new AsyncDisposableStack();
    const plane = stack.use(await startControlPlane());
    await applyDefinitions(plane, crds, fluxCrds);
    const emulator = await startEmulator({ tokens: ["matrix-owner"] });
    stack.defer(() => emulator.stop());
    const time: Time = { aheadMs: 0 };
    const director = new Traffic(() => systemClock.monotonic() + time.aheadMs);
    const { server: target, ca, token } = plane;
    const kubernetes = stack.use(await startHttpRelay({ server: "kubernetes", target, ca, director }));
    const platform = stack.use(await startHttpRelay({ server: "platform", target: emulator.url, director }));
    const server = stack.use(await ArtifactServer.start());
    const relay = stack.use(await startHttpRelay({ server: "artifacts", target: server.url, director }));
    const { file: program } = stack.use(await bundle("test/support/matrix/operator.fixture.ts"));
    const directory = mkdtempSync(join(tmpdir(), "matrix-"));
    stack.defer(() => rmSync(directory, { recursive: true, force: true }));
    const kubeconfigPath = join(directory, "kubeconfig");
    writeFileSync(kubeconfigPath, kubeconfig({ server: kubernetes.url, ca, token }), { mode: 0o600 });
    const common = { clock: systemClock, log: silentLogger };
    const kubeConfig = { kind: "file", path: plane.kubeconfigPath } as const;
    const transport = createKubeTransport({ kubeConfig, meter: silentMeter, ...common });
    stack.defer(() => transport.close());
    const kube = createKubeClient({ transport, random: Math.random, ...common });
    await kube.create(namespaceType, { apiVersion: "v1", kind: "Namespace", metadata: { name: OPERATOR_NAMESPACE } });
    const { url: platformUrl } = platform;
    const artifacts = { server, relay };
    const parts = { emulator, kube, traffic: director, platformUrl, artifacts, kubeconfigPath, program, time };
    return new World({ ...parts, stack: stack.move() });
  }

  /** Puts an archive of these files where the operator gets it through the relay. */
  publish(family: string, files: Readonly<Record<string, string>>): Published {
    const { server, relay } = this.#parts.artifacts;
    const published = server.publish(files, family);
    return { ...published, url: published.url.replace(server.url, relay.url) };
  }

  /** Begins a life, and resolves when it is ready. */
  async live({ leaderElect = false }: LifeOptions = {}): Promise<void> {
    // A life that was killed has not given it back; its time is not what is waited for here.
    if (leaderElect) await deleteIfThere(this.kube, leaseType, LEASE);
    const child = await Child.start({
      program: this.#parts.program,
      kubeconfigPath: this.#parts.kubeconfigPath,
      operatorNamespace: OPERATOR_NAMESPACE,
      leaderElect,
      aheadMs: this.#parts.time.aheadMs,
    });
    this.#child = child;
    this.#isEnding = false;
    if (leaderElect) void child.exited.then(() => this.#revive(child));
  }

  /** A busy machine may take the lease from a life that nobody ends: as a Pod, it comes again. */
  async #revive(child: Child): Promise<void> {
    if (this.#child !== child || this.#isEnding || this.#ended.signal.aborted) return;
    this.#buried();
    await this.live({ leaderElect: true }).catch((error: unknown) => (this.#logs += String(error)));
  }

  /** Ends the life at once. What was held of its requests never goes on. */
  async kill(): Promise<void> {
    this.#isEnding = true;
    await this.#child?.kill();
    this.#buried();
  }

  /**
   * Gives the lease to somebody else, waits until the life has ended for that by itself, and gives the lease free.
   *
   * @throws Error when it ended as if nothing were wrong
   */
  async loseLease(): Promise<void> {
    this.#isEnding = true;
    const spec = { holderIdentity: "somebody-else", leaseDurationSeconds: 15, renewTime: new Date().toISOString() };
    await this.kube.patchMerge(leaseType, LEASE, { spec: { ...spec, renewTime: spec.renewTime.replace("Z", "000Z") } });
    const exit = await this.#child?.exited;
    this.#buried();
    if (exit?.code === 0 || exit?.signal !== null) throw new Error(`a lost lease ended in ${JSON.stringify(exit)}`);
    await this.kube.delete(leaseType, LEASE);
  }

  /**
   * Asks the life to end, and looks that nothing new begins: everything that it waits for is held, so that whatever arrives then is of a run that was not under
   * way. Then what is under way goes on to its end.
   *
   * @param people what they do right before it is asked, and once it has heard
   * @returns what began after it was asked
   * @throws Error when it did not end well, or within its grace time
   */
  async stop(people: { before(): Promise<void>; heard(): void }): Promise<readonly OfFamily[]> {
    this.#isEnding = true;
    this.#isPumped = false;
    await this.#still();
    this.traffic.abandonedIn.clear();
    await people.before();
    await this.#still();
    const child = this.#child;
    await child?.terminate(GRACE_MS);
    people.heard();
    // What it had begun when it heard is on its way: time, which goes on in it, may have begun something at the last moment.
    await this.#hadTurns();
    this.traffic.arrived = [];
    await this.#quiet(STILL_MS);
    // A run that was given no answer for too long goes on, and was under way before.
    const begun = this.traffic.arrived.filter(({ family }) => !this.traffic.abandonedIn.has(family));
    this.traffic.goOn();
    this.#isPumped = true;
    const exit = await child?.exited;
    this.#buried();
    if (exit?.code !== 0) throw new Error(`a life that was asked to end ended in ${JSON.stringify(exit)}`);
    return begun;
  }

  /** Resolves when whatever is under way is held: what waits for time within a run waits for less than a step, and asks for something then. */
  async #still(): Promise<void> {
    await this.#quiet(STILL_MS);
    if (this.#child !== undefined) await this.#step(this.#child);
    await this.#quiet(STILL_MS);
  }

  /** Resolves when nothing has arrived at either server for a while in which the operator had turns: on a busy machine it may have none for long. */
  async #quiet(ms: number): Promise<void> {
    for (let count = -1; count !== this.traffic.arrived.length || this.traffic.quietMs < ms;) {
      count = this.traffic.arrived.length;
      await wait(ms);
      await this.#hadTurns();
    }
  }

  /** Resolves when the operator has done what it could do at once: in the second turn what the first one found ready. */
  async #hadTurns(): Promise<void> {
    for (let turns = 0; turns < 2; turns += 1) await this.#child?.advance(0);
  }

  /** What this life and those before it logged of a namespace. */
  logsOf(namespace: string): string {
    const lines = `${this.#logs}${this.#child?.logs ?? ""}`.split("\n");
    return lines.filter((line) => line.includes(`"${namespace}"`)).join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    await this.kill();
    await this.#pumping;
    await this.#parts.stack.disposeAsync();
  }

  #buried(): void {
    this.#logs += this.#child?.logs ?? "";
    this.#child = undefined;
    this.traffic.letGo();
  }

  /** Lets time go on whenever nothing else does. */
  async #pump(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      await wait(QUIET_MS / 2);
      // One that is started from here on begins with the new time.
      const child = this.#child;
      if (!this.#isPumped || child === undefined || this.traffic.quietMs < QUIET_MS) continue;
      await this.#step(child);
    }
  }

  async #step(child: Child): Promise<void> {
    this.#parts.time.aheadMs += STEP_MS;
    await this.emulator.control.time.advance({ ms: STEP_MS });
    await child.advance(STEP_MS);
    await this.traffic.deliver();
  }
}
