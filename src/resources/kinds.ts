import { branchKind } from "./branch/kind.ts";
import { clusterConnectionKind, connectionKind } from "./connection/kind.ts";
import { edgeFunctionKind } from "./edge-function/kind.ts";
import type { AnyKind } from "./kind.ts";
import { projectKind } from "./project/kind.ts";
import { secretKind } from "./secret/kind.ts";

/** The schema of a kind's status. @throws RangeError for a kind that is none of ours */
export function statusSchemaOf(kind: string): AnyKind["status"] {
  const found = kinds.find(({ type }) => type.kind === kind);
  if (found === undefined) throw new RangeError(`no kind ${kind}`);
  return found.status;
}

/** Every kind of ours, in the order in which a reader meets them. */
export const kinds: readonly AnyKind[] = [
  connectionKind,
  clusterConnectionKind,
  projectKind,
  branchKind,
  edgeFunctionKind,
  secretKind,
];
