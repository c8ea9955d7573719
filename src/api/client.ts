import type { Contract } from "./contract/contract.ts";
import type { Operation, OperationInput, OperationOutput } from "./contract/operation.ts";
import type { ApiLane } from "./lanes.ts";

/** Who the credential stands for, as the platform's profile tells it. */
export interface ApiIdentity {
  readonly userId: string;
  readonly username: string;
  readonly email: string;
}

/** How one call is made. All of it optional. */
export interface CallOptions {
  /** Ends the call at once; the error is ABORTED, or DEADLINE when the reason is a DeadlineError. */
  readonly signal?: AbortSignal;
  /** Default `change`. */
  readonly lane?: ApiLane;
  /** Longest time of the call with all its waits and repetitions, milliseconds. */
  readonly deadlineMs?: number;
  /** Longest wait for budget before the first sending, milliseconds; beyond it the error is BUDGET with `retryAfterMs`. */
  readonly maxWaitMs?: number;
}

/** Operations on `/v1/branches/{id}` count against the parent project, which the path does not tell (facts.md, "Scope of a request"). */
export interface BranchCallOptions extends CallOptions {
  /** ref of the project that the branch belongs to */
  readonly parentRef: string;
}

type Arguments<O extends Operation> = O extends { readonly limitScope: "branchParent" }
  ? readonly [input: OperationInput<O>, options: BranchCallOptions]
  : Record<never, never> extends OperationInput<O>
    ? readonly [input?: OperationInput<O>, options?: CallOptions]
    : readonly [input: OperationInput<O>, options?: CallOptions];

/** One operation as a function. Rejects with ApiError (errors.ts) and nothing else. */
export type Call<O extends Operation> = (...args: Arguments<O>) => Promise<OperationOutput<O>>;

/** The operations, by section and verb, as the contract has them. */
export type ApiOperations = {
  readonly [Section in keyof Contract]: {
    readonly [Verb in keyof Contract[Section]]: Contract[Section][Verb] extends Operation
      ? Call<Contract[Section][Verb]>
      : never;
  };
};

/** The Management API as one credential sees it. */
export interface ApiClient extends ApiOperations {
  /** The platform's wall time, milliseconds since the epoch, estimated from Date headers; undefined before the first answer. */
  serverNow(): number | undefined;
  /** Whose credential it is: asked once per token, shared by all who ask at the same time. Rejects with ApiError. */
  identity(options?: CallOptions): Promise<ApiIdentity>;
  /** Ends what is under way and closes the connections. */
  close(): Promise<void>;
}
