import type { Reason } from "../../resources/conditions.ts";
import { requestAnnotation, type RequestState } from "../../resources/requests.ts";
import type { Run } from "../shared/run.ts";
import { standing } from "./records.ts";
import type { Recorded, RequestKind, RequestStatus } from "./request.ts";

/** Outcomes that somebody should hear of, and the reason of the condition. */
const BAD: ReadonlyMap<string, Reason> = new Map<RequestState, Reason>([
  ["Failed", "RequestFailed"],
  ["Refused", "RequestFailed"],
  ["Expired", "RequestFailed"],
  ["Unknown", "RequestUnknown"],
]);

/**
 * Shows in the condition RequestFailed what came to no good end of what annotations still ask for. It goes with the annotation, or with another id.
 */
export function showRequests<Status extends RequestStatus>(
  run: Run<Status>,
  list: readonly Recorded[],
  kinds: readonly Pick<RequestKind<never>, "verb">[],
): void {
  const asked = kinds.flatMap(({ verb }) => {
    const request = standing(run.raw.metadata, verb);
    return list.filter((record) => record.verb === verb && record.request === request && BAD.has(record.state));
  });
  const [first] = asked;
  if (first === undefined) {
    run.status.remove("RequestFailed");
    return;
  }
  const unknown = asked.find(({ state }) => BAD.get(state) === "RequestUnknown");
  const reason = BAD.get((unknown ?? first).state) ?? "RequestFailed";
  const message = asked.map((record) => `${requestAnnotation(record.verb)} ${record.id}: ${record.message ?? ""}`);
  run.status.set("RequestFailed", "True", reason, message.join("; "));
  const condition = run.status.condition("RequestFailed");
  if (condition !== undefined) run.announce("Warning", condition);
}
