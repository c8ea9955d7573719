import { z } from "zod";
import { choice } from "../fields.ts";
import { ruled } from "../rules.ts";
import { addonsSettings } from "./addons.ts";
import { authSettings } from "./auth/auth.ts";
import { dataApiSettings } from "./data-api.ts";
import { databaseFields, databaseRules, encryptionRootKey } from "./database.ts";
import { diskSettings } from "./disk.ts";
import { customHostnameSettings, vanitySubdomainSettings } from "./domains.ts";
import { realtimeSettings } from "./realtime.ts";
import { storageSettings } from "./storage.ts";

/** Sections of a spec that Project and Branch have in common: what lives under a ref is configured the same way. */

const databaseSettings = ruled(
  z.object(databaseFields).describe("The database. What is not declared is left as it is."),
  databaseRules,
);

export const settingsFields = {
  auth: authSettings.optional(),
  database: databaseSettings.optional(),
  addons: addonsSettings.optional(),
  customHostname: customHostnameSettings.optional(),
  dataApi: dataApiSettings.optional(),
  disk: diskSettings.optional(),
  encryptionRootKey,
  legacyApiKeysEnabled: z
    .boolean()
    .describe(
      "Whether the legacy API keys anon and service_role are accepted: one switch for both. Left as it is when omitted.",
    )
    .optional(),
  realtime: realtimeSettings.optional(),
  storage: storageSettings.optional(),
  vanitySubdomain: vanitySubdomainSettings.optional(),
};

/** Sections of a Project alone. */
export const projectSettingsFields = {
  ...settingsFields,
  branching: choice(
    "Preview branching. Disabled takes it away, once no branch but the default one is left; Enabled asserts that it is allowed, and the first Branch " +
      "object makes it so. Left as it is when omitted.",
    ["Enabled", "Disabled"],
  ).optional(),
};

const settingsSpec = z.object(projectSettingsFields);

/** The part of a spec that sections are declared in. */
export type SettingsSpec = z.output<typeof settingsSpec> & {
  /** declared by each kind with the sizes that it can be created with */
  readonly instanceSize?: string | undefined;
  readonly resizePolicy?: "OnEdit" | "Always" | undefined;
};

/**
 * The section that a member of a spec belongs to, by its path; undefined: none, or what is in the way of telling. What is wrong there is wrong of that section
 * alone.
 */
export function sectionAt([first = "", second = ""]: readonly string[]): string | undefined {
  if (!Object.hasOwn(projectSettingsFields, first)) return undefined;
  if (first === "database") return Object.hasOwn(databaseFields, second) ? databaseSectionAt(second) : undefined;
  if (first === "addons") return second === "" ? undefined : `addons.${second}`;
  return first;
}

/** How settings are written is part of them. */
function databaseSectionAt(member: string): string {
  return member === "settingsMode" || member === "settingsRestart" ? "database.settings" : `database.${member}`;
}
