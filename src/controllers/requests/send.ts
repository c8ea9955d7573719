import { type AnyApiError, type ApiErrorCode, isApiError } from "../../api/errors.ts";
import { requestAnnotation, type RequestText } from "../../resources/requests.ts";
import { FINAL_ABSENCE_MS } from "../shared/absences.ts";
import { adviceOn, explain } from "../shared/failures.ts";
import { noteFound, noteMissed } from "../shared/require-absence.ts";
import { sendRecorded } from "../shared/send-recorded.ts";
import type { Sought } from "../shared/sought.ts";
import { noteUnread, SOUGHT } from "./follow.ts";
import type { Ledger } from "./ledger.ts";
import { isUnsent, untried } from "./records.ts";
import { REQUEST_DEADLINE_MS, type Recorded, type RequestKind, type RequestStatus } from "./request.ts";

/** A request that is to be sent. */
interface Sending<At> {
  readonly kind: RequestKind<At>;
  readonly at: At;
  readonly asked: RequestText;
  /** the annotation's value */
  readonly text: string;
  /** what the platform shows before it, where its effect is told by that */
  readonly before: string | undefined;
}

/**
 * Sends a request, which is recorded under an optimistic lock right before, and notes what came of it. A life that ends anywhere between leaves a
 * record that says that it may have been sent.
 *
 * @throws KubeError Conflict: nothing was sent; as `calling` where it certainly was not sent, so that a later run sends it
 */
export async function sendRequest<Status extends RequestStatus, At>(
  ledger: Ledger<Status>,
  { kind, at, asked, text, before }: Sending<At>,
): Promise<void> {
  const { run } = ledger;
  await run.protect();
  const known = ledger.find(kind.verb, text);
  const { message = "" } = known ?? {};
  const unsent: Recorded = {
    ...known,
    verb: kind.verb,
    id: asked.id,
    request: text,
    state: "Sending",
    // Of another try nothing new is told before its end.
    message: message.startsWith(REFUSED) ? message : "is being sent",
    ...(before === undefined ? {} : { before }),
  };
  try {
    const { answer, record } = await sendRecorded(run, {
      what: `requests.${kind.verb}`,
      record: () => {
        const record = { ...unsent, sentAt: ledger.now };
        ledger.put(record);
        return record;
      },
      takeBack: (error, record) => takeBack(ledger, { kind, record }, error),
      send: (call) => kind.send(at, asked, { call: { ...call, deadlineMs: REQUEST_DEADLINE_MS }, before }),
    });
    // What asks for nothing, as it is there already, was not recorded either.
    if (record !== undefined) {
      run.wrote("Requested", `${kind.doing}, as ${requestAnnotation(kind.verb)} asked with the id ${asked.id}`);
    }
    noteFound(run, soughtBy(unsent));
    ledger.advance(record ?? unsent, answer);
  } catch (error) {
    const found = ledger.find(kind.verb, text);
    const record = found === known ? undefined : found;
    // What had no leave to be sent was not recorded either.
    if (record === undefined && isApiError(error) && error.effect === "none") {
      takeBack(ledger, { kind, record: unsent }, error);
    }
    await settleFailure(ledger, { kind, at, asked, record: record ?? unsent }, error);
  }
  // At once: until this is written, the request counts as one whose answer was lost.
  await run.writeStatus();
}

interface Sent<At> extends Omit<Sending<At>, "text" | "before"> {
  readonly record: Recorded;
}

/** What the request is asked of. */
function soughtBy({ verb, request }: Recorded): Sought {
  return { kind: "request", verb, request };
}

/** Begins what is told of a request that was refused and goes again. */
const REFUSED = "was not sent yet: ";

/** Failures after which nothing happened and the very same request may be taken later, without anybody's asking anew. */
const LATER: ReadonlySet<ApiErrorCode> = new Set<ApiErrorCode>(["UNAUTHORIZED"]);

/**
 * Whether what certainly had no effect is sent again. A 404 is no end either before a second one, a minute later: what was asked for has its end then, and one
 * may be a mistake. It is asked once more by then; all else of the run goes on and is stored: it may have written what is written once.
 */
function mayBeTakenLater<Status extends RequestStatus>(
  { run }: Ledger<Status>,
  record: Recorded,
  { code, retryable }: AnyApiError,
): boolean {
  const sought = soughtBy(record);
  if (code !== "GONE") {
    const isLater = retryable || LATER.has(code);
    if (!isLater) noteFound(run, sought);
    return isLater;
  }
  const leftMs = FINAL_ABSENCE_MS - noteMissed(run, sought);
  if (leftMs > 0) run.environment.enqueue(run.key, { lane: "progress", afterMs: leftMs });
  else noteFound(run, sought);
  return leftMs > 0;
}

/** Failures with which the whole run ends, and in whose words its status is written at once (shared/attempt.ts). */
const ENDS_RUN: ReadonlySet<ApiErrorCode> = new Set<ApiErrorCode>(["BUDGET", "UNAUTHORIZED"]);

/** Puts what became of a request that certainly had no effect into the place of its record. @returns what is to be told of that, and of which request */
function takeBack<Status extends RequestStatus, At>(
  ledger: Ledger<Status>,
  { kind, record }: Pick<Sent<At>, "kind" | "record">,
  error: AnyApiError,
): string {
  if (mayBeTakenLater(ledger, record, error)) {
    const message = `${REFUSED}${error.advice}`;
    ledger.put({ ...untried(record), message });
    return `${record.request}: ${message}`;
  }
  const advice = error.code === "FORBIDDEN" ? `; ${adviceOn(error)}` : "";
  const message = `could not ${kind.doing}: ${error.message}${advice}`;
  ledger.advance(untried(record), { state: "Failed", message });
  return `${record.request}: ${message}`;
}

async function settleFailure<Status extends RequestStatus, At>(
  ledger: Ledger<Status>,
  { kind, at, asked, record }: Sent<At>,
  error: unknown,
): Promise<void> {
  if (!isApiError(error)) throw error;
  if (error.effect === "none") {
    const settled = ledger.find(record.verb, record.request);
    if (error.code === "GONE" || settled === undefined || !isUnsent(settled)) return;
    if (!ENDS_RUN.has(error.code)) await ledger.run.writeStatus();
    throw explain(error, kind.doing);
  }
  noteFound(ledger.run, soughtBy(record));
  ledger.put({ ...record, message: SOUGHT });
  // At once, since what shows that it arrived may soon be over.
  try {
    const trace = await kind.trace(at, record, asked);
    ledger.put({ ...record, message: SOUGHT, lookedAt: ledger.now });
    if (trace.kind === "arrived") ledger.advance(record, trace.progress);
  } catch (unread) {
    noteUnread(ledger, { kind, record }, unread);
  }
}
