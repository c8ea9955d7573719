import { annotationHelp } from "../annotations.ts";
import { annotationsOf } from "../known-annotations.ts";
import { defineKind } from "../kind.ts";
import { secretSpec } from "./spec.ts";
import { secretStatus } from "./status.ts";

export const secretKind = defineKind({
  kind: "Secret",
  plural: "secrets",
  shortNames: ["bsec"],
  scope: "Namespaced",
  description:
    "Environment secrets of a project's or branch's functions, taken from Kubernetes Secrets. One object carries a set; others of the project are left alone. " +
    "The core kind stays `kubectl get secret`; this one is bsec or secrets.baas.dev. " +
    annotationHelp(annotationsOf("Secret")),
  spec: secretSpec,
  status: secretStatus,
  standIns: { from: [{ secretRef: { name: "none" } }] },
  printerColumns: [
    {
      name: "Ref",
      type: "string",
      jsonPath: ".status.ref",
      description: "Ref of the project or branch that they are set in.",
    },
    {
      name: "Names",
      type: "string",
      jsonPath: ".status.names",
      description: "Names of the secrets that were set.",
      priority: 1,
    },
  ],
  selectableFields: [".spec.projectRef.name", ".spec.projectRef.ref", ".spec.branchRef.name"],
});
