import { classify } from "../../runtime/outcome.ts";
import { explain } from "../shared/failures.ts";

/** Failures to read what a request needs or came to: they are the request's, and all else of its object goes on. */

export interface Trouble {
  readonly message: string;
  /** by itself; otherwise somebody must act: a token without the right to it, for example */
  readonly passes: boolean;
}

/** What a failure says of the request that it was met at. @throws the failure itself where it is the run's: a conflict, a spent budget, the process's end */
export function troubleOf(error: unknown, signal: AbortSignal): Trouble {
  const outcome = classify(explain(error, "read what the request needs"), signal);
  switch (outcome.kind) {
    case "terminal":
      return { message: outcome.message, passes: false };
    case "waiting":
    case "transient":
      return { message: outcome.message, passes: true };
    case "done":
    case "conflict":
    case "aborted":
    case "rateLimited":
    case "deadline":
    case "unexpected":
      throw error;
    default:
      return outcome satisfies never;
  }
}
