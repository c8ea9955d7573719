import { operations } from "./contract.ts";
import type { Contract } from "./contract.ts";
import type { Operation } from "./operation.ts";

/** Id of an operation: `section.verb`, as the client's method path. */
export type OperationId = {
  [Section in keyof Contract]: `${Section}.${keyof Contract[Section] & string}`;
}[keyof Contract];

const byId: ReadonlyMap<string, Operation> = new Map(operations.map((operation) => [operation.id, operation]));

/** @throws RangeError for an id that no operation has, which the type rules out */
export function operationOf(id: OperationId): Operation {
  const found = byId.get(id);
  if (found === undefined) throw new RangeError(`no operation ${String(id)}`);
  return found;
}
