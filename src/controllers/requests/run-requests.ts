import type { RequestText } from "../../resources/requests.ts";
import { parseRequest } from "../../resources/requests.ts";
import { pollDelayMs } from "../shared/polling.ts";
import type { Run } from "../shared/run.ts";
import { isUnderWay, isUnsent, standing } from "./records.ts";
import {
  type Admission,
  failed,
  type Follower,
  type Recorded,
  type RequestKind,
  type RequestStatus,
} from "./request.ts";
import { followRecord } from "./follow.ts";
import { Ledger, type LedgerOptions } from "./ledger.ts";
import { sendRequest } from "./send.ts";
import { showRequests } from "./show.ts";
import { troubleOf } from "./trouble.ts";
import { EXPIRED, standsTooLong, wasSetLongAgo } from "./unsent.ts";

/** What requests are asked of. */
export type Target<At> =
  | {
      readonly kind: "there";
      /** what they are carried out with */
      readonly at: At;
      /** `managementPolicy: Observe`: nothing is sent */
      readonly observes: boolean;
      /** the only verb of which anything is sent yet; default: none has to wait */
      readonly first?: string;
    }
  /** what is under way is followed, and nothing more is sent; `why` says so */
  | { readonly kind: "ending"; readonly at: At; readonly why: string }
  /** nothing that any of them may be done to; `why` says so. What came of some is found out all the same: their effect is elsewhere */
  | { readonly kind: "nothing"; readonly why: string; readonly elsewhere?: readonly Follower<undefined>[] };

/** The requests of one object. */
export interface RequestsOptions<At> extends LedgerOptions {
  readonly kinds: readonly RequestKind<At>[];
  readonly target: Target<At>;
}

/**
 * Carries out what is asked for, one after another: follows what was sent before, and sends what is new, recorded under a lock before it is sent (as
 * create-once.ts does). A request whose answer was lost is looked for, and sent again only where it certainly had no effect.
 *
 * A request that fails is no failure of the run: its outcome is in the status. What is under way has the object looked at again in time, whatever
 * else the run comes to, and so has what could not be read: its record says why, and nothing else waits for it.
 *
 * @returns whether something was sent, so that the remote side may be another than it was before
 * @throws as `calling` for a request that was not sent and may be sent by a later run
 */
export async function runRequests<Status extends RequestStatus, At>(
  run: Run<Status>,
  options: RequestsOptions<At>,
): Promise<boolean> {
  const { kinds, target } = options;
  const ledger = new Ledger(run, { ...options, ended: (record) => showEnded(run, options, record) });
  for (const kind of kinds) {
    for (const record of ledger.list) {
      if (record.verb === kind.verb && isUnderWay(record)) await follow(ledger, { kind, record, target });
    }
  }
  let sent = false;
  const first = target.kind === "there" ? target.first : undefined;
  for (const kind of kinds) {
    if (first !== undefined && kind.verb !== first) continue;
    if (await answer(ledger, kind, target)) sent = true;
  }
  showRequests(run, ledger.list, kinds);
  const afterMs = ledger.nextLookMs();
  if (afterMs !== undefined) run.environment.enqueue(run.key, { lane: "progress", afterMs });
  return sent;
}

/** What came to an end shows in sections, whichever run finds that out. */
function showEnded<Status extends RequestStatus, At>(
  run: Run<Status>,
  { kinds, ended }: RequestsOptions<At>,
  record: Recorded,
): void {
  const shownBy = kinds.find(({ verb }) => verb === record.verb)?.shownBy ?? [];
  for (const section of shownBy) run.environment.sections.drop(run.key, section);
  ended(record);
}

async function follow<Status extends RequestStatus, At>(
  ledger: Ledger<Status>,
  { kind, record, target }: { readonly kind: RequestKind<At>; readonly record: Recorded; readonly target: Target<At> },
): Promise<void> {
  if (target.kind !== "nothing") return followRecord(ledger, { kind, record, at: target.at });
  const follower = target.elsewhere?.find(({ verb }) => verb === record.verb);
  if (follower !== undefined) return followRecord(ledger, { kind: follower, record, at: undefined });
  ledger.advance(record, { state: "Unknown", message: `nothing tells what came of it: ${target.why}` });
}

/** Deals with what the annotation of a verb asks for, if that is new. @returns whether a request was sent */
async function answer<Status extends RequestStatus, At>(
  ledger: Ledger<Status>,
  kind: RequestKind<At>,
  target: Target<At>,
): Promise<boolean> {
  const { verb } = kind;
  const text = standing(ledger.metadata, verb);
  if (text === undefined) return false;
  const known = ledger.find(verb, text);
  if (known !== undefined && !isUnsent(known)) return false;
  const parsed = parseRequest(text, kind.parameter);
  const asked: RequestText = parsed.ok ? parsed.request : { id: text.split("@", 1)[0] ?? "", parameter: undefined };
  const note: Note = (state, message) => {
    ledger.put({ ...known, verb, id: asked.id, request: text, state, message });
    return false;
  };
  const observes = target.kind === "there" && target.observes;
  const refusal = parsed.ok ? refusalOf(ledger, { verb, asked, text, observes }) : parsed.message;
  if (refusal !== undefined) return note("Refused", refusal);
  if (standsTooLong(known, ledger.run.environment.clock.now())) return note("Expired", EXPIRED);
  const ready = await whetherReady(ledger, kind, { target, asked, text, known });
  if (ready.kind === "wait") return note("Waiting", ready.message);
  if (ready.kind === "refuse") return note("Refused", `nothing was sent: ${ready.message}`);
  if (ready.kind === "failed") return false;
  if (await wasSetLongAgo(ledger.run, verb)) return note("Expired", EXPIRED);
  await sendRequest(ledger, { kind, at: ready.at, asked, text, before: ready.before });
  return true;
}

interface Asking {
  readonly verb: string;
  readonly asked: RequestText;
  readonly text: string;
  readonly observes: boolean;
}

/** Why what is well-formed is not sent all the same, whatever the platform says. */
function refusalOf<Status extends RequestStatus>(
  ledger: Ledger<Status>,
  { verb, asked: { id }, text, observes }: Asking,
): string | undefined {
  if (ledger.usesId(verb, id, text)) {
    return `nothing was sent: the id ${id} was used for another ${verb}: write a new one`;
  }
  if (ledger.isSpent(verb, id)) {
    return `nothing was sent: the id ${id} was used for an earlier ${verb}: write a new one`;
  }
  return observes ? "nothing was sent: managementPolicy is Observe; another id asks again" : undefined;
}

type Note = (state: "Refused" | "Expired" | "Waiting", message: string) => false;

type Ready<At> =
  | Exclude<Admission, { readonly kind: "now" }>
  | { readonly kind: "now"; readonly at: At; readonly before: string | undefined }
  /** it came to its end */
  | { readonly kind: "failed" };

interface Examined<At> {
  readonly target: Target<At>;
  readonly asked: RequestText;
  readonly text: string;
  readonly known: Recorded | undefined;
}

/** How soon what a request could not read before it was sent is read again, milliseconds. */
const UNREAD_LOOK_MS = 30_000;

/** Whether a request may be sent now, and what is there before it. Nothing was sent where that cannot be read. */
async function whetherReady<Status extends RequestStatus, At>(
  ledger: Ledger<Status>,
  kind: RequestKind<At>,
  { target, asked, text, known }: Examined<At>,
): Promise<Ready<At>> {
  if (target.kind !== "there") return { kind: "refuse", message: target.why };
  const other = kind.amid === true ? undefined : ledger.underWay();
  if (other !== undefined) return { kind: "wait", message: `waits for ${other.verb} ${other.id}` };
  const { run } = ledger;
  const { at } = target;
  try {
    const admission = await kind.admit(at, asked, known?.meant);
    if (admission.kind === "wait" && admission.wakes !== true) lookAgain(run, known);
    return admission.kind === "now" ? { kind: "now", at, before: await kind.before?.(at, asked) } : admission;
  } catch (error) {
    const { message, passes } = troubleOf(error, run.signal);
    if (passes) {
      run.environment.enqueue(run.key, { lane: "progress", afterMs: UNREAD_LOOK_MS });
      return { kind: "wait", message: `was not sent yet: ${message}` };
    }
    const record: Recorded = { ...known, verb: kind.verb, id: asked.id, request: text, state: "Waiting" };
    ledger.advance(record, failed(`nothing was sent: ${message}; another id asks again`));
    return { kind: "failed" };
  }
}

/**
 * Has what waits for its time looked at again: what it waits for may have been over when it was read, and an object at rest is looked at for no other
 * reason.
 */
function lookAgain<Status extends RequestStatus>(run: Run<Status>, known: Recorded | undefined): void {
  const waitedMs = known?.askedAt === undefined ? 0 : run.environment.clock.now() - Date.parse(known.askedAt);
  // By a clock that is behind the one that it was first seen by, nothing tells how long it has waited.
  run.environment.enqueue(run.key, { lane: "progress", afterMs: pollDelayMs(waitedMs < 0 ? Infinity : waitedMs) });
}
