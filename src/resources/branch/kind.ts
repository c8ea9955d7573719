import { annotationHelp } from "../annotations.ts";
import { annotationsOf } from "../known-annotations.ts";
import { defineKind } from "../kind.ts";
import { sectionAt } from "../settings/settings.ts";
import { branchVerbs, requestHelp } from "../requests.ts";
import { branchSpec } from "./spec.ts";
import { branchStatus } from "./status.ts";

export const branchKind = defineKind({
  kind: "Branch",
  plural: "branches",
  shortNames: ["bbr"],
  scope: "Namespaced",
  description:
    "A preview branch of a project: persistent, or gone at the end of its ttl, or when this object is deleted. The default branch of the project is made first where there is none. " +
    "It is the project itself: settings and requests of a Branch that took it over are refused, and belong to the Project. " +
    `${annotationHelp(annotationsOf("Branch"))} ${requestHelp(branchVerbs)}`,
  spec: branchSpec,
  status: branchStatus,
  sectionAt,
  printerColumns: [
    { name: "Ref", type: "string", jsonPath: ".status.ref", description: "Ref of the branch." },
    {
      name: "State",
      type: "string",
      jsonPath: ".status.state",
      description: "State of the branch in the platform's words.",
    },
    {
      name: "Project",
      type: "string",
      jsonPath: ".spec.projectRef.name",
      description: "The Project that it belongs to.",
      priority: 1,
    },
    { name: "Expires", type: "string", jsonPath: ".status.expiresAt", description: "When its ttl ends.", priority: 1 },
  ],
  selectableFields: [".spec.projectRef.name", ".spec.projectRef.ref", ".status.ref"],
});
