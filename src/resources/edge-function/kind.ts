import { annotationHelp } from "../annotations.ts";
import { annotationsOf } from "../known-annotations.ts";
import { defineKind } from "../kind.ts";
import { celString, type Rule } from "../rules.ts";
import { edgeFunctionSpec, slugPattern } from "./spec.ts";
import { edgeFunctionStatus } from "./status.ts";

const slug = new RegExp(slugPattern);

interface NamedFunction {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly slug?: string | undefined };
}

const nameIsSlug: Rule<NamedFunction> = {
  cel: `has(self.spec.slug) || self.metadata.name.matches(${celString(slugPattern)})`,
  message: "metadata.name is no slug (a letter, then letters, digits, '-' and '_'): set spec.slug",
  fieldPath: ".spec.slug",
  reason: "FieldValueRequired",
  holds: ({ metadata, spec }) => spec.slug !== undefined || slug.test(metadata.name),
};

/** Compares the slug in effect, so that writing down the default, or removing it, is no change. */
const slugFixed: Rule<unknown> = {
  cel:
    "(has(self.spec.slug) ? self.spec.slug : self.metadata.name) == " +
    "(has(oldSelf.spec.slug) ? oldSelf.spec.slug : oldSelf.metadata.name)",
  message: "slug is fixed: put the old value back, or delete this EdgeFunction and create another with the new slug",
  fieldPath: ".spec.slug",
  reason: "FieldValueForbidden",
};

export const edgeFunctionKind = defineKind({
  kind: "EdgeFunction",
  plural: "edgefunctions",
  shortNames: ["bfn"],
  scope: "Namespaced",
  description:
    "An edge function of a project or branch: deployed from inline files, a ConfigMap or an artifact of Flux, and deployed again when either side changes. " +
    annotationHelp(annotationsOf("EdgeFunction")),
  spec: edgeFunctionSpec,
  status: edgeFunctionStatus,
  rules: [nameIsSlug, slugFixed],
  standIns: { source: { inline: { files: { "index.ts": "" } } } },
  printerColumns: [
    { name: "Slug", type: "string", jsonPath: ".status.slug", description: "Slug of the function." },
    {
      name: "State",
      type: "string",
      jsonPath: ".status.state",
      description: "State of the function in the platform's words.",
    },
    { name: "Version", type: "integer", jsonPath: ".status.version", description: "Version of the function." },
    {
      name: "Ref",
      type: "string",
      jsonPath: ".status.ref",
      description: "Ref of the project or branch that it runs in.",
      priority: 1,
    },
  ],
  selectableFields: [".spec.projectRef.name", ".spec.projectRef.ref", ".spec.branchRef.name", ".spec.slug"],
});
