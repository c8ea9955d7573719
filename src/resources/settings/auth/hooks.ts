import { flag } from "../builders.ts";
import { secret } from "../references.ts";
import { group } from "../setting.ts";
import { line } from "./limits.ts";

/** spec.auth.hooks: functions that are asked at moments of a sign-in. A new hook is one line. */

function hook(wire: string, description: string) {
  return group(description, {
    enabled: flag(`hook_${wire}_enabled`, "Whether the hook is called."),
    uri: line(
      `hook_${wire}_uri`,
      "What is called: https://… or, for a function in the database, pg-functions://postgres/<schema>/<function>.",
    ),
    secrets: secret(
      `hook_${wire}_secrets`,
      "What calls over HTTP are signed with, as v1,whsec_… with | between several. A hook in the database needs none.",
      "secrets",
    ),
  });
}

export const hookSettings = group("Functions that are asked at moments of a sign-in. Only on plans from pro up.", {
  customAccessToken: hook("custom_access_token", "Before an access token is issued: may add claims."),
  mfaVerificationAttempt: hook("mfa_verification_attempt", "After a second factor was tried: may refuse."),
  passwordVerificationAttempt: hook("password_verification_attempt", "After a password was tried: may refuse."),
  sendSms: hook("send_sms", "Sends text messages in place of sms.provider."),
  sendEmail: hook("send_email", "Sends mails in place of the mailer."),
  beforeUserCreated: hook("before_user_created", "Before a user is created: may refuse."),
  afterUserCreated: hook("after_user_created", "After a user was created."),
});
