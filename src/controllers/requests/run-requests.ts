import type { RequestText } from "../../resources/requests.ts";
import { parseRequest } from "../../resources/requests.ts";
import type { Run } from "../shared/run.ts";
import { isUnderWay, isUnsent, standing } from "./records.ts";
import type { RequestKind, RequestStatus } from "./request.ts";
import { followRecord } from "./follow.ts";
import { Ledger } from "./ledger.ts";
import { sendRequest } from "./send.ts";
import { showRequests } from "./show.ts";

/** What the requests of one object are carried out with. */
export interface RequestsOptions<At> {
  readonly kinds: readonly RequestKind<At>[];
  readonly at: At;
  /** `managementPolicy: Observe`: nothing is sent */
  readonly observes: boolean;
  /** the platform's clock, milliseconds since the epoch */
  serverNow(): number;
}

/**
 * Carries out what is asked for, one after another: follows what was sent before, and sends what is new, recorded under a lock before it is sent (as
 * create-once.ts does). A request whose answer was lost is looked for, and sent again only where it certainly had no effect.
 *
 * A request that fails is no failure of the run: its outcome is in the status. What is under way has the object looked at again in time, whatever
 * else the run comes to.
 *
 * @returns whether something was sent, so that the remote side may be another than it was before
 * @throws as `calling` for what cannot be read, and for a request that was not sent and may be sent by a later run
 */
export async function runRequests<Status extends RequestStatus, At>(
  run: Run<Status>,
  options: RequestsOptions<At>,
): Promise<boolean> {
  const ledger = new Ledger(run, options.serverNow());
  for (const kind of options.kinds) {
    for (const record of ledger.list) {
      if (record.verb === kind.verb && isUnderWay(record)) await followRecord(ledger, { kind, record, ...options });
    }
  }
  let sent = false;
  for (const kind of options.kinds) {
    if (await answer(ledger, kind, options)) sent = true;
  }
  showRequests(run, ledger.list, options.kinds);
  const afterMs = ledger.nextLookMs();
  if (afterMs !== undefined) run.environment.enqueue(run.key, { lane: "progress", afterMs });
  return sent;
}

/** Deals with what the annotation of a verb asks for, if that is new. @returns whether a request was sent */
async function answer<Status extends RequestStatus, At>(
  ledger: Ledger<Status>,
  kind: RequestKind<At>,
  { at, observes }: RequestsOptions<At>,
): Promise<boolean> {
  const { verb } = kind;
  const text = standing(ledger.metadata, verb);
  if (text === undefined) return false;
  const known = ledger.find(verb, text);
  if (known !== undefined && !isUnsent(known)) return false;
  const parsed = parseRequest(text, kind.parameter);
  const asked: RequestText = parsed.ok ? parsed.request : { id: text.split("@", 1)[0] ?? "", parameter: undefined };
  const note = (state: "Refused" | "Waiting", message: string): false => {
    ledger.put({ verb, id: asked.id, request: text, state, message });
    return false;
  };
  if (!parsed.ok) return note("Refused", parsed.message);
  if (ledger.usesId(verb, asked.id, text)) {
    return note("Refused", `nothing was sent: the id ${asked.id} was used for another ${verb}: write a new one`);
  }
  if (observes) return note("Refused", "nothing was sent: managementPolicy is Observe; another id asks again");
  const other = kind.amid === true ? undefined : ledger.underWay();
  if (other !== undefined) return note("Waiting", `waits for ${other.verb} ${other.id}`);
  const admission = await kind.admit(at, asked);
  if (admission.kind === "wait") return note("Waiting", admission.message);
  if (admission.kind === "refuse") return note("Refused", `nothing was sent: ${admission.message}`);
  await sendRequest(ledger, { kind, at, asked, text });
  return true;
}
