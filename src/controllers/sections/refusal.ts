import { isApiError } from "../../api/errors.ts";
import { causeChain } from "../../base/error-facts.ts";
import { TerminalError } from "../../runtime/outcome.ts";
import { terminal } from "../shared/failures.ts";
import { followedBy } from "../shared/followed-by.ts";
import { reasonOf } from "../shared/ready.ts";

/** What an error says of a refusal, and what it is to say: whether the platform refused what was asked for, for the plan, and what would be needed. */

/** Whether the platform refused a write for what it asks for, and not for who asks. What we refuse ourselves costs nothing to refuse again. */
export function isRefusal(error: unknown): error is TerminalError {
  const isFinal = error instanceof TerminalError && (error.reason === "Rejected" || error.reason === "PlanLimit");
  return isFinal && causeChain(error).some((link) => isApiError(link));
}

/** Whether the platform says itself that the plan is in the way. */
export function isPlanRefusal(error: unknown): boolean {
  return causeChain(error).some((link) => isApiError(link, "PLAN_REQUIRED"));
}

interface Gated {
  /** paths in the spec */
  readonly fields: readonly string[];
  /** on which the platform takes them, where the contract says so */
  readonly plans: readonly string[] | undefined;
  /** that the organization has: where it is none of them, a refusal as of a bad value is one for the plan (facts.md §6.13); default: only the platform's answer tells */
  readonly plan?: string | undefined;
}

/** A refusal for the organization's plan, with the plans that would do and the fields that need them. */
export function withPlans(error: unknown, { fields, plans, plan }: Gated): unknown {
  if (!(error instanceof TerminalError) || plans === undefined) return error;
  const isShort = plan !== undefined && !plans.includes(plan) && isRefusal(error);
  if (!isShort && !isPlanRefusal(error)) return error;
  const { reason, recheckAfterMs, message } = error;
  const options = { cause: error, ...(recheckAfterMs === undefined ? {} : { recheckAfterMs }) };
  const needed = isSaid(message, plans) ? "needed by" : `it needs a plan of ${plans.join(", ")} for`;
  return terminal(reasonOf(reason), followedBy(message, `${needed} ${fields.join(", ")}`), options);
}

interface Needing {
  /** path in the spec */
  readonly field: string;
  readonly needs: string | undefined;
}

/** A refusal of the platform's, with what it asks for besides: also where it refuses as it refuses a bad value (facts.md §6.13). */
export function withNeeds(error: unknown, needing: Needing): unknown {
  return isRefusal(error) ? refusalWithNeeds(error, needing) : error;
}

/** The same of what is known to be one. */
export function refusalWithNeeds(error: TerminalError, { field, needs }: Needing): TerminalError {
  if (needs === undefined) return error;
  const { reason, recheckAfterMs, message } = error;
  const options = { cause: error, ...(recheckAfterMs === undefined ? {} : { recheckAfterMs }) };
  return terminal(reasonOf(reason), followedBy(message, `${field} needs ${needs}`), options);
}

/** Whether the platform's words name the plans already. */
function isSaid(message: string, plans: readonly string[]): boolean {
  const words = new Set(message.toLowerCase().match(/[a-z]+/gu));
  return plans.every((plan) => words.has(plan));
}
