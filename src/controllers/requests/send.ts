import { type AnyApiError, type ApiErrorCode, isApiError } from "../../api/errors.ts";
import { requestAnnotation, type RequestText } from "../../resources/requests.ts";
import { ABSENCE_LOOK_MS } from "../shared/absences.ts";
import { adviceOn, explain } from "../shared/failures.ts";
import { sendRecorded } from "../shared/send-recorded.ts";
import { noteUnread, SOUGHT } from "./follow.ts";
import type { Ledger } from "./ledger.ts";
import { untried } from "./records.ts";
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
  let record: Recorded = {
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
    const progress = await sendRecorded(run, {
      what: `requests.${kind.verb}`,
      record: () => {
        record = { ...record, sentAt: ledger.now };
        ledger.put(record);
      },
      takeBack: (error) => takeBack(ledger, { kind, record }, error),
      send: (call) => kind.send(at, asked, { call: { ...call, deadlineMs: REQUEST_DEADLINE_MS }, before }),
    });
    // What asks for nothing, as it is there already, was not recorded either.
    if (record.sentAt !== undefined) {
      run.wrote("Requested", `${kind.doing}, as ${requestAnnotation(kind.verb)} asked with the id ${asked.id}`);
    }
    ledger.advance(record, progress);
  } catch (error) {
    await settleFailure(ledger, { kind, at, asked, record }, error);
  }
  for (const section of kind.shownBy ?? []) run.environment.sections.drop(run.key, section);
  // At once: until this is written, the request counts as one whose answer was lost.
  await run.writeStatus();
}

interface Sent<At> extends Omit<Sending<At>, "text" | "before"> {
  readonly record: Recorded;
}

/** Begins what is told of a request that was refused and goes again. */
const REFUSED = "was not sent yet: ";

/** Failures after which nothing happened and the very same request may be taken later, without anybody's asking anew. */
const LATER: ReadonlySet<ApiErrorCode> = new Set<ApiErrorCode>(["UNAUTHORIZED"]);

/** A 404 is no end either before a second one, some seconds later: what was asked for then has its end, and one may be a mistake. */
function mayBeTakenLater<Status extends RequestStatus>(
  { run: { environment, raw } }: Ledger<Status>,
  { verb, request }: Recorded,
  { code, effect, retryable }: AnyApiError,
): boolean {
  if (code === "GONE") return !environment.absences.missed(raw.metadata.uid, `${verb} ${request}`);
  return effect === "none" && (retryable || LATER.has(code));
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
    // What had no leave to be sent was not recorded either.
    if (record.sentAt === undefined) takeBack(ledger, { kind, record }, error);
    if (!mayBeTakenLater(ledger, record, error)) return;
    if (error.code === "GONE") {
      // Asked once more. All else of the run goes on and is stored: it may have written what is written once.
      const { environment, key } = ledger.run;
      return environment.enqueue(key, { lane: "progress", afterMs: ABSENCE_LOOK_MS });
    }
    if (!ENDS_RUN.has(error.code)) await ledger.run.writeStatus();
    throw explain(error, kind.doing);
  }
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
