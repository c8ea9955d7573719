import { z } from "zod";
import { choice, objectName, organizationSlug, remoteRef, secretKeySelector, text, webUrl } from "../fields.ts";
import { outputFields } from "../outputs/spec.ts";
import { regionCodes, regionGroups, projectSizes } from "../platform.ts";
import { commonFields, deletionPolicyField } from "../policies.ts";
import { exactlyOne, immutable, type Rule, ruled } from "../rules.ts";
import { recoveryNeedsSize, resizeNeedsSize, resizePolicy } from "../settings/addons.ts";
import { databaseFields, databaseRules } from "../settings/database.ts";
import { domainRules } from "../settings/domains.ts";
import { projectSettingsFields } from "../settings/settings.ts";
import { databaseVersion, lifecycleFields } from "./lifecycle.ts";

/** Spec of a Project: the declared part of a remote project. */

const region = ruled(
  z
    .object({
      code: choice("One region.", regionCodes).optional(),
      group: choice("A part of the world; the platform chooses the region in it.", regionGroups).optional(),
    })
    .describe(
      "Where the project is created; the platform's choice when omitted. Fixed at creation: a project that is taken over stays where it is (status.region), and its event Adopted tells where code is another.",
    ),
  [
    exactlyOne(
      ["code", "group"],
      "set exactly one of code (one region, such as us-east-1) and group (americas, emea or apac)",
    ),
  ],
);

const databasePassword = ruled(
  z
    .object({
      secretKeyRef: secretKeySelector(
        "The Secret with the password, which must be no output. A changed value is written to the project once; only a keyed hash of it is kept.",
        "password",
      ).optional(),
      generate: z
        .object({ secretName: objectName("Name of the Secret that is created with the key password.") })
        .describe("Generate the password into a Secret of another name than the default one.")
        .optional(),
    })
    .describe(
      "Password of the database's owner. When omitted, one is generated before the project is created, into the Secret " +
        "<metadata.name>-database-password (key password). A password is generated for no other reason: an adopted or existing project " +
        "keeps the one it has. A generated Secret outlives this object where deletionPolicy is Retain, but not its namespace. An edit of a generated Secret sets " +
        "nothing: to rotate the password, name that Secret in secretKeyRef.name, and edit it.",
    ),
  [
    exactlyOne(
      ["secretKeyRef", "generate"],
      "set exactly one of secretKeyRef (an existing Secret) and generate (a Secret to be created)",
    ),
  ],
);

/** Unlike a branch's, a project's database has a version of its own to say. */
const database = ruled(
  z
    .object({ version: databaseVersion.optional(), ...databaseFields })
    .describe("The database. What is not declared is left as it is."),
  databaseRules,
);

const fixed = "is fixed when the project is created: put the old value back, or delete this Project and create another";

const projectSpecFields = z.object({
  organization: organizationSlug(
    "Slug of the organization that owns the project, as in its URL (not its display name). Once a project was created or adopted, a change transfers it, where transferPolicy allows that.",
  ),
  name: text(
    "Name of the project, unique in its organization. When omitted, a project is created with metadata.name, and its name is then left as it is; " +
      "when declared, a change renames the project in place.",
    { max: 256 },
  ).optional(),
  ref: remoteRef(
    "Ref of an existing project to adopt. It is managed in place: only the fields declared here are ever written.",
  ).optional(),
  region: region.optional(),
  instanceSize: choice(
    "Compute size; the organization's default when omitted. A change resizes the project in place, which restarts it. No request leads to nano: only a project " +
      "that is created so has it.",
    projectSizes,
  ).optional(),
  resizePolicy,
  highAvailability: z
    .boolean()
    .describe(
      "Whether the project is created highly available. Fixed at creation, and not compared with a project that is taken over.",
    )
    .optional(),
  templateUrl: webUrl(
    "URL of a template that the project is created from. Fixed at creation, and not compared with a project that is taken over.",
  ).optional(),
  databasePassword: databasePassword.optional(),
  state: choice(
    "Running or Paused. A paused project keeps its data and serves nothing. When omitted the state is left as it is.",
    ["Running", "Paused"],
  ).optional(),
  ...outputFields,
  ...lifecycleFields,
  ...projectSettingsFields,
  database: database.optional(),
  ...commonFields,
  deletionPolicy: deletionPolicyField(
    "What happens to the project when this object is deleted: Retain leaves it (and what its child objects manage in it) untouched, " +
      "Delete deletes it with all its data. Honoured even when changed after the deletion began.",
  ).default("Retain"),
});

interface Secrets {
  readonly writeConnectionSecretToRef?: { readonly name: string } | undefined;
  readonly databasePassword?:
    | {
        readonly secretKeyRef?: { readonly name: string } | undefined;
        readonly generate?: { readonly secretName: string } | undefined;
      }
    | undefined;
}

/** What is read and what is written must not be one: the password would be lost in what is made of it. */
const outputIsNoSource: Rule<Secrets> = {
  cel:
    "!has(self.writeConnectionSecretToRef) || !has(self.databasePassword) || " +
    "!((has(self.databasePassword.secretKeyRef) && self.databasePassword.secretKeyRef.name == self.writeConnectionSecretToRef.name) || " +
    "(has(self.databasePassword.generate) && self.databasePassword.generate.secretName == self.writeConnectionSecretToRef.name))",
  message: "the Secret with the database password cannot be the one that is written for programs: choose another name",
  fieldPath: ".writeConnectionSecretToRef",
  holds: ({ writeConnectionSecretToRef: output, databasePassword: password }) =>
    output === undefined || ![password?.secretKeyRef?.name, password?.generate?.secretName].includes(output.name),
};

export const projectSpec = ruled(projectSpecFields, [
  outputIsNoSource,
  resizeNeedsSize,
  recoveryNeedsSize,
  ...domainRules,
  immutable("region", `region ${fixed}`),
  immutable("highAvailability", `highAvailability ${fixed}`),
  immutable("templateUrl", `templateUrl ${fixed}`),
]);
export type ProjectSpec = z.output<typeof projectSpec>;
