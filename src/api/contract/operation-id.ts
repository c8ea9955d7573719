import { operations } from "./contract.ts";
import type { Contract } from "./contract.ts";
import type { Operation, OperationInput, OperationOutput } from "./operation.ts";

/** Id of an operation: `section.verb`, as the client's method path. */
export type OperationId = {
  [Section in keyof Contract]: `${Section}.${keyof Contract[Section] & string}`;
}[keyof Contract];

/** An operation's declaration by its id. */
type OperationOf<Id extends OperationId> = Id extends `${infer Section extends keyof Contract}.${infer Verb}`
  ? Contract[Section][Verb & keyof Contract[Section]] extends infer O extends Operation
    ? O
    : never
  : never;

/** What a call takes, by the operation's id: `InputOf<"projects.create">`. */
export type InputOf<Id extends OperationId> = OperationInput<OperationOf<Id>>;

/** What a call gives, by the operation's id: `OutputOf<"projects.get">`. */
export type OutputOf<Id extends OperationId> = OperationOutput<OperationOf<Id>>;

const byId: ReadonlyMap<string, Operation> = new Map(operations.map((operation) => [operation.id, operation]));

/** @throws RangeError for an id that no operation has, which the type rules out */
export function operationOf(id: OperationId): Operation {
  const found = byId.get(id);
  if (found === undefined) throw new RangeError(`no operation ${String(id)}`);
  return found;
}

/** What a token must be permitted for an operation, in words; empty where the catalogue lists nothing. */
export function permissionWords(id: OperationId | (string & {})): string {
  return (byId.get(id)?.permissions ?? []).map((all) => all.join(" and ")).join(" or ");
}
