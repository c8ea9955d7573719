import { parseRequest, type RequestText } from "../../resources/requests.ts";
import { inDoubtForMs } from "../shared/create-once.ts";
import type { Ledger } from "./ledger.ts";
import { standing } from "./records.ts";
import { REQUEST_DEADLINE_MS, type Recorded, type RequestKind, type RequestStatus } from "./request.ts";

/** A request that was sent by an earlier run, or perhaps was. */
interface Followed<At> {
  readonly kind: RequestKind<At>;
  readonly at: At;
  readonly record: Recorded;
}

/** Looks what came of a request, and notes it. */
export async function followRecord<Status extends RequestStatus, At>(
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
  const doubtMs = inDoubtForMs({ time: record.sentAt ?? "" }, REQUEST_DEADLINE_MS, ledger.nowMs);
  if (doubtMs > 0) {
    ledger.put({ ...record, message: "no answer came: what came of it is looked for" });
    return;
  }
  if (trace.kind === "absent" && kind.repeats) {
    // Forgotten, it is sent as if for the first time, where somebody still asks for it.
    if (standing(ledger.metadata, record.verb) === record.request) ledger.forget(record);
    else ledger.advance(record, { state: "Failed", message: "no answer came, and it had no effect" });
    return;
  }
  const found = trace.kind === "absent" ? "it seems to have had no effect" : "nothing tells whether it was done";
  const message = `no answer came and ${found}; it is not sent again: ${kind.ifUnknown}`;
  ledger.advance(record, { state: "Unknown", message });
}

function askedBy<At>({ parameter }: RequestKind<At>, { request, id }: Recorded): RequestText {
  const parsed = parseRequest(request, parameter);
  return parsed.ok ? parsed.request : { id, parameter: undefined };
}
