import type { AuthField } from "../../api/contract/auth-config-field.ts";
import { authConfigFields } from "../../api/contract/auth-config-fields.ts";
import { contract } from "../../api/contract/contract.ts";
import { authSettings } from "../../resources/settings/auth/auth.ts";
import { unfoldedAppleClients } from "./apple-clients.ts";
import { fieldSection } from "./field-section.ts";

const FIELDS: Readonly<Record<string, AuthField>> = authConfigFields;

/** Add-ons of fields, by how those are called (facts.md §1, add-on type). */
const ADDONS = [
  ["mfa_phone_", "auth_mfa_phone"],
  ["mfa_web_authn_", "auth_mfa_web_authn"],
] as const;

/** Plans on which a request may carry hooks: whichever of them, the same. */
const HOOK_PLANS = FIELDS["hook_send_sms_enabled"]?.plans ?? [];

/** Fields that the API answers and does not take, by its own names (endpoints.md, those marked `resp`). */
const READ_ONLY = Object.entries(FIELDS).flatMap(([name, { responseOnly }]) => (responseOnly === true ? [name] : []));

/**
 * One request carries whatever differs, so that fields which need others (a limit of mails needs a mail server) go along with them. No undeclared field is
 * ever in it: some are refused on lower plans, even unchanged.
 */
export const authSection = fieldSection({
  name: "auth",
  about: "How users sign in. One read, and one write of whatever differs.",
  operations: ["authConfig.get", "authConfig.update"],
  title: "the auth configuration",
  settings: authSettings,
  declared: (spec) => spec.auth,
  read: ({ client, ref, call }) => client.authConfig.get({ ref }, call),
  body: contract.authConfig.update.body.schema,
  write: ({ client, ref, call }, body) => client.authConfig.update({ ref, body }, call),
  compared: (answer, wanted) => ({ ...answer, ...unfoldedAppleClients(answer, wanted) }),
  plans: (wire) => FIELDS[wire]?.plans,
  addon: (wire) => ADDONS.find(([prefix]) => wire.startsWith(prefix))?.[1],
  lacks:
    `${READ_ONLY.join(", ")} can be read by the API and set by nothing: no field of ours is for them. ` +
    "Nothing tells what sessions.timebox and sessions.inactivityTimeout count: they are the numbers of the platform's settings, where all other times are durations. " +
    "Of numbers, times, templates and most choices the platform answers a value of its own in the place of null, which nothing tells from one that somebody wrote: " +
    "no word leaves them to the platform again. A secret is unset by no word either: what uses it is switched off.",
  needs:
    `hooks: a plan of ${HOOK_PLANS.join(", ")}; ` +
    "mfa.phone and mfa.webAuthn: their add-ons, auth_mfa_phone and auth_mfa_web_authn, each to be selected on the platform, since no request of the API does that",
});
