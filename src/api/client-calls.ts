import type { Dispatcher } from "undici";
import { type ChildController, childController, orAborted } from "../base/abort.ts";
import { keepAlive } from "../base/keep-alive.ts";
import { parseBaseUrl } from "./base-url.ts";
import { callMetrics } from "./call-metrics.ts";
import { makeCall } from "./call.ts";
import type { CallEnvironment, CallPlan } from "./call-plan.ts";
import { withDefaults } from "./client-defaults.ts";
import type { ClientParts } from "./client-defaults.ts";
import { checkOptions } from "./call-options.ts";
import { checkClientOptions } from "./check-client-options.ts";
import type { BranchCallOptions, CallOptions, ClientOptions } from "./client-options.ts";
import type { Operation } from "./contract/operation.ts";
import { profile, profileSchema } from "./contract/organizations.ts";
import { tokenOf } from "./credentials/credentials.ts";
import { createDispatcher } from "./dispatcher.ts";
import { ApiError } from "./errors.ts";
import { ClientClosedError, endedBy, notStarted, withoutToken } from "./failures.ts";
import { Identities } from "./identity.ts";
import type { ApiIdentity } from "./identity.ts";
import { prepareRequest } from "./request.ts";
import { readOutput } from "./response.ts";
import { ServerClock } from "../base/server-clock.ts";
import { createTransport } from "./transport.ts";

/** What the calls of one client share, from its making to its closing. */
export class ClientCalls {
  readonly serverClock: ServerClock;
  readonly #parts: ClientParts;
  readonly #environment: CallEnvironment;
  readonly #identities: Identities;
  /** undefined when the caller keeps it */
  readonly #ownDispatcher: Dispatcher | undefined;
  readonly #running = new Set<ChildController>();
  #closed = false;

  /** @throws BaseUrlError @throws TypeError for both or none of token and credentials, or an option that is none */
  constructor(options: ClientOptions) {
    checkClientOptions(options);
    const baseUrl = parseBaseUrl(options.baseUrl);
    const parts = withDefaults(options);
    const { clock, credentials, pacer, random, log, userAgent } = parts;
    const { connections, maxResponseBytes } = parts.limits;
    const { ca, proxy } = options;
    const trust = { ...(ca === undefined ? {} : { ca }), ...(proxy === undefined ? {} : { proxy }) };
    this.#parts = parts;
    const dispatcher = options.dispatcher ?? createDispatcher({ baseUrl, connections, ...trust });
    this.#ownDispatcher = options.dispatcher === undefined ? dispatcher : undefined;
    this.serverClock = new ServerClock(clock);
    const { identity: fixed } = credentials;
    const lookUp = (token: string): Promise<ApiIdentity> => this.#lookUp(token);
    this.#identities = new Identities({ server: baseUrl.href, pacer, clock, fixed, lookUp });
    this.#environment = {
      transport: createTransport({ baseUrl, dispatcher, clock, maxResponseBytes, userAgent }),
      credentials,
      pacer,
      clock,
      random,
      log,
      metrics: callMetrics(parts.meter),
      tracer: parts.tracer,
      serverClock: this.serverClock,
      identityOf: (token, signal) => this.#identities.nameOf(token, signal),
      accepts: (token, signal) => orAborted(this.#accepts(token), signal),
      mayStart: () => !this.#closed && parts.mayStart(),
    };
  }

  /** Makes one call. Rejects with ApiError. */
  async call(
    operation: Operation,
    input: Readonly<Record<string, unknown>>,
    options: Partial<BranchCallOptions>,
  ): Promise<unknown> {
    checkOptions(operation, options);
    const plan = this.#plan(operation, input, options);
    const response = await this.#while(operation, options.signal, (signal) =>
      makeCall(this.#environment, { ...plan, signal }),
    );
    return await readOutput(operation, response);
  }

  /** Whose credential it is. Rejects with ApiError. */
  identity(parent?: AbortSignal): Promise<ApiIdentity> {
    const { id } = profile.get;
    return this.#while(profile.get, parent, async (signal) => {
      try {
        const token = await tokenOf(this.#parts.credentials, signal);
        return await orAborted(this.#identities.get(token), signal);
      } catch (error) {
        if (error instanceof ApiError) throw error;
        throw signal.aborted ? endedBy(id, signal.reason, false) : withoutToken(id, error);
      }
    });
  }

  /** Ends what is under way and closes the connections. */
  async close(): Promise<void> {
    this.#closed = true;
    const reason = new ClientClosedError();
    for (const controller of this.#running) controller.abort(reason);
    if (this.#parts.ownsPacer) this.#parts.pacer.close(reason);
    await this.#ownDispatcher?.destroy();
  }

  /** Runs work that `close` can end, with the caller's signal joined. */
  async #while<T>(
    operation: Operation,
    parent: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (this.#closed) throw notStarted(operation.id, new ClientClosedError());
    using _alive = keepAlive();
    using controller = childController(parent);
    this.#running.add(controller);
    try {
      return await work(controller.signal);
    } finally {
      this.#running.delete(controller);
    }
  }

  #plan(
    operation: Operation,
    input: Readonly<Record<string, unknown>>,
    options: Omit<CallOptions, "signal"> & { readonly parentRef?: string | undefined },
  ): Omit<CallPlan, "signal"> {
    const { limits } = this.#parts;
    const { lane = "change", retry = operation.retry, maxWaitMs = limits.maxWaitMs } = options;
    const deadlineMs = options.deadlineMs ?? (uploads(operation) ? limits.uploadDeadlineMs : limits.deadlineMs);
    return {
      operation,
      request: prepareRequest(operation, input, options.parentRef),
      lane,
      retry,
      deadlineMs,
      attemptMs: retry === "once" ? deadlineMs : Math.min(deadlineMs, limits.attemptMs),
      maxWaitMs,
      beforeSending: options.beforeSending,
      // What asks for no token gets none, so that an answer can depend on nobody's (behaviour.md, Authentication rule 6).
      ...(operation.access === "public" ? { as: { identity: this.#identities.anonymous } } : {}),
    };
  }

  /** Reads the profile with this very token. Whoever asked first may leave: others wait for it too. */
  #lookUp(token: string): Promise<ApiIdentity> {
    const as = { token, identity: this.#identities.provisional(token) };
    const plan = { ...this.#plan(profile.get, {}, {}), as };
    return this.#while(profile.get, undefined, async (signal) => {
      const response = await makeCall(this.#environment, { ...plan, signal });
      const found = profileSchema.parse(await readOutput(profile.get, response));
      return { userId: found.auth_id, username: found.username, email: found.primary_email };
    });
  }

  async #accepts(token: string): Promise<boolean> {
    try {
      await this.#lookUp(token);
      return true;
    } catch {
      return false; // rejected too, or nothing to tell it by
    }
  }
}

/** Whether an operation carries files, which take longer than other bodies. */
function uploads({ body }: Operation): boolean {
  return body?.encoding === "multipart" || body?.encoding === "bundle-or-json";
}
