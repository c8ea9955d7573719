import type { JitRole, NewJitRole } from "../../api/contract/jit.ts";
import { isWithin } from "../infrastructure/cidrs.ts";

/** Who may assume which role: from where, until when, in which kind of project. Pure. */

/** When and in what a role is to be assumed. */
export interface JitContext {
  readonly nowMs: number;
  /** whether the project is a branch's */
  readonly isBranch: boolean;
}

interface JitAttempt extends JitContext {
  /** host that the connection comes from, as an address */
  readonly host: string;
}

/** Whether a role can be assumed in this project at this time, wherever from. */
export function isAssumable(role: NewJitRole, { nowMs, isBranch }: JitContext): boolean {
  if (role.expires_at !== undefined && role.expires_at * 1000 <= nowMs) return false;
  return role.branches_only !== true || isBranch;
}

/** Why a role cannot be assumed; undefined when it can. */
export function refusalOf(role: NewJitRole, attempt: JitAttempt): string | undefined {
  if (role.expires_at !== undefined && role.expires_at * 1000 <= attempt.nowMs) return "its grant has expired";
  if (!isAssumable(role, attempt)) return "it is granted for branches only";
  return isFrom(role, attempt.host) ? undefined : "the host is in none of the allowed networks";
}

/** Whether a host is in the networks of a role; a role that names none is for every host. */
function isFrom({ allowed_networks: networks }: NewJitRole, host: string): boolean {
  const v4 = networks?.allowed_cidrs ?? [];
  const v6 = networks?.allowed_cidrs_v6 ?? [];
  if (v4.length + v6.length === 0) return true;
  return [...v4, ...v6].some(({ cidr }) => isWithin(cidr, host));
}

/** A granted role as reads show it. */
export function roleOutput(role: NewJitRole): JitRole {
  return { ...role, branches_only: role.branches_only ?? false };
}
