import { checkOptions } from "./call-options.ts";
import type { BranchCallOptions, CallOptions, ClientOptions } from "./client-options.ts";
import { ClientCalls } from "./client-calls.ts";
import { contract } from "./contract/contract.ts";
import type { Contract } from "./contract/contract.ts";
import type { OperationId } from "./contract/operation-id.ts";
import type { Operation, OperationInput, OperationOutput, Pagination } from "./contract/operation.ts";
import { operationFacts } from "./facts.ts";
import type { OperationFacts } from "./facts.ts";
import type { ApiIdentity } from "./identity.ts";
import { itemsOf, pagesOf } from "./pagination.ts";

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

/** One operation as a function. Rejects with ApiError (errors.ts), or as `beforeSending` did, and nothing else. */
export type Call<O extends Operation> = ((...args: Arguments<O>) => Promise<OperationOutput<O>>) &
  (O extends { readonly pagination: Pagination } ? Pages<O> : unknown);

/** A list that comes in pages: the call reads one of them, these read all, from where the input begins, each when it is needed. */
export interface Pages<O extends Operation> {
  /** Every item. Throws ApiError as soon as a page cannot be read. */
  each(...args: Arguments<O>): AsyncGenerator<ItemOf<O>, void, undefined>;
  /** Every page as the server gives it. */
  pages(...args: Arguments<O>): AsyncGenerator<OperationOutput<O>, void, undefined>;
}

type ItemOf<O extends Operation> = O extends { readonly pagination: { readonly items: infer Field } }
  ? ElementOf<OperationOutput<O>[Field & keyof OperationOutput<O>]>
  : ElementOf<OperationOutput<O>>;
type ElementOf<List> = List extends readonly (infer Item)[] ? Item : never;

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
  /** What the contract says of an operation: whether it may be repeated, what it counts against, what a token needs for it. */
  facts(id: OperationId): OperationFacts;
  /** Whose credential it is: asked once per token, shared by all who ask at the same time. Rejects with ApiError. */
  identity(options?: Pick<CallOptions, "signal">): Promise<ApiIdentity>;
  /** Ends what is under way (ABORTED), refuses what comes after (NOT_STARTED), closes the connections. */
  close(): Promise<void>;
}

/**
 * Makes a client of one credential for one server: `createClient({ baseUrl, token })`. A program that ends need not close it.
 *
 * @throws BaseUrlError when the base URL is refused; TypeError unless there is exactly one of token and credentials, or for an option that is
 * unknown or of the wrong type
 */
export function createClient(options: ClientOptions): ApiClient {
  const calls = new ClientCalls(options);
  const sections = Object.entries<Readonly<Record<string, Operation>>>(contract).map(([section, operations]) => [
    section,
    Object.fromEntries(Object.entries(operations).map(([verb, operation]) => [verb, callOf(calls, operation)])),
  ]);
  // Built from the contract key by key, as ApiOperations is: TypeScript cannot follow Object.fromEntries.
  const operations = Object.fromEntries(sections) as unknown as ApiOperations;
  return {
    ...operations,
    serverNow: () => calls.serverClock.now(),
    facts: operationFacts,
    identity: async (options = {}) => {
      checkOptions(contract.profile.get, options);
      return await calls.identity(options.signal);
    },
    close: () => calls.close(),
  };
}

type AnyInput = Readonly<Record<string, unknown>>;
type AnyOptions = Partial<BranchCallOptions>;

function callOf(calls: ClientCalls, operation: Operation): unknown {
  const call = (input: AnyInput = {}, options: AnyOptions = {}): Promise<unknown> =>
    calls.call(operation, input, options);
  const { pagination } = operation;
  if (pagination === undefined) return call;
  const list = (options: AnyOptions) => ({ operation, pagination, fetch: (input: AnyInput) => call(input, options) });
  return Object.assign(call, {
    each: (input: AnyInput = {}, options: AnyOptions = {}) => itemsOf(list(options), input),
    pages: (input: AnyInput = {}, options: AnyOptions = {}) => pagesOf(list(options), input),
  });
}
