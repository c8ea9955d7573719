import type { RequestState } from "../../resources/requests.ts";
import type { Run } from "../shared/run.ts";
import { isUnsent, standing } from "./records.ts";
import type { Recorded, RequestStatus } from "./request.ts";

/**
 * Tells requests from what only looks like one. Annotations come along with a copied manifest and a restored backup, whose object has another uid: what
 * stood on an object when it was first seen is therefore never carried out. It could take a database back to a time that somebody else meant, for
 * another project; whoever meant it for this one asks again with another id. The same holds for a status that was lost: nothing tells then which
 * requests were carried out.
 */
export function sightRequests<Status extends RequestStatus>(run: Run<Status>, verbs: readonly string[]): void {
  const { raw, status } = run;
  const { uid } = raw.metadata;
  const { requestsFor, requests = [] } = status.current;
  if (requestsFor !== uid) {
    status.asked({ requests: verbs.flatMap((verb) => ignored(raw.metadata, verb)), requestsFor: uid });
    return;
  }
  // Nothing of it was sent, and nobody asks for it any more.
  const kept = requests.filter((record) => !isUnsent(record) || standing(raw.metadata, record.verb) === record.request);
  if (kept.length < requests.length) status.asked({ requests: kept, requestsFor: uid });
}

function ignored(metadata: Run<RequestStatus>["raw"]["metadata"], verb: string): readonly Recorded[] {
  const request = standing(metadata, verb);
  if (request === undefined) return [];
  const state: RequestState = "Ignored";
  const message = "it stood on the object when that was first seen: nothing was sent; another id asks for it";
  return [{ verb, id: request.split("@", 1)[0] ?? "", request, state, message }];
}
