import { flag, integer, integerAsText, words } from "../builders.ts";
import { host, ipAddress, serverName } from "../hosts.ts";
import { document, secret } from "../references.ts";
import { group } from "../setting.ts";
import { line, seconds, wording } from "./limits.ts";

/** spec.auth.mailer and spec.auth.smtp: what is mailed to users, and by which server. A new mail is one line. */

const MOST_CHARACTERS = 100_000;

function mail(wire: string) {
  return {
    subject: wording(`mailer_subjects_${wire}`, "Subject of the mail: a Go template."),
    content: document(`mailer_templates_${wire}_content`, "The mail itself: HTML, and a Go template.", MOST_CHARACTERS),
  };
}

function template(wire: string, description: string) {
  return group(description, mail(wire));
}

function notification(wire: string, description: string) {
  return group(description, {
    enabled: flag(`mailer_notifications_${wire}_enabled`, "Whether the mail is sent."),
    ...mail(`${wire}_notification`),
  });
}

const templates = group("Mails that users act upon.", {
  confirmation: template("confirmation", "Confirms the address of a new account."),
  emailChange: template("email_change", "Confirms another address of an account."),
  invite: template("invite", "Invites somebody."),
  magicLink: template("magic_link", "Signs in without a password."),
  reauthentication: template("reauthentication", "Confirms who it is before something delicate is changed."),
  recovery: template("recovery", "Sets a forgotten password anew."),
});

const notifications = group("Mails that tell users what happened to their account.", {
  passwordChanged: notification("password_changed", "The password was changed."),
  emailChanged: notification("email_changed", "The email address was changed."),
  phoneChanged: notification("phone_changed", "The phone number was changed."),
  mfaFactorEnrolled: notification("mfa_factor_enrolled", "A factor was enrolled."),
  mfaFactorUnenrolled: notification("mfa_factor_unenrolled", "A factor was unenrolled."),
  identityLinked: notification("identity_linked", "An identity of a provider was linked."),
  identityUnlinked: notification("identity_unlinked", "An identity of a provider was unlinked."),
});

export const mailerSettings = group("What is mailed to users.", {
  autoconfirm: flag("mailer_autoconfirm", "Whether addresses count as confirmed without a mail."),
  allowUnverifiedEmailSignIns: flag(
    "mailer_allow_unverified_email_sign_ins",
    "Whether users may sign in before their address is confirmed.",
  ),
  secureEmailChangeEnabled: flag(
    "mailer_secure_email_change_enabled",
    "Whether a change of address is confirmed at the old one as well.",
  ),
  otpExpiry: seconds("mailer_otp_exp", "How long links and codes in mails are valid."),
  otpLength: integer("mailer_otp_length", "Digits of a code in a mail.", { min: 6, max: 10 }),
  templates,
  notifications,
});

const emailAddress = {
  max: 320,
  pattern: "^([A-Za-z0-9_'+-]+[.])*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9-]*[.])+[A-Za-z]{2,}$",
  message: "write an email address such as no-reply@example.com",
};

export const smtpSettings = group("The mail server of one's own. Without it the platform sends few mails an hour.", {
  host: host("smtp_host", "Name or IP address of the server's host.", {
    form: `${serverName}|${ipAddress}`,
    message: "write a host name such as smtp.example.com, or an IP address, without scheme, port or path",
  }),
  port: integerAsText("smtp_port", "Port of the server, such as 465 or 587.", { min: 1, max: 65_535 }),
  user: line("smtp_user", "Name to log in with."),
  password: secret("smtp_pass", "Password to log in with.", "password"),
  adminEmail: words("smtp_admin_email", "Address that mails are sent from.", emailAddress),
  senderName: line("smtp_sender_name", "Name that mails are sent from."),
  maxFrequency: seconds("smtp_max_frequency", "Least time between two mails to one address."),
});
