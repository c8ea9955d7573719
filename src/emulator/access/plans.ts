import type { Operation, Plan } from "../../api/contract/operation.ts";
import { type ApiFailure, badRequest, paymentRequired } from "../failure.ts";

/**
 * Plans: an operation that lists some is refused to organizations on others, with 402 where the catalogue lists that, else with 400
 * (behaviour.md, Errors 4; facts.md §6.13). `platform`, which no list names, stands above them all.
 */

const NAMES: Readonly<Record<Plan, string>> = {
  free: "Free",
  pro: "Pro",
  team: "Team",
  enterprise: "Enterprise",
  platform: "Platform",
};

/** The refusal, or undefined when the plan is enough. */
export function planRefusal({ plans, errors }: Operation, plan: Plan): ApiFailure | undefined {
  if (plans === undefined || plans.includes(plan) || plan === "platform") return undefined;
  const message = `This needs the plan ${inWords(plans.map((one) => NAMES[one]))}; the organization has ${NAMES[plan]}.`;
  return errors.includes(402) ? paymentRequired(message) : badRequest(message);
}

function inWords(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} or ${last}`;
}
