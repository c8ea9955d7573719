import { parseRequest, type RequestText } from "../../resources/requests.ts";
import { inDoubtForMs } from "../shared/create-once.ts";
import type { Ledger } from "./ledger.ts";
import { standing, untried } from "./records.ts";
import { type Follower, REQUEST_DEADLINE_MS, type Recorded, type RequestKind, type RequestStatus } from "./request.ts";
import { troubleOf } from "./trouble.ts";

/** A request that was sent by an earlier run, or perhaps was. */
interface Followed<At> {
  readonly kind: Follower<At>;
  readonly at: At;
  readonly record: Recorded;
}

/** What is told of a request while its effect is looked for. */
export const SOUGHT = "no answer came: what came of it is looked for";

/** How long what runs is looked at in vain where somebody would have to act for it to be seen, milliseconds. */
const UNSEEN_FOR_MS = 3_600_000;

/** Looks what came of a request, and notes it. What cannot be read is noted too, so that it holds up nothing else. */
export async function followRecord<Status extends RequestStatus, At>(
  ledger: Ledger<Status>,
  followed: Followed<At>,
): Promise<void> {
  try {
    await look(ledger, followed);
  } catch (error) {
    noteUnread(ledger, followed, error);
  }
}

/** Notes why it cannot be told what came of a request; what will not be told ends as Unknown, and is never sent again. @throws as troubleOf */
export function noteUnread<Status extends RequestStatus>(
  ledger: Ledger<Status>,
  { kind, record }: { readonly kind: Pick<RequestKind<never>, "ifUnknown">; readonly record: Recorded },
  error: unknown,
): void {
  const { message: why, passes } = troubleOf(error, ledger.run.signal);
  const message = `what came of it cannot be read: ${why}`;
  const { state, sentAt = "" } = record;
  const leftMs = state === "Running" ? Date.parse(sentAt) + UNSEEN_FOR_MS - ledger.nowMs : doubtMs(ledger, record);
  if (passes || leftMs > 0) ledger.put({ ...record, message });
  else ledger.advance(record, { state: "Unknown", message: `${message}; it is not sent again: ${kind.ifUnknown}` });
}

function doubtMs<Status extends RequestStatus>({ nowMs }: Ledger<Status>, { sentAt = "" }: Recorded): number {
  return inDoubtForMs({ time: sentAt }, REQUEST_DEADLINE_MS, nowMs);
}

async function look<Status extends RequestStatus, At>(
  ledger: Ledger<Status>,
  { kind, at, record }: Followed<At>,
): Promise<void> {
  if (record.state === "Running") {
    ledger.advance(record, await kind.look(at, record));
    return;
  }
  const asked = askedBy(kind, record);
  const trace = await kind.trace(at, record, asked);
  if (trace.kind === "arrived") {
    ledger.advance(record, trace.progress);
    return;
  }
  if (doubtMs(ledger, record) > 0) {
    ledger.put({ lookedAt: ledger.now, ...record, message: SOUGHT });
    return;
  }
  if (trace.kind === "absent" && kind.repeats) {
    // Sent as if for the first time, where somebody still asks for it and has not for long.
    if (standing(ledger.metadata, record.verb) === record.request) ledger.put(untried(record));
    else ledger.advance(record, { state: "Failed", message: "no answer came, and it had no effect" });
    return;
  }
  const untold = trace.kind === "traceless" ? (trace.why ?? "nothing tells whether it was done") : undefined;
  const found = untold ?? "it seems to have had no effect";
  const message = `no answer came and ${found}; it is not sent again: ${kind.ifUnknown}`;
  ledger.advance(record, { state: "Unknown", message });
}

function askedBy<At>({ parameter }: Follower<At>, { request, id }: Recorded): RequestText {
  const parsed = parseRequest(request, parameter);
  return parsed.ok ? parsed.request : { id, parameter: undefined };
}
