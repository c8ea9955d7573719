import { annotationHelp } from "../annotations.ts";
import { annotationsOf } from "../known-annotations.ts";
import { defineKind } from "../kind.ts";
import { sectionAt } from "../settings/settings.ts";
import type { Rule } from "../rules.ts";
import { projectVerbs, requestHelp } from "../requests.ts";
import { projectSpec } from "./spec.ts";
import { projectStatus } from "./status.ts";

/** Suffix of the Secret that a generated database password goes into. */
const passwordSecretSuffix = "-database-password";
const longestSecretName = 253;
const longestName = longestSecretName - passwordSecretSuffix.length;

/** Name of the Secret for a generated database password, unless spec.databasePassword.generate names another. */
export function defaultPasswordSecretName(projectName: string): string {
  return `${projectName}${passwordSecretSuffix}`;
}

/**
 * The organization may be corrected until a create request was recorded: an unknown slug is refused by the server only. From then on a
 * change is a transfer, which transferPolicy allows once there is a project; while a create request is on its way nothing can be transferred. Transition
 * rules stand on the whole object, since they look at the status.
 */
const organizationFixed: Rule<unknown> = {
  cel:
    "self.spec.organization == oldSelf.spec.organization || !has(oldSelf.status) || " +
    "(!has(oldSelf.status.ref) && !has(oldSelf.status.intent)) || " +
    "(has(oldSelf.status.ref) && has(self.spec.transferPolicy) && self.spec.transferPolicy == 'Allow')",
  message:
    "the project belongs to another organization already: put the old slug back, or set transferPolicy: Allow to have an existing project transferred",
  fieldPath: ".spec.organization",
  reason: "FieldValueForbidden",
};

/** Naming another project than the one that this object has would abandon the latter. Adding or removing the same ref is harmless. */
const refFixed: Rule<unknown> = {
  cel:
    "!has(self.spec.ref) || (has(oldSelf.spec.ref) && oldSelf.spec.ref == self.spec.ref) || " +
    "!has(oldSelf.status) || !has(oldSelf.status.ref) || oldSelf.status.ref == self.spec.ref",
  message: "this object has a project already (status.ref): adopt the other one with a Project object of its own",
  fieldPath: ".spec.ref",
  reason: "FieldValueForbidden",
};

interface NamedProject {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly databasePassword?: unknown;
    readonly writeConnectionSecretToRef?: { readonly name: string } | undefined;
  };
}

const nameFitsSecret: Rule<NamedProject> = {
  cel: `size(self.metadata.name) <= ${longestName} || has(self.spec.databasePassword)`,
  message: `metadata.name is longer than ${longestName} characters, too long for the Secret <metadata.name>${passwordSecretSuffix}: set spec.databasePassword`,
  fieldPath: ".spec.databasePassword",
  reason: "FieldValueRequired",
  holds: ({ metadata, spec }) => metadata.name.length <= longestName || spec.databasePassword !== undefined,
};

const outputIsNotGenerated: Rule<NamedProject> = {
  cel:
    "!has(self.spec.writeConnectionSecretToRef) || has(self.spec.databasePassword) || " +
    `self.spec.writeConnectionSecretToRef.name != self.metadata.name + '${passwordSecretSuffix}'`,
  message: `<metadata.name>${passwordSecretSuffix} holds the generated database password and cannot be the Secret that is written for programs: choose another name`,
  fieldPath: ".spec.writeConnectionSecretToRef",
  holds: ({ metadata, spec }) =>
    spec.databasePassword !== undefined ||
    spec.writeConnectionSecretToRef?.name !== defaultPasswordSecretName(metadata.name),
};

export const projectKind = defineKind({
  kind: "Project",
  plural: "projects",
  shortNames: ["bproj"],
  scope: "Namespaced",
  description:
    "A project of the backend platform: created, or adopted by ref, and kept as declared. Fields that are not declared are left alone. " +
    `${annotationHelp(annotationsOf("Project"))} ${requestHelp(projectVerbs)}`,
  spec: projectSpec,
  status: projectStatus,
  sectionAt,
  rules: [organizationFixed, refFixed, nameFitsSecret, outputIsNotGenerated],
  printerColumns: [
    { name: "Ref", type: "string", jsonPath: ".status.ref", description: "Ref of the project." },
    {
      name: "State",
      type: "string",
      jsonPath: ".status.state",
      description: "State of the project in the platform's words.",
    },
    {
      name: "Organization",
      type: "string",
      jsonPath: ".spec.organization",
      description: "Slug of its organization.",
      priority: 1,
    },
    { name: "Region", type: "string", jsonPath: ".status.region", description: "Region that it runs in.", priority: 1 },
  ],
  selectableFields: [".spec.organization", ".spec.ref", ".status.ref"],
});
