import { setTimeout as wait } from "node:timers/promises";
import type { Answer, Asked, Director, Reply, Watch } from "../matrix/relay.ts";
import { nameRequest } from "../matrix/requests.ts";
import { Chance, seedOf } from "./chance.ts";
import type { Quota } from "./quota.ts";
import type { SharedTime } from "./time.ts";

/**
 * How badly the apiserver does for a while. What a request gets by chance is decided by its name and by how often it was asked, not by when; what
 * is owed comes to whichever is asked first.
 */
export interface Trouble {
  readonly seed: number;
  /** share of the requests that something happens to */
  readonly share: number;
  /** share of the watches that are refused when they begin */
  readonly watchShare: number;
  readonly owed: Quota<Fault>;
  readonly owedToWatches: Quota<WatchFault>;
}

/** For how long a request that was refused is waited for, milliseconds of the machine: the client's longest wait, and what it may take. */
const OWED_MS = 2000;

/** Longest text of a version, bytes. */
const LONGEST_VERSION = 64;

export const faults = [
  "429",
  "500",
  "503",
  "html",
  "wrong body",
  "reset before",
  "reset after",
  "slow",
  "conflict",
] as const;
type Fault = (typeof faults)[number];
/** After these a read is sent again by the client itself; what was answered, though late or wrong, stands. */
const REPEATED: ReadonlySet<Fault> = new Set(["500", "503", "html", "reset before", "reset after"]);
export const watchFaults = ["410", "429", "500", "reset"] as const;
type WatchFault = (typeof watchFaults)[number];

/** By which it is noted when it comes. */
export function hitOf(fault: Fault): string {
  return `apiserver ${fault}`;
}

export function watchHitOf(fault: WatchFault): string {
  return `watch ${fault}`;
}

/** All requests of one operator to the apiserver, and its watches. */
export class ClusterTraffic implements Director {
  trouble: Trouble | undefined;
  /** names of the writes since it was emptied, but for leases and events, which have their own pace */
  writes: string[] = [];
  /** how many requests there were since it was set to 0, but for those, and for watches */
  asked = 0;
  readonly #time: SharedTime;
  readonly #note: (hit: string) => void;
  readonly #live = new Set<Watch>();
  /** paths of the watches that there should be */
  readonly #kinds = new Set<string>();
  /** newest version that was told of each path */
  readonly #versions = new Map<string, number>();
  readonly #ends = new WeakMap<Watch, Buffer>();
  readonly #counts = new Map<string, number>();
  readonly #owed = new Map<string, number>();

  /** @param note told of each fault */
  constructor(time: SharedTime, note: (hit: string) => void) {
    this.#time = time;
    this.#note = note;
  }

  /** Whether a request that was refused is still to come again. */
  get isOwed(): boolean {
    const nowMs = performance.now();
    for (const [label, untilMs] of this.#owed) if (untilMs <= nowMs) this.#owed.delete(label);
    return this.#owed.size > 0;
  }

  /** Whether every watch is there and tells what happens. */
  get isTold(): boolean {
    const paths = new Set([...this.#live].filter(({ silent }) => !silent).map(({ path }) => bare(path)));
    return this.#kinds.size > 0 && [...this.#kinds].every((path) => paths.has(path));
  }

  /** Whether a watch that works has yet to tell of a version. */
  awaits(path: string, version: number): boolean {
    const works = [...this.#live].some((watch) => bare(watch.path) === path && !watch.silent);
    return works && (this.#versions.get(path) ?? 0) < version;
  }

  /** Nothing arrives on the watches that there are, and nobody is told. */
  silence(): void {
    for (const watch of this.#live) watch.silent = true;
  }

  cut(): void {
    for (const watch of this.#live) watch.cut();
  }

  async handle(asked: Asked, forward: () => Promise<Answer>): Promise<Reply> {
    const { label } = nameRequest(asked);
    const isWrite = asked.method !== "GET";
    this.#owed.delete(label);
    if (isWrite) this.#time.stir();
    if (!OWN_PACE.test(asked.path)) this.asked += 1;
    if (isWrite && !OWN_PACE.test(asked.path)) this.writes.push(`${label} ${asked.body.toString("utf8")}`);
    const fault = this.#faultOf(asked, label);
    if (fault === undefined) return forward();
    this.#note(hitOf(fault));
    if (fault === "429" || (!isWrite && REPEATED.has(fault))) this.#owed.set(label, performance.now() + OWED_MS);
    return this.#spoil(fault, forward);
  }

  answered(asked: Asked): void {
    if (asked.method !== "GET") this.#time.stir();
  }

  watch(watch: Watch): Reply | undefined {
    this.#kinds.add(bare(watch.path));
    const drawn = this.#draw(`watch ${bare(watch.path)}`, this.trouble?.watchShare, watchFaults);
    const fault = drawn ?? this.trouble?.owedToWatches.take(() => true);
    if (fault === undefined) return undefined;
    this.#note(watchHitOf(fault));
    return fault === "reset" ? "reset" : refusal(Number(fault));
  }

  watched(watch: Watch, what: "begun" | "over" | Uint8Array): void {
    if (what === "over") this.#live.delete(watch);
    else if (what === "begun") this.#begun(watch);
    else this.#piece(watch, what);
    this.#time.stir();
  }

  /** Its reader knows what came before the version that it goes on from. */
  #begun(watch: Watch): void {
    this.#live.add(watch);
    const version = /[?&]resourceVersion=(\d+)/u.exec(watch.path)?.[1] ?? "0";
    this.#tell(bare(watch.path), Buffer.from(`"resourceVersion":"${version}"`));
  }

  /** A piece may end within a version. */
  #piece(watch: Watch, piece: Uint8Array): void {
    const told = Buffer.concat([this.#ends.get(watch) ?? Buffer.of(), piece]);
    this.#ends.set(watch, told.subarray(-LONGEST_VERSION));
    this.#tell(bare(watch.path), told);
  }

  /** Versions of etcd are numbers that rise, whatever they are of. */
  #tell(path: string, told: Uint8Array): void {
    const versions = Buffer.from(told)
      .toString("latin1")
      .matchAll(/"resourceVersion":"(\d+)"/gu);
    for (const [, version] of versions) {
      this.#versions.set(path, Math.max(Number(version), this.#versions.get(path) ?? 0));
    }
  }

  #faultOf({ method, path }: Asked, label: string): Fault | undefined {
    if (OWN_PACE.test(path)) return undefined;
    const fitting = faults.filter((fault) =>
      fault === "conflict" ? method !== "GET" : fault !== "wrong body" || method === "GET",
    );
    return this.#draw(label, this.trouble?.share, fitting) ?? this.trouble?.owed.take((owed) => fitting.includes(owed));
  }

  #draw<T>(label: string, share: number | undefined, from: readonly T[]): T | undefined {
    const nth = (this.#counts.get(label) ?? 0) + 1;
    this.#counts.set(label, nth);
    if (this.trouble === undefined || share === undefined) return undefined;
    const chance = new Chance(seedOf(this.trouble.seed, label, nth));
    return chance.is(share) ? chance.oneOf(from) : undefined;
  }

  async #spoil(fault: Fault, forward: () => Promise<Answer>): Promise<Reply> {
    switch (fault) {
      case "429":
      case "500":
      case "503":
        return refusal(Number(fault));
      case "conflict":
        return refusal(409);
      case "html":
        return { ...PAGE, status: 502 };
      case "wrong body":
        return { status: 200, headers: JSON_TYPE, body: Buffer.from('{"message":"hello"}') };
      case "reset before":
        return "reset";
      case "reset after":
        await forward();
        return "reset";
      case "slow":
        await wait(50);
        return forward();
      default:
        return fault satisfies never;
    }
  }
}

const OWN_PACE = /\/(?:leases|events)(?:\/|\?|$)/u;
const JSON_TYPE = { "content-type": "application/json" };
const PAGE = { headers: { "content-type": "text/html" }, body: Buffer.from("<html><h1>Bad Gateway</h1></html>") };

const REASONS: Readonly<Record<number, string>> = { 409: "Conflict", 410: "Expired", 429: "TooManyRequests" };

function refusal(code: number): Answer {
  const reason = REASONS[code] ?? "InternalError";
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "refused",
    reason,
    code,
  };
  const headers = code === 429 ? { ...JSON_TYPE, "retry-after": "0" } : JSON_TYPE;
  return { status: code, headers, body: Buffer.from(JSON.stringify(status)) };
}

function bare(path: string): string {
  return path.split("?")[0] ?? path;
}
