import { createHash } from "node:crypto";
import { isApiError } from "../../api/errors.ts";
import type { RequestText } from "../../resources/requests.ts";
import { INTENT_MARGIN_MS } from "../shared/create-once.ts";
import { calling } from "../shared/failures.ts";
import { isFailedState, isUp } from "../shared/project-states.ts";
import {
  ABSENT,
  type Admission,
  arrived,
  doneWhenAnswered,
  failed,
  mayHaveComeOf,
  NOW,
  type Progress,
  type Recorded,
  type RequestKind,
  running,
  succeeded,
  type Trace,
  traceless,
  TRACELESS,
} from "./request.ts";
import { type AtRootKey, replaceRootKey } from "./replace-root-key.ts";

/** What can be asked of anything that has a ref of its own: a project, and the project that a branch has for itself. */

/** A project or branch, as requests reach it. */
export interface AtRef extends AtRootKey {
  /** its state as this run has read it; undefined where the platform does not say */
  readonly state: string | undefined;
  /** the platform's clock, milliseconds since the epoch */
  readonly nowMs: number;
  /** Its state now, read live. */
  readState(): Promise<string | undefined>;
}

/** States in which nothing passes by itself: what is asked for then gets the platform's own answer. */
function isSettled(state: string): boolean {
  return isUp(state) || state === "INACTIVE" || isFailedState(state);
}

/** What needs it to be at rest waits for that. */
export function onceSettled({ state }: Pick<AtRef, "state">): Admission {
  if (state !== undefined && isSettled(state)) return NOW;
  return { kind: "wait", message: `waits while it is ${state ?? "of a state that the platform does not tell"}` };
}

/** How long after a request the platform may still show the state from before it, milliseconds. */
const SHOWN_LATE_MS = 10_000;

interface Passage {
  /** state that it goes through */
  readonly through: string;
  /** what is under way, and what was done, for people */
  readonly doing: string;
  readonly done: string;
}

/** How far a request is that leads through a state. */
export function progressThrough(
  { nowMs }: Pick<AtRef, "nowMs">,
  { sentAt }: Recorded,
  { state, passage: { through, doing, done } }: { readonly state: string | undefined; readonly passage: Passage },
): Progress {
  const isFresh = nowMs < Date.parse(sentAt ?? "") + SHOWN_LATE_MS;
  if (state === undefined || state === through || !isSettled(state)) return running(doing);
  if (isUp(state)) return isFresh ? running(doing) : succeeded(done);
  return failed(`it is ${state} now`);
}

const restarting: Passage = { through: "RESTARTING", doing: "it is restarting", done: "it was restarted" };

const restart: RequestKind<AtRef> = {
  verb: "restart",
  parameter: "none",
  doing: "restart it",
  repeats: false,
  ifUnknown: "ask with another id if it did not restart",
  admit: onceSettled,
  send: async ({ client, ref }, _asked, { call }) => {
    await client.projects.restart({ ref }, call);
    return running(restarting.doing);
  },
  trace: (at) => traceThrough(at, restarting),
  look: async (at, record) => progressThrough(at, record, { state: await at.readState(), passage: restarting }),
};

/** The state that a request leads through shows that it arrived; another one shows nothing, since it may be over. */
export async function traceThrough(at: Pick<AtRef, "readState">, { through, doing }: Passage): Promise<Trace> {
  return (await at.readState()) === through ? arrived(running(doing)) : TRACELESS;
}

/** @throws as calls of the client do */
async function bannedAddresses({ client, ref, call }: AtRef, { parameter }: RequestText): Promise<readonly string[]> {
  const { banned_ipv4_addresses: all } = await client.networkBans.list({ ref }, call);
  const wanted = parameter?.split(",");
  return wanted === undefined ? all : all.filter((address) => wanted.includes(address));
}

/** What a list of addresses is known by, however long it is. */
function bansDigest(addresses: readonly string[]): string {
  return createHash("sha256").update(addresses.toSorted().join()).digest("hex");
}

function lifted(addresses: readonly string[]): Progress {
  return succeeded(addresses.length === 0 ? "no such address was banned" : `let in again: ${addresses.join(", ")}`);
}

const liftNetworkBans: RequestKind<AtRef> = {
  verb: "lift-network-bans",
  parameter: "addresses",
  doing: "lift network bans",
  repeats: true,
  shownBy: ["database.networkRestrictions"],
  ifUnknown: "ask with another id if an address is still banned",
  admit: () => NOW,
  before: async (at, asked) => {
    const addresses = await calling("read the banned addresses", () => bannedAddresses(at, asked));
    return bansDigest(addresses);
  },
  send: async (at, asked, { call }) => {
    const addresses = await bannedAddresses(at, asked);
    const body = { ipv4_addresses: [...addresses] };
    if (addresses.length > 0) await at.client.networkBans.delete({ ref: at.ref, body }, call);
    return lifted(addresses);
  },
  trace: async (at, { before }, asked) => {
    const left = await calling("read the banned addresses", () => bannedAddresses(at, asked));
    if (left.length === 0) return arrived(succeeded("no such address is banned any more"));
    return bansDigest(left) === before ? ABSENT : traceless("other addresses are banned than before it");
  },
  look: doneWhenAnswered,
};

/** "temporary disable … override lasts 15 minutes" (behaviour.md, Read-only mode). */
const OVERRIDE_MS = 900_000;

/** Until when the database may write. @throws as calls of the client do */
async function overrideUntil({ client, ref, call }: AtRef): Promise<string | undefined> {
  const { override_active_until: until } = await client.readOnlyMode.get({ ref }, call);
  return until === null || until === undefined || until === "" ? undefined : until;
}

/** What is only told: what was answered was done, whatever comes of a look at it. */
async function unlessUnread<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isApiError(error)) return undefined;
    throw error;
  }
}

function writable(until: string | undefined): Progress {
  return succeeded(`the database writes until ${until ?? "15 minutes after it was asked for"}`);
}

const allowWrites: RequestKind<AtRef> = {
  verb: "allow-writes",
  parameter: "none",
  doing: "let the read-only database write for 15 minutes",
  repeats: true,
  ifUnknown: "ask with another id if the database does not write",
  admit: onceSettled,
  send: async (at, _asked, { call }) => {
    await at.client.readOnlyMode.disableTemporarily({ ref: at.ref }, call);
    return writable(await unlessUnread(() => overrideUntil(at)));
  },
  trace: async (at, record) => {
    const until = await calling("read whether the database is read-only", () => overrideUntil(at));
    const beganMs = Date.parse(until ?? "") - OVERRIDE_MS;
    if (mayHaveComeOf(record, beganMs)) return arrived(writable(until));
    const sentMs = Date.parse(record.sentAt ?? "");
    // What came of it would be over, or in the place of what is there.
    return at.nowMs >= sentMs + OVERRIDE_MS - INTENT_MARGIN_MS || beganMs > sentMs ? TRACELESS : ABSENT;
  },
  look: doneWhenAnswered,
};

const shutDownRealtime: RequestKind<AtRef> = {
  verb: "shut-down-realtime",
  parameter: "none",
  doing: "end the realtime connections",
  repeats: false,
  ifUnknown: "ask with another id if connections are still open",
  admit: onceSettled,
  send: async ({ client, ref }, _asked, { call }) => {
    await client.realtime.shutdown({ ref }, call);
    return succeeded("all realtime connections were ended");
  },
  trace: () => Promise.resolve(TRACELESS),
  look: doneWhenAnswered,
};

export const requestsOfRef: readonly RequestKind<AtRef>[] = [
  restart,
  liftNetworkBans,
  allowWrites,
  shutDownRealtime,
  replaceRootKey,
];
