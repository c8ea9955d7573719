import { z } from "zod";
import { list, text } from "../../fields.ts";
import { choice, flag, moment } from "../builders.ts";
import { secret } from "../references.ts";
import { group, setting, type Wire } from "../setting.ts";
import { count, line, seconds, wording } from "./limits.ts";

/** spec.auth.sms: text messages to users, and through whom. A new provider is one group and one word of `provider`. */

const testCode = z.object({
  phone: text("Phone number with the country's code, digits only.", {
    max: 64,
    pattern: "^[0-9]{1,15}$",
    message: "write the phone number as 1 to 15 digits in quotes, without + or blanks",
  }),
  code: text("Code that it signs in with.", { max: 32, pattern: "^[0-9]+$", message: "write digits in quotes" }),
});

/** Pairs that the API has as `phone=code,phone=code`; their order means nothing. */
function testCodes(wire: string, description: string) {
  const schema = list(description, testCode, { type: { keys: ["phone"] }, max: 64 });
  const encode = (value: unknown): Wire => {
    const pairs = schema.parse(value).map(({ phone, code }) => `${phone}=${code}`);
    return pairs.length === 0 ? null : pairs.join(",");
  };
  const sorted = (value: unknown): string =>
    (typeof value === "string" ? value.split(",") : [])
      .filter((pair) => pair !== "")
      .toSorted()
      .join(",");
  return setting(schema, { wire, source: "spec", encode, isSame: (wanted, seen) => sorted(wanted) === sorted(seen) });
}

const messagebird = group("The account with Messagebird.", {
  originator: line("sms_messagebird_originator", "Who messages are from."),
  accessKey: secret("sms_messagebird_access_key", "Access key.", "accessKey"),
});

const textlocal = group("The account with Textlocal.", {
  sender: line("sms_textlocal_sender", "Who messages are from."),
  apiKey: secret("sms_textlocal_api_key", "API key of the account.", "apiKey"),
});

const twilio = group("The account with Twilio.", {
  accountSid: line("sms_twilio_account_sid", "SID of the account."),
  authToken: secret("sms_twilio_auth_token", "Token of the account.", "authToken"),
  messageServiceSid: line(
    "sms_twilio_message_service_sid",
    "SID of the messaging service, or the number to send from.",
  ),
  contentSid: line("sms_twilio_content_sid", "SID of the content template, for WhatsApp."),
});

const twilioVerify = group("The account with Twilio Verify.", {
  accountSid: line("sms_twilio_verify_account_sid", "SID of the account."),
  authToken: secret("sms_twilio_verify_auth_token", "Token of the account.", "authToken"),
  messageServiceSid: line("sms_twilio_verify_message_service_sid", "SID of the verification service."),
});

const vonage = group("The account with Vonage.", {
  apiKey: line("sms_vonage_api_key", "API key, which is no secret."),
  apiSecret: secret("sms_vonage_api_secret", "API secret.", "apiSecret"),
  from: line("sms_vonage_from", "Who messages are from."),
});

export const smsSettings = group("Text messages to users.", {
  provider: choice("sms_provider", "Through whom messages are sent; its account is the group of the same name.", {
    Messagebird: "messagebird",
    Textlocal: "textlocal",
    Twilio: "twilio",
    TwilioVerify: "twilio_verify",
    Vonage: "vonage",
  }),
  autoconfirm: flag("sms_autoconfirm", "Whether phone numbers count as confirmed without a message."),
  maxFrequency: seconds("sms_max_frequency", "Least time between two messages to one number."),
  otpExpiry: seconds("sms_otp_exp", "How long codes in messages are valid."),
  otpLength: count("sms_otp_length", "Digits of a code in a message."),
  template: wording("sms_template", "The message: a Go template, in which {{ .Code }} stands for the code."),
  testOtp: testCodes("sms_test_otp", "Phone numbers that are sent nothing and sign in with a fixed code, for tests."),
  testOtpValidUntil: moment(
    "sms_test_otp_valid_until",
    "Until when those codes are accepted. The empty text unsets it.",
  ),
  messagebird,
  textlocal,
  twilio,
  twilioVerify,
  vonage,
});
