import { Dispatcher } from "undici";
import type { Clock } from "../../../src/base/clock.ts";
import type { Random } from "../../../src/base/random.ts";
import type { ResponseHeaders } from "../../../src/api/http.ts";
import { StrictServer, type StrictServerOptions } from "./strict-server.ts";

/** Headers that say something else than the truth. */
export type Tamper = (headers: ResponseHeaders, nowMs: number) => ResponseHeaders;

export interface SimulatedPlatformOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** whose tokens they are, by token */
  readonly users: Readonly<Record<string, string>>;
  /** time on the way to the server, and back, milliseconds; each way is drawn by itself, so that requests overtake each other */
  readonly latencyMs: readonly [least: number, most: number];
  readonly server?: Partial<StrictServerOptions>;
  /** Whose budget a request spends. Default: the user's (facts.md). */
  readonly countsBy?: "user" | "token";
  readonly tamper?: Tamper;
  /** How far the server's wall clock is before ours, milliseconds, and how much faster it runs, parts per million. */
  readonly skew?: { readonly offsetMs: number; readonly ppm: number };
}

/** A request of ours as the network saw it. Times are monotonic milliseconds of our clock. */
export interface Sent {
  readonly token: string;
  readonly path: string;
  readonly sentAtMs: number;
}

/** A 429 that came back: when, and how many of that token's requests were in flight then, itself included. */
export interface Refusal {
  readonly token: string;
  readonly sentAtMs: number;
  /** how long to wait, as its headers say it; undefined when they do not, or speak of the past */
  readonly toldMs: number | undefined;
  readonly receivedAtMs: number;
  readonly inFlight: number;
}

/**
 * A platform without sockets, for real clients on a driven clock: each scope has a strict server of its own, requests take time to arrive, and
 * every body is an empty list (the profile's aside). Nothing else of the service is there: the emulator has that.
 */
export class SimulatedPlatform extends Dispatcher {
  readonly sent: Sent[] = [];
  readonly refusals: Refusal[] = [];
  readonly #options: SimulatedPlatformOptions;
  readonly #servers = new Map<string, StrictServer>();
  readonly #inFlight = new Map<string, number>();

  constructor(options: SimulatedPlatformOptions) {
    super();
    this.#options = options;
  }

  /** The server of a scope: `identity`, `projects/<ref>` or `organizations/<slug>`, of a user (or token). */
  server(scope: string, payer: string): StrictServer {
    const key = `${payer} ${scope}`;
    const known = this.#servers.get(key);
    if (known !== undefined) return known;
    const made = new StrictServer({ limit: 120, windowMs: 60_000, ...this.#options.server });
    this.#servers.set(key, made);
    return made;
  }

  /** Somebody who is no client of ours sends a request, which arrives at once. */
  arrive(path: string, token: string): { readonly status: number; readonly headers: ResponseHeaders } {
    const { users, countsBy = "user", skew, tamper = (headers) => headers, clock } = this.#options;
    const payer = countsBy === "user" ? (users[token] ?? token) : token;
    const nowMs = clock.monotonic() * (1 + (skew?.ppm ?? 0) / 1e6);
    const { status, headers } = this.server(scopeOf(path), payer).arrive(nowMs, token);
    const date = new Date(clock.now() + (skew?.offsetMs ?? 0)).toUTCString();
    return { status, headers: tamper({ ...headers, date }, nowMs) };
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { clock } = this.#options;
    const { path } = options;
    const token = tokenOf(options.headers);
    const controller = new Exchange(handler);
    handler.onRequestStart?.(controller, undefined);
    if (controller.aborted) return true;
    const sentAtMs = clock.monotonic();
    this.sent.push({ token, path, sentAtMs });
    this.#inFlight.set(token, this.#flying(token) + 1);
    clock.setTimer(this.#leg(), () => {
      const answer = this.arrive(path, token);
      clock.setTimer(this.#leg(), () => {
        if (answer.status === 429) {
          const seen = { receivedAtMs: clock.monotonic(), inFlight: this.#flying(token) };
          this.refusals.push({ token, sentAtMs, toldMs: toldBy(answer.headers), ...seen });
        }
        this.#inFlight.set(token, this.#flying(token) - 1);
        controller.answer(answer, bodyOf(path, this.#options.users[token] ?? token));
      });
    });
    return true;
  }

  override close(callback?: () => void): Promise<void> {
    callback?.();
    return Promise.resolve();
  }

  override destroy(_error?: unknown, callback?: () => void): Promise<void> {
    callback?.();
    return Promise.resolve();
  }

  #flying(token: string): number {
    return this.#inFlight.get(token) ?? 0;
  }

  #leg(): number {
    const [least, most] = this.#options.latencyMs;
    return least + this.#options.random() * (most - least);
  }
}

/** One request's way back to its handler; nothing comes of one that was aborted. */
class Exchange implements Dispatcher.DispatchController {
  readonly #handler: Dispatcher.DispatchHandler;
  reason: Error | null = null;
  readonly paused = false;

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler;
  }

  get aborted(): boolean {
    return this.reason !== null;
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.reason = reason;
    this.#handler.onResponseError?.(this, reason);
  }

  pause(): void {}
  resume(): void {}

  answer({ status, headers }: { readonly status: number; readonly headers: ResponseHeaders }, body: unknown): void {
    if (this.aborted) return;
    const told = { ...headers, "content-type": "application/json" };
    this.#handler.onResponseStart?.(this, status, told);
    this.#handler.onResponseData?.(this, Buffer.from(JSON.stringify(status === 429 ? { message: "slow down" } : body)));
    this.#handler.onResponseEnd?.(this, {});
  }
}

function toldBy(headers: ResponseHeaders): number | undefined {
  const seconds = Number(headers["retry-after"] ?? headers["x-ratelimit-reset"]);
  return seconds >= 0 ? seconds * 1000 : undefined;
}

function scopeOf(path: string): string {
  return /^\/v1\/(?:projects|organizations)\/[^/?]+/.exec(path)?.[0].slice("/v1/".length) ?? "identity";
}

function bodyOf(path: string, user: string): unknown {
  return path === "/v1/profile" ? { auth_id: user, primary_email: `${user}@example.com`, username: user } : [];
}

function tokenOf(headers: Dispatcher.DispatchOptions["headers"]): string {
  const authorization: unknown =
    headers === null || headers === undefined ? undefined : Reflect.get(headers, "authorization");
  return typeof authorization === "string" ? authorization.slice("Bearer ".length) : "";
}
