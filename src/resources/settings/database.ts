import { z } from "zod";
import { choice, list } from "../fields.ts";
import { type Rule, ruled } from "../rules.ts";
import { flag, words } from "./builders.ts";
import { publicCidr } from "./cidr.ts";
import { poolerSettings } from "./pooler.ts";
import { postgresSettings } from "./postgres-settings.ts";
import { secret } from "./references.ts";

/** spec.database: each of its parts is a section of its own. And the root key of what the database encrypts. */

/** spec.database.ssl. */
export const sslSettings = z
  .object({
    enforced: flag("database", "Whether connections without encryption are refused. A change restarts the database."),
  })
  .describe("Encryption of connections to the database.");

const Exclusive = "Exclusive";
const Additive = "Additive";

const restrictions = z.object({
  allowedCidrs: list(
    "Ranges from which the database may be reached, IPv4 and IPv6 together. 0.0.0.0/0 and ::/0 are everywhere.",
    publicCidr,
    { type: "set", max: 200 },
  ).optional(),
  mode: choice(
    "Exclusive: these ranges and no others, which is also what is meant when it is omitted. Additive: these are added where they are missing, and others are left; " +
      "one that is taken out of the list stays allowed.",
    [Exclusive, Additive],
  ).optional(),
  denyAll: z
    .literal(true)
    .describe("true lets nobody reach the database from outside, which an empty list alone does not.")
    .optional(),
  showBans: z
    .boolean()
    .describe(
      "Whether status.networkBans shows the addresses that the database bans after failed logins: one more request for each look. " +
        "baas.dev/lift-network-bans: <request id> lets them in again.",
    )
    .optional(),
});
type RestrictionSettings = z.output<typeof restrictions>;

const isEmpty = ({ allowedCidrs }: RestrictionSettings): boolean => allowedCidrs?.length === 0;

const restrictionRules: readonly Rule<RestrictionSettings>[] = [
  {
    cel: `!has(self.allowedCidrs) || size(self.allowedCidrs) > 0 || has(self.denyAll) || (has(self.mode) && self.mode == '${Additive}')`,
    message:
      "an empty list would let nobody reach the database: write the ranges that may, or denyAll: true if nobody is meant",
    fieldPath: ".allowedCidrs",
    holds: (value) => !isEmpty(value) || value.denyAll === true || value.mode === Additive,
  },
  {
    cel: `!has(self.denyAll) || ((!has(self.allowedCidrs) || size(self.allowedCidrs) == 0) && (!has(self.mode) || self.mode == '${Exclusive}'))`,
    message: "denyAll lets nobody in: write it without allowedCidrs and without mode Additive, or remove it",
    fieldPath: ".denyAll",
    holds: (value) =>
      value.denyAll === undefined || ((value.allowedCidrs === undefined || isEmpty(value)) && value.mode !== Additive),
  },
  {
    cel: "!has(self.mode) || has(self.allowedCidrs) || has(self.denyAll)",
    message: "mode says what allowedCidrs means: write allowedCidrs too, or remove mode",
    fieldPath: ".mode",
    holds: ({ mode, allowedCidrs, denyAll }) =>
      mode === undefined || allowedCidrs !== undefined || denyAll !== undefined,
  },
];

/** spec.database.networkRestrictions. */
const networkRestrictions = ruled(
  restrictions.describe("From where the database may be reached. What is not declared is left as it is."),
  restrictionRules,
);

/** spec.database.backups. */
export const backupsSettings = z
  .object({
    scheduleFor: words(
      "schedule_for",
      "Time of day, in UTC, at which the daily backup begins. Needs the plan enterprise; the platform takes three changes in 24 hours.",
      {
        max: 16,
        pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$",
        message: "write a time of day as HH:MM:SS in UTC, such as 03:30:00",
      },
    ),
  })
  .describe("Backups of the database. What is not declared is left as it is.");

const webhooksEnabled = ruled(
  z
    .boolean()
    .describe(
      "true installs what database webhooks need. The platform does not tell whether they are installed and cannot remove them: it is asked for once, and " +
        "again only where the field was removed and written anew.",
    ),
  [
    {
      cel: "self",
      message: "write true or remove the field: the platform cannot disable database webhooks",
      holds: (enabled) => enabled,
    },
  ],
);

export const databaseFields = {
  pooler: poolerSettings.optional(),
  settings: postgresSettings.optional(),
  settingsMode: choice(
    "What becomes of settings that are not declared: Merge, also when omitted, leaves those that were set otherwise; Replace takes them back to the platform's own.",
    ["Merge", "Replace"],
  ).optional(),
  settingsRestart: choice(
    "When the database is restarted for settings that need it. OnEdit, also when omitted: for an edit of settings, and not for a repair of what somebody changed by hand. " +
      "Always: for both. Never: for neither. What is written without a restart is in force from the next one; baas.dev/restart asks for one.",
    ["OnEdit", "Always", "Never"],
  ).optional(),
  ssl: sslSettings.optional(),
  networkRestrictions: networkRestrictions.optional(),
  jitAccess: choice(
    "Whether roles of the database can be assumed for a while (just-in-time access). Left as it is when omitted.",
    ["Enabled", "Disabled"],
  ).optional(),
  webhooksEnabled: webhooksEnabled.optional(),
  backups: backupsSettings.optional(),
};

const databaseObject = z.object(databaseFields);

const needsSettings = (name: "settingsMode" | "settingsRestart"): Rule<z.output<typeof databaseObject>> => ({
  cel: `!has(self.${name}) || has(self.settings)`,
  message: `${name} says how settings are written: write settings too ({} for none), or remove it`,
  fieldPath: `.${name}`,
  holds: (value) => value[name] === undefined || value.settings !== undefined,
});

/** Rules of spec.database, whatever else a kind has in it. */
export const databaseRules = [needsSettings("settingsMode"), needsSettings("settingsRestart")];

/** spec.encryptionRootKey. */
export const encryptionRootKey = secret(
  "root_key",
  "The root key of what the database encrypts with pgsodium, as 64 hexadecimal digits. It is compared, and replaced only on request, by the annotation " +
    "baas.dev/replace-root-key: <request id>, since what was encrypted with another key can become unreadable.",
  "rootKey",
);
