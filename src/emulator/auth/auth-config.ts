import type { AuthConfigUpdate } from "../../api/contract/auth-config.ts";
import type { AuthField } from "../../api/contract/auth-config-field.ts";
import { authConfigFields } from "../../api/contract/auth-config-fields.ts";
import type { Plan } from "../../api/contract/operation.ts";
import { visibleProject } from "../access.ts";
import { ApiFailure, paymentRequired } from "../failure.ts";
import { missingSmtpFields, readAuthConfig, withAuthUpdate } from "./auth-config-record.ts";
import type { AuthConfigRecord } from "./auth-config-state.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";
import { organizationOf } from "../organizations/organization-of.ts";

/**
 * src/emulator/auth: how the users of a project sign in: the auth configuration, signing keys, identity providers and other issuers. Never
 * here: those users themselves, a login, or who may call the Management API (access/, oauth/).
 */

/** The auth configuration of a project: merged on write, whole and masked on read (facts.md §6.2 to §6.4). */
export function authConfigHandlers(world: World): SectionHandlers<"authConfig"> {
  return {
    get: ({ params, caller }) => readAuthConfig(world.authConfig.get(visibleProject(world, caller, params.ref).ref)),
    update: ({ params, body, caller }) => {
      const project = visibleProject(world, caller, params.ref);
      const { ref } = project;
      refuseGated(body, organizationOf(world, project).plan);
      const changed = withAuthUpdate(world.authConfig.get(ref), body);
      refuseWithoutSmtp(body, changed);
      world.authConfig.set(ref, changed);
      return readAuthConfig(changed);
    },
  };
}

const FIELDS: Readonly<Record<string, AuthField>> = authConfigFields;

/** A field of a higher plan is refused whatever its value, so also when a read is echoed. @throws ApiFailure 402 */
function refuseGated(body: AuthConfigUpdate, plan: Plan): void {
  const gated = Object.keys(body).filter((name) => FIELDS[name]?.plans?.includes(plan) === false);
  if (gated.length > 0) {
    throw paymentRequired(`Hooks are only available on higher plans than ${plan}: ${gated.slice(0, 5).join(", ")}`);
  }
}

/** "custom SMTP required (a validation failure under 401!)" (facts.md §5). @throws ApiFailure 401 */
function refuseWithoutSmtp({ rate_limit_email_sent: limit }: AuthConfigUpdate, changed: AuthConfigRecord): void {
  const missing = limit === undefined || limit === null ? [] : missingSmtpFields(changed);
  if (missing.length > 0) {
    throw new ApiFailure(401, `Custom SMTP required to set rate_limit_email_sent. Missing: ${missing.join(", ")}`);
  }
}
