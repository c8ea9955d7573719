import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { Command } from "commander";
import { createLogger } from "../../../src/cli/logger.ts";
import { operate } from "../../../src/cli/operator.ts";
import { addRunOptions, addScopeOptions, type RunFlags, runFlags } from "../../../src/cli/operator-flags.ts";
import { type Clock, systemClock } from "../../../src/base/clock.ts";
import { silentLogger } from "../../../src/base/log.ts";
import type { KubeClient, WriteObserver } from "../../../src/kube/client.ts";
import { createKubeClient } from "../../../src/kube/client-requests.ts";
import type { KubeTransport } from "../../../src/kube/exchange.ts";
import { leaseType } from "../../../src/kube/leases.ts";
import { collectionPath } from "../../../src/kube/resource-path.ts";
import type { KubeObject, ResourceType } from "../../../src/resources/meta.ts";
import type { ControlPlane } from "../control-plane/control-plane.ts";
import { kubeconfig } from "../control-plane/kubeconfig.ts";
import { freePort } from "../control-plane/ports.ts";
import { deleteIfThere } from "../matrix/delete-if-there.ts";
import { startHttpRelay } from "../matrix/relay.ts";
import { eventually } from "../stage/eventually.ts";
import { shiftedClock, type ShiftedClock } from "../stage/shifted-clock.ts";
import { ClusterTraffic, type Trouble } from "./cluster-traffic.ts";
import type { SharedTime } from "./time.ts";

const LEASE = { namespace: "kube-system", name: "baas-operator" };

/** How often operators are started until there are two: an apiserver that answers nonsense ends some of them as they begin. */
const MOST_STARTS = 50;
/** Log lines that are kept, to be shown when something is wrong. */
const KEPT_LINES = 400;

interface CrewOptions {
  readonly plane: ControlPlane;
  readonly time: SharedTime;
  readonly operatorNamespace: string;
}

/** One operator of this process. */
interface Member {
  readonly name: string;
  readonly traffic: ClusterTraffic;
  readonly wall: ShiftedClock;
  readonly health: string;
  readonly stop: AbortController;
  readonly ended: Promise<number>;
  leads: boolean;
  over: boolean;
}

/** Two operators, one of which leads, each behind a relay of its own to the real apiserver. */
export class Crew implements AsyncDisposable {
  /** as an administrator, past the relays */
  readonly kube: KubeClient;
  readonly lines: string[] = [];
  /** how often each sort of trouble, edit or drift came */
  readonly hits = new Map<string, number>();
  readonly #options: CrewOptions;
  readonly #directory = mkdtempSync(join(tmpdir(), "soak-"));
  #members: Member[] = [];
  #trouble: Trouble | undefined;
  /** version of the last write of somebody else to each path */
  readonly #written = new Map<string, number>();
  #count = 0;

  constructor(options: CrewOptions, transport: KubeTransport) {
    this.#options = options;
    const observer: WriteObserver = {
      written: (type, object) => this.#noteWritten(type, object),
      deleted: () => options.time.stir(),
    };
    this.kube = createKubeClient({ transport, clock: systemClock, random: Math.random, log: silentLogger, observer });
    options.time.isHeld.push(() => this.#members.some(({ traffic }) => traffic.isOwed || this.#isUntold(traffic)));
  }

  /** Somebody wrote an object: time stands still until every watch that works has told of it. */
  #noteWritten(type: ResourceType, { metadata: { resourceVersion } }: KubeObject): void {
    this.#written.set(collectionPath(type, undefined), Number(resourceVersion));
    this.#options.time.stir();
  }

  #isUntold(traffic: ClusterTraffic): boolean {
    return [...this.#written].some(([path, version]) => traffic.awaits(path, version));
  }

  /** Those that live. */
  get traffics(): readonly ClusterTraffic[] {
    return this.#members.filter(({ over }) => !over).map(({ traffic }) => traffic);
  }

  /** Where the leader and the other one serve their metrics. */
  get metricsUrls(): readonly string[] {
    const leader = this.#leader;
    const others = this.#members.filter((member) => member !== leader);
    return [...(leader === undefined ? [] : [leader]), ...others].map(({ health }) => `http://${health}/metrics`);
  }

  /** Something came. */
  note(hit: string, times = 1): void {
    this.hits.set(hit, (this.hits.get(hit) ?? 0) + times);
  }

  set trouble(trouble: Trouble | undefined) {
    this.#trouble = trouble;
    for (const { traffic } of this.#members) traffic.trouble = trouble;
  }

  /** The wall clocks of all operators are put ahead of the platform's by so much, milliseconds. */
  shiftWall(ms: number): void {
    for (const { wall } of this.#members) wall.shiftMs = ms;
  }

  /** Whether there are two, one of which leads. On a machine that is busy with other things one may lose its lease by itself. */
  get isComplete(): boolean {
    return this.#leader !== undefined && this.#members.filter(({ over }) => !over).length === 2;
  }

  /** Brings the crew to two, one of which leads. Whoever ended by itself is replaced, as a Pod would be. */
  async complete(): Promise<void> {
    for (let starts = 0; starts < MOST_STARTS; starts += 1) {
      this.#members = this.#members.filter(({ over }) => !over);
      if (this.#members.length >= 2) break;
      // Whoever ends as it begins comes again later each time, as a Pod would.
      await wait(Math.min(starts * 20, 500));
      await this.#start();
    }
    // As long as the apiserver answers what is none, nobody can start: a Pod would come again until it does not.
    if (this.#trouble !== undefined && this.#members.every(({ over }) => over)) return;
    await eventually("an operator leads", () => Promise.resolve(this.#leader));
  }

  /** The leader stops as a rollout stops it; the other one follows. */
  async handOver(): Promise<void> {
    const leader = this.#leader;
    if (leader !== undefined) await this.#end(leader);
    await this.complete();
  }

  /** Somebody else takes the lease and gives it back: the leader ends by itself, and says that this is not well. */
  async loseLease(): Promise<void> {
    const { time } = this.#options;
    const { kube } = this;
    const leader = this.#leader;
    if (leader === undefined) return;
    const renewTime = new Date().toISOString().replace("Z", "000Z");
    const spec = { holderIdentity: "somebody-else", leaseDurationSeconds: 15, renewTime };
    await kube.patchMerge(leaseType, LEASE, { spec });
    const code = await time.during(leader.ended);
    if (code === 0) throw new Error("an operator that lost its lease ended as if nothing were wrong");
    await kube.patchMerge(leaseType, LEASE, { spec: { holderIdentity: "" } });
    await this.complete();
  }

  /** Nobody operates for a while, milliseconds of shared time. */
  async pause(ms: number): Promise<void> {
    for (const member of this.#members) await this.#end(member);
    await this.#options.time.run(ms);
    await this.complete();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const member of this.#members) await this.#end(member);
    await deleteIfThere(this.kube, leaseType, LEASE);
    rmSync(this.#directory, { recursive: true, force: true });
  }

  get #leader(): Member | undefined {
    return this.#members.find(({ leads, over }) => leads && !over);
  }

  async #end(member: Member): Promise<void> {
    member.stop.abort(new Error("the soak ends it"));
    await this.#options.time.during(member.ended);
  }

  async #start(): Promise<void> {
    const { plane, time, operatorNamespace } = this.#options;
    this.#count += 1;
    const name = `operator-${this.#count}`;
    const traffic = new ClusterTraffic(time, (hit) => this.note(hit));
    traffic.trouble = this.#trouble;
    const { server: target, ca, token } = plane;
    const relay = await startHttpRelay({ server: "kubernetes", target, ca, director: traffic });
    time.countCluster(relay.url);
    const file = join(this.#directory, name);
    writeFileSync(file, kubeconfig({ server: relay.url, ca, token }), { mode: 0o600 });
    const health = `127.0.0.1:${await freePort()}`;
    const wall = shiftedClock(time.clock);
    wall.shiftMs = this.#members[0]?.wall.shiftMs ?? 0;
    const stop = new AbortController();
    const flags = ["--kubeconfig", file, "--operator-namespace", operatorNamespace, "--health-address", health];
    const command = addRunOptions(addScopeOptions(new Command(), undefined)).parse(flags, { from: "user" });
    const member: Member = {
      name,
      traffic,
      wall,
      health,
      stop,
      leads: false,
      over: false,
      ended: this.#live(name, { flags: runFlags.parse(command.opts()), stop: stop.signal, wall }),
    };
    void member.ended.then(async () => {
      member.over = true;
      await relay[Symbol.asyncDispose]();
    });
    this.#members.push(member);
    await this.#ready(member);
  }

  /** @returns the exit code, also that of a start that failed */
  async #live(
    name: string,
    { flags, stop, wall }: { flags: RunFlags; stop: AbortSignal; wall: Clock },
  ): Promise<number> {
    try {
      return await operate({
        flags,
        proxy: {},
        log: createLogger("info", this.#logOf(name)),
        signal: stop,
        clock: wall,
      });
    } catch (error) {
      this.lines.push(`${name} ended: ${String(error)}`);
      return 1;
    }
  }

  #logOf(name: string): Writable {
    return new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        const text = chunk.toString("utf8");
        this.lines.push(`${name} ${text.trimEnd()}`);
        if (this.lines.length > KEPT_LINES) this.lines.splice(0, KEPT_LINES / 2);
        const member = this.#members.find((one) => one.name === name);
        if (member !== undefined && text.includes('"workers started"')) member.leads = true;
        done();
      },
    });
  }

  /** Resolves when it is ready, or has ended before. */
  async #ready(member: Member): Promise<void> {
    for (let status = 0; status !== 200 && !member.over; await wait(20)) {
      status = await fetch(`http://${member.health}/readyz`).then(
        (answer) => answer.status,
        () => 0,
      );
    }
  }
}
