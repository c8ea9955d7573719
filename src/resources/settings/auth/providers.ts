import { z } from "zod";
import { blank } from "../../fields.ts";
import { type Rule, ruled } from "../../rules.ts";
import { commaList, flag, words } from "../builders.ts";
import { secret } from "../references.ts";
import { group } from "../setting.ts";
import { line, listItem } from "./limits.ts";

/** spec.auth.providers: sign-in through other services. A new provider is one line. */

/** What nearly every provider has. @param wire its name in the API's fields @param title its name for people */
function basics(wire: string, title: string) {
  return {
    enabled: flag(`external_${wire}_enabled`, `Whether users can sign in with ${title}.`),
    clientId: line(`external_${wire}_client_id`, `ID of the client that is registered with ${title}.`),
    clientSecret: secret(`external_${wire}_secret`, `Secret of the client that is registered with ${title}.`, KEY),
    emailOptional: flag(
      `external_${wire}_email_optional`,
      `Whether an account of ${title} without an email may sign in.`,
    ),
  };
}

const KEY = "clientSecret";

function about(title: string): string {
  return `Sign-in with ${title}.`;
}

function provider(wire: string, title: string) {
  return group(about(title), basics(wire, title));
}

/** A provider that is found at an address of one's own. */
function hosted(wire: string, title: string, address: string) {
  return group(about(title), { ...basics(wire, title), url: line(`external_${wire}_url`, address) });
}

const moreClients = { max: 64, item: listItem("ID of a client.") };

const togetherWithClientId: Rule<{ readonly clientId?: unknown; readonly additionalClientIds?: unknown }> = {
  cel: "!has(self.additionalClientIds) || has(self.clientId)",
  message: "declare clientId too where additionalClientIds is declared: the platform answers both as one list",
  fieldPath: ".additionalClientIds",
  holds: ({ clientId, additionalClientIds }) => additionalClientIds === undefined || clientId !== undefined,
};

const apple = ruled(
  z
    .object({
      ...basics("apple", "Apple"),
      clientId: words("external_apple_client_id", "ID of the client that is registered with Apple: a services ID.", {
        max: 2048,
        pattern: `^[^,${blank}]+$`,
        message: "write one ID, without commas or blanks; further ones belong into additionalClientIds",
      }),
      additionalClientIds: commaList(
        "external_apple_additional_client_ids",
        "IDs of further clients, such as bundle IDs of native apps, whose ID tokens are accepted.",
        moreClients,
      ),
    })
    .describe(about("Apple")),
  [togetherWithClientId],
);

const google = {
  ...basics("google", "Google"),
  additionalClientIds: commaList(
    "external_google_additional_client_ids",
    "IDs of further clients, such as native apps, whose ID tokens are accepted.",
    moreClients,
  ),
  skipNonceCheck: flag(
    "external_google_skip_nonce_check",
    "Whether ID tokens are accepted whatever nonce they have: less safe.",
  ),
};

const workos = {
  enabled: flag("external_workos_enabled", "Whether users can sign in with WorkOS."),
  clientId: line("external_workos_client_id", "ID of the client that is registered with WorkOS."),
  clientSecret: secret("external_workos_secret", "Secret of the client that is registered with WorkOS.", KEY),
  url: line("external_workos_url", "Address of WorkOS, where it is not the usual one."),
};

const nimbus = {
  clientId: line("nimbus_oauth_client_id", "ID of the client that is registered with Nimbus."),
  clientSecret: secret("nimbus_oauth_client_secret", "Secret of the client that is registered with Nimbus.", KEY),
};

export const providerSettings = group(
  "Sign-in through other services, each by clients that are registered there with this project's callback URL. A provider is declared with its " +
    "clientId and clientSecret; both are written together with enabled. What of them is not declared stays as it is on the platform: enabled alone turns on " +
    "a provider that was given its client there before, and nobody can sign in with one that was not.",
  {
    apple: apple.optional(),
    azure: hosted("azure", "Azure", "Address of the tenant; default any tenant."),
    bitbucket: provider("bitbucket", "Bitbucket"),
    discord: provider("discord", "Discord"),
    facebook: provider("facebook", "Facebook"),
    figma: provider("figma", "Figma"),
    github: provider("github", "GitHub"),
    gitlab: hosted("gitlab", "GitLab", "Address of a GitLab of one's own; default gitlab.com."),
    google: group(about("Google"), google),
    kakao: provider("kakao", "Kakao"),
    keycloak: hosted("keycloak", "Keycloak", "Address of the realm, as https://keycloak.example.com/realms/shop."),
    linkedinOidc: provider("linkedin_oidc", "LinkedIn"),
    nimbus: group("The client of Nimbus, which has no switch of its own.", nimbus),
    notion: provider("notion", "Notion"),
    slack: provider("slack", "Slack (the older kind of client)"),
    slackOidc: provider("slack_oidc", "Slack"),
    spotify: provider("spotify", "Spotify"),
    twitch: provider("twitch", "Twitch"),
    twitter: provider("twitter", "Twitter (OAuth 1.0a)"),
    workos: group(about("WorkOS"), workos),
    x: provider("x", "X (OAuth 2.0)"),
    zoom: provider("zoom", "Zoom"),
  },
);
