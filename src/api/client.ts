import type { BranchCallOptions, CallOptions, ClientOptions } from "./client-options.ts";
import { ClientCalls } from "./client-calls.ts";
import { contract } from "./contract/contract.ts";
import type { Contract } from "./contract/contract.ts";
import type { Operation, OperationInput, OperationOutput } from "./contract/operation.ts";
import type { ApiIdentity } from "./identity.ts";

/**
 * src/api: the Management API, client side. What lives here: the contract, the typed client derived from it, transport, pacing, retries,
 * credentials, errors. What never does: Kubernetes, our kinds, decisions about what should exist.
 *
 * This file: the client. No operation is written here; each follows from its declaration in contract/.
 */

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
  identity(options?: Pick<CallOptions, "signal">): Promise<ApiIdentity>;
  /** Ends what is under way (ABORTED), refuses what comes after (NOT_STARTED), closes the connections. */
  close(): Promise<void>;
}

/**
 * Makes a client of one credential for one server.
 *
 * @throws BaseUrlError when the base URL is refused
 */
export function createClient(options: ClientOptions): ApiClient {
  const calls = new ClientCalls(options);
  const call =
    (operation: Operation) =>
    (input: Readonly<Record<string, unknown>> = {}, callOptions: Partial<BranchCallOptions> = {}): Promise<unknown> =>
      calls.call(operation, input, callOptions);
  const sections = Object.entries<Readonly<Record<string, Operation>>>(contract).map(([section, operations]) => [
    section,
    Object.fromEntries(Object.entries(operations).map(([verb, operation]) => [verb, call(operation)])),
  ]);
  // Built from the contract key by key, as ApiOperations is: TypeScript cannot follow Object.fromEntries.
  const operations = Object.fromEntries(sections) as unknown as ApiOperations;
  return {
    ...operations,
    serverNow: () => calls.serverClock.now(),
    identity: ({ signal } = {}) => calls.identity(signal),
    close: () => calls.close(),
  };
}
