import type { Meter } from "../base/meter.ts";
import type { AttemptFailure } from "./retry.ts";
import type { TransportFailureKind } from "./transport.ts";

type StatusLabel = `${number}`;
/** How one sending ended: a status, or the kind of failure where there was no answer. */
export type SendingOutcome = StatusLabel | TransportFailureKind;

/** Why a request is sent again where no status says it. */
export const resendCauses = [
  "notSent",
  "lost",
  "timedOut",
  "throttled",
  "tokenReplaced",
] as const satisfies readonly ResendCause[];
type ResendCause = Exclude<AttemptFailure["kind"], "status"> | "throttled" | "tokenReplaced";

/** What is counted of calls; operations and outcomes are bounded sets. */
export interface CallMetrics {
  /** One sending ended. @param outcome a status, or the kind of failure where there was no answer */
  sent(operation: string, outcome: SendingOutcome, durationMs: number): void;
  /** A call is going to be sent again. */
  repeated(operation: string, cause: StatusLabel | (typeof resendCauses)[number]): void;
}

/** The metrics of calls; those of all clients of one meter are the same. */
export function callMetrics(meter: Meter): CallMetrics {
  const requests = meter.counter({
    name: "baas_api_requests_total",
    help: "Requests sent to the Management API, by operation and status or kind of failure",
    labels: ["operation", "outcome"],
  });
  const durations = meter.histogram({
    name: "baas_api_request_duration_seconds",
    help: "Time from sending a request to its whole answer or failure",
    labels: ["operation"],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  });
  const retries = meter.counter({
    name: "baas_api_retries_total",
    help: "Requests sent again, by operation and what failed before",
    labels: ["operation", "cause"],
  });
  return {
    sent: (operation, outcome, durationMs) => {
      requests.increment({ operation, outcome });
      durations.observe(durationMs / 1000, { operation });
    },
    repeated: (operation, cause) => retries.increment({ operation, cause }),
  };
}
