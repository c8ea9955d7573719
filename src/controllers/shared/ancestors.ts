import type { KubeObject } from "../../resources/meta.ts";
import { type ParentSpec, parentOf } from "../../resources/references.ts";
import type { BranchObject, Environment, ProjectObject } from "../environment.ts";

interface ManagedAncestor<Kind, Object> {
  readonly kind: Kind;
  readonly name: string;
  /** what is there of that name, readable or not */
  readonly raw: KubeObject | undefined;
  readonly object: Object | undefined;
}

/** One of what a child lives in. */
export type Ancestor =
  | ManagedAncestor<"Branch", BranchObject>
  | ManagedAncestor<"Project", ProjectObject>
  | { readonly kind: "UnmanagedProject"; readonly ref: string };

/** What a child lives in, its parent first and its project last; what is above a Branch that is not there, or cannot be read, is not known. */
export function ancestors(
  environment: Environment,
  namespace: string,
  spec: ParentSpec,
): readonly [Ancestor, ...Ancestor[]] {
  const { projects, branches } = environment.objects;
  const parent = parentOf(spec);
  switch (parent.kind) {
    case "UnmanagedProject":
      return [parent];
    case "Project": {
      const { name } = parent;
      return [{ ...parent, raw: projects.raw(namespace, name), object: projects.get(namespace, name) }];
    }
    case "Branch": {
      const { name } = parent;
      const object = branches.get(namespace, name);
      const above = object === undefined ? [] : ancestors(environment, namespace, object.spec);
      return [{ ...parent, raw: branches.raw(namespace, name), object }, ...above];
    }
    default:
      return parent satisfies never;
  }
}
