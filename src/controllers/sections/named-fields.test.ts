import { describe, expect, it } from "vitest";
import { namedFields } from "./named-fields.ts";

const prefix = "spec.auth";
const declared = [
  ["siteUrl", "site_url"],
  ["jwtExpiry", "jwt_exp"],
  ["sms.enabled", "external_phone_enabled"],
  ["sms.twilio.authToken", "sms_twilio_auth_token"],
  ["sms.vonage.apiKey", "sms_vonage_api_key"],
  ["providers.github.enabled", "external_github_enabled"],
  ["providers.github.clientSecret", "external_github_secret"],
  ["providers.google.enabled", "external_google_enabled"],
  ["limits.file", "limits.file"],
].map(([path = "", wire = ""]) => ({ field: `${prefix}.${path}`, wire }));

function named(words: string): readonly string[] {
  return namedFields({ prefix, declared }, words).map((field) => field.slice(prefix.length + 1));
}

describe("the fields that the platform's words name", () => {
  it.each([
    { words: "site_url must be a URL", fields: ["siteUrl"], why: "what lies in the section itself has no group" },
    { words: "`body.site_url`: bad; jwt_exp=9", fields: ["siteUrl", "jwtExpiry"], why: "each of several" },
    { words: "old_site_url, site_urls, site_url2", fields: [], why: "another word is no name" },
    { words: "xsite_url but site_url", fields: ["siteUrl"], why: "a later place counts as well" },
    { words: "limits.file is too large", fields: ["limits.file"], why: "a path in the endpoint's JSON" },
    { words: "Bad Request", fields: [], why: "none is named" },
    {
      words: "external_github_secret",
      fields: ["providers.github.enabled", "providers.github.clientSecret"],
      why: "its group stands or falls with it, and no other group",
    },
    {
      words: "sms_twilio_auth_token",
      fields: ["sms.enabled", "sms.twilio.authToken"],
      why: "and so does what its group is in",
    },
    {
      words: "external_phone_enabled",
      fields: ["sms.enabled", "sms.twilio.authToken", "sms.vonage.apiKey"],
      why: "and what is in its group",
    },
  ])("are $fields in '$words': $why", ({ words, fields }) => {
    expect(named(words)).toEqual(fields);
  });

  it("are none where nothing is left without them: the section is refused then", () => {
    const [one, two] = declared;
    if (one === undefined || two === undefined) throw new Error("two are declared");
    expect(namedFields({ prefix, declared: [one] }, "site_url")).toEqual([]);
    expect(namedFields({ prefix, declared: [one, two] }, "site_url")).toEqual([one.field]);
  });
});
