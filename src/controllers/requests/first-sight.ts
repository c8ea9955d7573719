import type { RequestState } from "../../resources/requests.ts";
import { sameJson } from "../shared/merge-patch.ts";
import type { Run } from "../shared/run.ts";
import { isSame, isUnsent, standing, withRecord } from "./records.ts";
import type { Recorded, RequestStatus } from "./request.ts";
import { withSpent } from "./spent.ts";
import { troubleOf } from "./trouble.ts";

/** What requests of a verb stand for that their texts do not say, by verb, as it is declared now; undefined where nothing is. Never a secret. */
export type Meanings = Readonly<Partial<Record<string, () => Promise<string | undefined>>>>;

/**
 * Tells requests from what only looks like one. Annotations come along with a copied manifest and a restored backup, whose object has another uid: what
 * stood on an object when it was first seen is therefore never carried out. It could take a database back to a time that somebody else meant, for
 * another project; whoever meant it for this one asks again with another id. The same holds for a status that was lost: nothing tells then which
 * requests were carried out.
 */
export async function sightRequests<Status extends RequestStatus>(
  run: Run<Status>,
  verbs: readonly string[],
  meanings: Meanings,
): Promise<void> {
  const { raw, status } = run;
  const { uid } = raw.metadata;
  const { requestsFor, requests = [], spentRequests = [] } = status.current;
  if (requestsFor !== uid) {
    // Void as they are, their ids stay spent: to refuse one too many costs an id, to carry one out again a database.
    const spent = withSpent(spentRequests, requests);
    const seen = verbs.flatMap((verb) => ignored(raw.metadata, verb));
    status.asked({ requests: seen, requestsFor: uid, spentRequests: spent });
    return;
  }
  // Nothing of it was sent, and nobody asks for it any more.
  const kept = requests.filter((record) => !isUnsent(record) || standing(raw.metadata, record.verb) === record.request);
  const stale = wasPausedLong(run) ? verbs.flatMap((verb) => refused(raw.metadata, verb, kept)) : [];
  const settled = stale.reduce<readonly Recorded[]>(withRecord, kept);
  const askedAt = new Date(run.environment.clock.now()).toISOString();
  const all = [...settled, ...verbs.flatMap((verb) => unseen(raw.metadata, verb, settled))];
  const dated = await Promise.all(
    all.map(async (one) => (isUnsent(one) ? { askedAt, ...(await meantBy(run, meanings, one)), ...one } : one)),
  );
  if (!sameJson(dated, requests)) status.asked({ requests: dated, requestsFor: uid });
}

/** What an unsent request stands for, kept from the first time that it can be told: it may be another thing by the time that it can be sent. */
async function meantBy<Status extends RequestStatus>(
  { signal }: Run<Status>,
  meanings: Meanings,
  { verb, meant }: Recorded,
): Promise<Pick<Recorded, "meant">> {
  const meaning = meanings[verb];
  if (meaning === undefined || meant !== undefined) return {};
  try {
    const found = await meaning();
    return found === undefined ? {} : { meant: found };
  } catch (error) {
    troubleOf(error, signal); // whoever sends it meets that, and says so
    return {};
  }
}

/** What was not seen before: from now on counts how long it stands unsent (unsent.ts). */
function unseen(
  metadata: Run<RequestStatus>["raw"]["metadata"],
  verb: string,
  records: readonly Recorded[],
): readonly Recorded[] {
  const request = standing(metadata, verb);
  if (request === undefined || records.some((record) => isSame(record, { verb, request }))) return [];
  const state: RequestState = "Waiting";
  return [{ verb, id: idOf(request), request, state, message: "was not sent yet" }];
}

/** How long an object may be paused for what is asked of it meanwhile to be carried out when it goes on, milliseconds. */
const LONGEST_PAUSE_MS = 3_600_000;

/** Whether this run is the first after a long pause. */
function wasPausedLong(run: Run<RequestStatus>): boolean {
  const paused = run.conditionBefore("Paused");
  if (paused?.status !== "True") return false;
  return run.environment.clock.now() - Date.parse(paused.lastTransitionTime) > LONGEST_PAUSE_MS;
}

/** What was asked for long ago may be meant no more: a time to go back to, for example, from before what was written since. */
function refused(
  metadata: Run<RequestStatus>["raw"]["metadata"],
  verb: string,
  records: readonly Recorded[],
): readonly Recorded[] {
  const request = standing(metadata, verb);
  if (request === undefined) return [];
  const known = records.find((record) => isSame(record, { verb, request }));
  if (known !== undefined && !isUnsent(known)) return [];
  const state: RequestState = "Refused";
  const message = "nothing was sent: the object was paused for more than an hour; another id asks for it";
  return [{ verb, id: idOf(request), request, state, message }];
}

function idOf(request: string): string {
  return request.split("@", 1)[0] ?? "";
}

function ignored(metadata: Run<RequestStatus>["raw"]["metadata"], verb: string): readonly Recorded[] {
  const request = standing(metadata, verb);
  if (request === undefined) return [];
  const state: RequestState = "Ignored";
  const message = "it stood on the object when that was first seen: nothing was sent; another id asks for it";
  return [{ verb, id: idOf(request), request, state, message }];
}
