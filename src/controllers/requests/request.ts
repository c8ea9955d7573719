import type { CallOptions } from "../../api/client-options.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import type { RequestParameter, RequestRecord, RequestText } from "../../resources/requests.ts";
import { INTENT_MARGIN_MS } from "../shared/create-once.ts";
import type { CommonStatus } from "../shared/status-draft.ts";

/**
 * src/controllers/requests: what people ask for once, by an annotation `baas.dev/<verb>: <request id>`. It is carried out exactly once, survives crashes,
 * and its outcome is in the status. What a verb means is a `RequestKind`; those of a kind of objects are in that kind's folder, and those that
 * projects and branches have in common in of-ref.ts. The rest of this folder knows no verb.
 *
 * This file: what a request is.
 */

/** A request as a status has it. */
export type Recorded = DeepReadonly<RequestRecord>;

/** Status of kinds of which something can be asked. */
export interface RequestStatus extends CommonStatus {
  readonly requests?: readonly Recorded[] | undefined;
  readonly spentRequests?: readonly string[] | undefined;
  readonly requestsFor?: string | undefined;
}

/** Whether a request may be sent now. */
export type Admission =
  | { readonly kind: "now" }
  /** not yet; `message` says what is waited for, and `wakes` that its coming has the object run: there is no need to look again until then */
  | { readonly kind: "wait"; readonly message: string; readonly wakes?: true }
  /** never; `message` says what to do instead */
  | { readonly kind: "refuse"; readonly message: string };

/** How far the platform is with a request that it has taken. */
export interface Progress {
  readonly state: "Running" | "Succeeded" | "Failed" | "Unknown";
  readonly message: string;
  readonly run?: Recorded["run"];
}

/** What the platform shows of a request whose answer was lost, or that may never have been sent. */
export type Trace =
  | { readonly kind: "arrived"; readonly progress: Progress }
  /** it has had no effect, and once nothing of it can arrive any more that is certain */
  | { readonly kind: "absent" }
  /** nothing that can be read would tell; `why` says what cannot be told, where there is more to say */
  | { readonly kind: "traceless"; readonly why?: string };

/** How a request is sent. */
export interface SendOptions {
  readonly call: CallOptions;
  /** what `before` told */
  readonly before: string | undefined;
}

/** What one verb means. `At` is what it is carried out with. */
export interface RequestKind<At> {
  readonly verb: string;
  readonly parameter: RequestParameter;
  /** what is done, for people: "restart the project" */
  readonly doing: string;
  /** may be sent while another request of the object is under way */
  readonly amid?: true;
  /**
   * Whether it is sent again once it is certain that the first time had no effect. Not where a second time destroys something: then people decide.
   */
  readonly repeats: boolean;
  /** sections that show something else once it has come to an end, by name: they are looked at again */
  readonly shownBy?: readonly string[];
  /** what to look at and do where its outcome stays unknown */
  readonly ifUnknown: string;
  /** @param meant what it stood for when it was first seen, as its meaning tells (first-sight.ts) */
  admit(at: At, asked: RequestText, meant: string | undefined): Admission | Promise<Admission>;
  /**
   * What the platform shows before the request, where its effect is told by the difference: never a secret. Where it is sent again, only that very state
   * means that it had no effect: another one is somebody's who did something since.
   */
  before?(at: At, asked: RequestText): Promise<string>;
  /** Sends it. @throws as calls of the client do: nothing is worded or caught here */
  send(at: At, asked: RequestText, sending: SendOptions): Promise<Progress>;
  /** Looks for its effect, live. */
  trace(at: At, record: Recorded, asked: RequestText): Promise<Trace>;
  /** How far one is that the platform has taken. */
  look(at: At, record: Recorded): Promise<Progress>;
}

/** What of a verb finds out what came of a request that was sent. */
export type Follower<At> = Pick<RequestKind<At>, "verb" | "parameter" | "repeats" | "ifUnknown" | "trace" | "look">;

/** Longest time of one request, milliseconds: how long its effect is waited for counts from then. */
export const REQUEST_DEADLINE_MS = 60_000;

/** How much later than it was an answer's time may be read, milliseconds: it is told in whole seconds. */
const TOLD_LATE_MS = 1000;

/**
 * Whether what came to be at a moment may be what came of a request: that was while it could arrive, and not after it was looked for in vain. What came
 * later is more likely somebody else's. Pure.
 *
 * @param atMs the platform's clock, milliseconds since the epoch
 */
export function mayHaveComeOf({ sentAt = "", lookedAt }: Recorded, atMs: number): boolean {
  const sentMs = Date.parse(sentAt);
  const lookedMs = lookedAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(lookedAt) + TOLD_LATE_MS;
  const arrivedMs = sentMs + REQUEST_DEADLINE_MS + INTENT_MARGIN_MS;
  return atMs >= sentMs - INTENT_MARGIN_MS && atMs <= Math.min(arrivedMs, lookedMs);
}

export const NOW: Admission = { kind: "now" };
export const ABSENT: Trace = { kind: "absent" };
export const TRACELESS: Trace = { kind: "traceless" };

/** It came to an end, well. */
export function succeeded(message: string): Progress {
  return { state: "Succeeded", message };
}

/** It came to an end, not well. */
export function failed(message: string): Progress {
  return { state: "Failed", message };
}

export function running(message: string, run?: Recorded["run"]): Progress {
  return { state: "Running", message, ...(run === undefined ? {} : { run }) };
}

export function traceless(why: string): Trace {
  return { kind: "traceless", why };
}

export function arrived(progress: Progress): Trace {
  return { kind: "arrived", progress };
}

/** For requests that are done when they are answered: none of them is ever seen under way. */
export function doneWhenAnswered(): Promise<Progress> {
  return Promise.resolve(succeeded("done"));
}
