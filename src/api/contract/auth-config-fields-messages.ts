import { each, integer, NAME, OFF, SECRET, TEXT, text } from "./auth-config-field.ts";

/** AuthConfig: what is sent to users and how. Mailer, SMTP, SMS (endpoints.md, "AuthConfig fields"). */

/** Events that users can be told of: `mailer_notifications_<name>_enabled`, and a mail `<name>_notification`. */
export const AUTH_NOTIFICATIONS = [
  "password_changed",
  "email_changed",
  "phone_changed",
  "mfa_factor_enrolled",
  "mfa_factor_unenrolled",
  "identity_linked",
  "identity_unlinked",
] as const;

const link = (title: string, words: string) =>
  text(`<h2>${title}</h2>\n\n<p><a href="{{ .ConfirmationURL }}">${words}</a></p>`);
const notice = (title: string, words: string) => text(`<h2>${title}</h2>\n\n<p>${words}</p>`);

/** Subject and content of each kind of mail. */
const mailFields = {
  mailer_subjects_confirmation: text("Confirm Your Signup"),
  mailer_templates_confirmation_content: link("Confirm your signup", "Confirm your mail"),
  mailer_subjects_email_change: text("Confirm Email Change"),
  mailer_templates_email_change_content: link("Confirm change of email", "Change email"),
  mailer_subjects_invite: text("You have been invited"),
  mailer_templates_invite_content: link("You have been invited", "Accept the invite"),
  mailer_subjects_magic_link: text("Your Magic Link"),
  mailer_templates_magic_link_content: link("Magic Link", "Log in"),
  mailer_subjects_reauthentication: text("Confirm Reauthentication"),
  mailer_templates_reauthentication_content: notice("Confirm reauthentication", "Enter the code: {{ .Token }}"),
  mailer_subjects_recovery: text("Reset Your Password"),
  mailer_templates_recovery_content: link("Reset password", "Reset password"),
  mailer_subjects_password_changed_notification: text("Your password has been changed"),
  mailer_templates_password_changed_notification_content: notice(
    "Your password has been changed",
    "The password of {{ .Email }} has been changed.",
  ),
  mailer_subjects_email_changed_notification: text("Your email address has been changed"),
  mailer_templates_email_changed_notification_content: notice(
    "Your email address has been changed",
    "It was {{ .OldEmail }} and is now {{ .Email }}.",
  ),
  mailer_subjects_phone_changed_notification: text("Your phone number has been changed"),
  mailer_templates_phone_changed_notification_content: notice(
    "Your phone number has been changed",
    "It was {{ .OldPhone }} and is now {{ .Phone }}.",
  ),
  mailer_subjects_mfa_factor_enrolled_notification: text("A new MFA factor has been enrolled"),
  mailer_templates_mfa_factor_enrolled_notification_content: notice(
    "A new MFA factor has been enrolled",
    "A factor of type {{ .FactorType }} has been enrolled.",
  ),
  mailer_subjects_mfa_factor_unenrolled_notification: text("An MFA factor has been unenrolled"),
  mailer_templates_mfa_factor_unenrolled_notification_content: notice(
    "An MFA factor has been unenrolled",
    "A factor of type {{ .FactorType }} has been unenrolled.",
  ),
  mailer_subjects_identity_linked_notification: text("A new identity has been linked"),
  mailer_templates_identity_linked_notification_content: notice(
    "A new identity has been linked",
    "An identity of {{ .Provider }} has been linked.",
  ),
  mailer_subjects_identity_unlinked_notification: text("An identity has been unlinked"),
  mailer_templates_identity_unlinked_notification_content: notice(
    "An identity has been unlinked",
    "An identity of {{ .Provider }} has been unlinked.",
  ),
} as const;

export const mailerFields = {
  mailer_allow_unverified_email_sign_ins: OFF,
  mailer_autoconfirm: OFF,
  mailer_secure_email_change_enabled: OFF,
  mailer_otp_exp: { ...integer(3600), nullable: "never" },
  mailer_otp_length: integer(8, { min: 6, max: 10 }),
  ...mailFields,
  ...each("mailer_notifications_", AUTH_NOTIFICATIONS, { _enabled: OFF }),
} as const;

export const smtpFields = {
  smtp_admin_email: { ...TEXT, format: "email" },
  smtp_host: NAME,
  smtp_pass: SECRET,
  smtp_port: {
    ...TEXT,
    pattern: {
      regex: /^(0{0,4}([1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5]))?$/,
      says: 'a port from 1 to 65535 as a string of digits, such as "587"',
    },
  },
  smtp_sender_name: TEXT,
  smtp_user: TEXT,
  smtp_max_frequency: integer(60),
} as const;

export const smsFields = {
  sms_autoconfirm: OFF,
  sms_max_frequency: integer(5),
  sms_otp_exp: integer(60),
  sms_otp_length: { ...integer(6), nullable: "never" },
  sms_provider: {
    type: "enum",
    nullable: "always",
    default: "twilio",
    values: ["messagebird", "textlocal", "twilio", "twilio_verify", "vonage"],
  },
  sms_template: text("Your code is {{ .Code }}"),
  sms_test_otp: {
    ...TEXT,
    untold: true,
    // each part of the expression ends where the next one cannot begin, so that no text makes it try for long
    pattern: {
      regex: /^(\d{1,15}=\d+(,\d{1,15}=\d+)*,?)?$/,
      says: "phone=code pairs with commas between them, such as 4915123456789=123456,4915123456788=654321",
    },
  },
  sms_test_otp_valid_until: { type: "date-time", nullable: "always", default: null },
  sms_messagebird_access_key: SECRET,
  sms_messagebird_originator: TEXT,
  sms_textlocal_api_key: SECRET,
  sms_textlocal_sender: TEXT,
  sms_twilio_account_sid: TEXT,
  sms_twilio_auth_token: SECRET,
  sms_twilio_content_sid: TEXT,
  sms_twilio_message_service_sid: TEXT,
  sms_twilio_verify_account_sid: TEXT,
  sms_twilio_verify_auth_token: SECRET,
  sms_twilio_verify_message_service_sid: TEXT,
  sms_vonage_api_key: TEXT,
  sms_vonage_api_secret: SECRET,
  sms_vonage_from: TEXT,
} as const;
