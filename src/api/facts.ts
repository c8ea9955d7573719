import { STANDARD_LIMIT } from "./contract/operation.ts";
import type { LimitClass, Operation } from "./contract/operation.ts";
import { operationOf } from "./contract/operation-id.ts";
import type { OperationId } from "./contract/operation-id.ts";

/** What is known of an operation before it is called. */
export interface OperationFacts extends Readonly<
  Pick<Operation, "summary" | "method" | "path" | "scopes" | "permissions" | "plans" | "stability">
> {
  readonly id: OperationId;
  /** what the client does after an answer that does not tell whether the request took effect; see RetrySafety */
  readonly retry: Operation["retry"];
  /** what a request counts against, beside its identity */
  readonly limitScope: Operation["limitScope"];
  /** every limit that a request passes, the standard one first */
  readonly limits: readonly LimitClass[];
  /** "will be removed" */
  readonly deprecated: boolean;
  /** `public`: sent without a token */
  readonly access: "token" | "public";
}

/** What the contract says of an operation: whether it may be repeated, what it counts against, what a token needs for it. */
export function operationFacts(id: OperationId): OperationFacts {
  const { summary, method, path, scopes, permissions, plans, stability, ...operation } = operationOf(id);
  return {
    id,
    summary,
    method,
    path,
    scopes,
    permissions,
    ...(plans === undefined ? {} : { plans }),
    stability,
    retry: operation.retry,
    limitScope: operation.limitScope,
    limits: [STANDARD_LIMIT, ...(operation.limitClass === undefined ? [] : [operation.limitClass])],
    deprecated: operation.deprecated ?? false,
    access: operation.access ?? "token",
  };
}
