import { z } from "zod";
import { objectName, remoteRef } from "./fields.ts";
import type { Rule } from "./rules.ts";
import { exactlyOne, ruled } from "./rules.ts";

/** How a child names what it lives in: a Project or Branch of its namespace, or a project that no object manages. */

const projectRefSchema = ruled(
  z
    .object({
      name: objectName("Name of a Project in this namespace.").optional(),
      ref: remoteRef(
        "Ref of a project that no Project object manages. Give connectionRef too, unless the default connection reaches it.",
      ).optional(),
    })
    .describe("The project that this object belongs to: by the name of its Project, or by ref. Fixed at creation."),
  [
    exactlyOne(
      ["name", "ref"],
      "set exactly one of name (a Project in this namespace) and ref (a project that no object manages)",
    ),
  ],
);

const branchRefSchema = z
  .object({ name: objectName("Name of a Branch in this namespace.") })
  .describe("The preview branch that this object belongs to. Fixed at creation.");

/** `projectRef` alone, for kinds that live in a project only. */
export const projectParentFields = { projectRef: projectRefSchema };

/** `projectRef` or `branchRef`; needs `exactlyOneParent` among the rules of the spec. */
export const parentFields = {
  projectRef: projectRefSchema.optional(),
  branchRef: branchRefSchema.optional(),
};

interface ProjectRef {
  readonly name?: string | undefined;
  readonly ref?: string | undefined;
}

/** The members of a spec that name its parent. */
export interface ParentSpec {
  readonly projectRef?: ProjectRef | undefined;
  readonly branchRef?: { readonly name: string } | undefined;
}

export const exactlyOneParent: Rule<ParentSpec> = exactlyOne(
  ["projectRef", "branchRef"],
  "set exactly one of projectRef and branchRef",
);

/** A child of a managed object is reached as its parent is; only an unmanaged project needs a connection of its own. */
export const connectionOnlyForUnmanaged: Rule<ParentSpec & { readonly connectionRef?: unknown }> = {
  cel: "!has(self.connectionRef) || (has(self.projectRef) && has(self.projectRef.ref))",
  message:
    "remove connectionRef: the connection is that of the Project or Branch; it may be set only beside projectRef.ref",
  fieldPath: ".connectionRef",
  reason: "FieldValueForbidden",
  holds: (spec) => spec.connectionRef === undefined || spec.projectRef?.ref !== undefined,
};

/** What a child lives in. */
export type Parent =
  | { readonly kind: "Project"; readonly name: string }
  | { readonly kind: "Branch"; readonly name: string }
  | { readonly kind: "UnmanagedProject"; readonly ref: string };

/**
 * The parent that a parsed spec names.
 *
 * @throws TypeError when it names none or several, which `parse` refuses
 */
export function parentOf(spec: ParentSpec): Parent {
  const { projectRef, branchRef } = spec;
  const parents: readonly (Parent | undefined)[] = [
    branchRef && { kind: "Branch", name: branchRef.name },
    projectRef?.name === undefined ? undefined : { kind: "Project", name: projectRef.name },
    projectRef?.ref === undefined ? undefined : { kind: "UnmanagedProject", ref: projectRef.ref },
  ];
  const [parent, second] = parents.filter((candidate) => candidate !== undefined);
  if (parent !== undefined && second === undefined) return parent;
  throw new TypeError("the spec does not name exactly one parent");
}
