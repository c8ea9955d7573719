import { type AuthConfig, authConfigSchema, type AuthConfigUpdate } from "../../api/contract/auth-config.ts";
import type { AuthField } from "../../api/contract/auth-config-field.ts";
import { authConfigFields, authConfigRows } from "../../api/contract/auth-config-fields.ts";
import type { AuthConfigRecord } from "./auth-config-state.ts";
import { sha256 } from "../state/ids.ts";

/** How the auth configuration of a project is changed and read. Pure. */

const FIELDS: Readonly<Record<string, AuthField>> = authConfigFields;

/**
 * The configuration after an update: fields that are sent replace, null unsets, the others stay (facts.md §6.2).
 *
 * A secret is digested as it is sent, the mask of an earlier read included: "sending the mask back stores the mask" (facts.md §6.3).
 * The next read then shows the digest of the digest, so that a client that echoes what it read sees its damage.
 */
export function withAuthUpdate(record: AuthConfigRecord, update: AuthConfigUpdate): AuthConfigRecord {
  const said = new Map(Object.entries(record));
  for (const [name, value] of Object.entries(update)) {
    const stored = storedValue(FIELDS[name], value);
    if (stored === null) said.delete(name);
    else if (stored !== undefined) said.set(name, stored);
  }
  return Object.fromEntries(said);
}

type AuthValue = string | number | boolean;

function storedValue(field: AuthField | undefined, value: AuthValue | null | undefined): AuthValue | null | undefined {
  if (field === undefined || typeof value !== "string") return value;
  if (field.secret === true) return value === "" ? null : sha256(value); // of nothing there is nothing to mask
  switch (field.normal) {
    case "list":
      return itemsOf(value).join(",");
    case "name":
      return value.trim().toLowerCase();
    case undefined:
      return value;
    default:
      return field.normal satisfies never;
  }
}

function itemsOf(list: string): readonly string[] {
  return list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** All the fields as a read answers them. */
export function readAuthConfig(record: AuthConfigRecord): AuthConfig {
  const read = authConfigSchema.parse(
    Object.fromEntries(authConfigRows.map(([name, field]) => [name, record[name] ?? field.default])),
  );
  return { ...read, ...foldedAppleIds(read) };
}

/** "external_apple_additional_client_ids is folded into external_apple_client_id (comma list) on read" (facts.md §6.4). */
function foldedAppleIds(read: AuthConfig): Partial<AuthConfig> {
  const { external_apple_client_id: id, external_apple_additional_client_ids: more } = read;
  if (more === null) return {};
  const ids = new Set([...itemsOf(id ?? ""), ...itemsOf(more)]);
  return { external_apple_client_id: [...ids].join(","), external_apple_additional_client_ids: null };
}

const SMTP = ["smtp_admin_email", "smtp_host", "smtp_port", "smtp_user", "smtp_pass"] as const;

/** Fields that are not set of those that an SMTP server of one's own needs. */
export function missingSmtpFields(record: AuthConfigRecord): readonly string[] {
  return SMTP.filter((name) => (record[name] ?? "") === "");
}
