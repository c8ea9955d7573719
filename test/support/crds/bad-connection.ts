import { type BadCase, builtIn, ruled } from "./bad-case.ts";
import type { Spec } from "./manifest.ts";

const urlWords =
  "write an https:// URL such as https://api.example.com, with a port up to 65535 or none, without user name, query or fragment; http:// is accepted for localhost";

const oneCredential = "set exactly one of token (a personal access token), oauth (an app's client id";
const app: Spec = {
  clientId: "app",
  clientSecret: { secretRef: { name: "app" } },
  refreshToken: { secretRef: { name: "app" } },
};

/** Connections that must be refused. */
export const connectionCases: readonly BadCase[] = [
  ...ruled("Connection", [
    ["plain-http", "a token over plain http", { baseUrl: "http://api.example.com" }, urlWords],
    ["user", "a user name in the URL", { baseUrl: "https://me:secret@api.example.com" }, urlWords],
    ["looks-local", "a host that only looks like loopback", { baseUrl: "http://localhost.example.com" }, urlWords],
    [
      "at-local",
      "a host behind a user name that looks like loopback",
      { baseUrl: "http://127.0.0.1@example.com" },
      urlWords,
    ],
    ["query", "a query", { baseUrl: "https://api.example.com?x=1" }, urlWords],
    ["no-scheme", "no scheme", { baseUrl: "api.example.com" }, urlWords],
    [
      "prefix",
      "a prefix that no variable has",
      { reservedSecretPrefix: "a b" },
      "write the beginning of an environment variable's name",
    ],
    [
      "interval",
      "a default that is no duration",
      { defaults: { driftInterval: "often" } },
      "write a duration of 30s to 168h",
    ],
    ["no-credential", "no credential", { token: undefined }, oneCredential],
    ["token-and-app", "a token and an app", { oauth: app }, oneCredential],
    [
      "app-and-workload",
      "an app and the operator's own identity",
      { token: undefined, oauth: app, workloadIdentity: { clientId: "app" } },
      oneCredential,
    ],
    [
      "client-id",
      "a blank in a client id",
      { token: undefined, workloadIdentity: { clientId: "the app" } },
      "write the app's client id as the platform shows it",
    ],
  ]),
  ...builtIn("Connection", [
    ["no-url", "no URL", { baseUrl: undefined }, "spec.baseUrl: Required value"],
    [
      "inline-secret",
      "a client secret in the open",
      { token: undefined, oauth: { ...app, clientSecret: "s3cr3t" } },
      "spec.oauth.clientSecret: Invalid value",
      ".spec.oauth.clientSecret: expected map",
    ],
    [
      "no-refresh-token",
      "an app that no user authorized",
      { token: undefined, oauth: { ...app, refreshToken: undefined } },
      "spec.oauth.refreshToken: Required value",
    ],
  ]),
  ...ruled("ClusterConnection", [
    ["bad-no-credential", "no credential", { token: undefined }, oneCredential],
    [
      "bad-all-and-names",
      "all namespaces, and some",
      { allowedNamespaces: { from: "All", names: ["a"] } },
      "with from: Selected give names, selector or both",
    ],
    [
      "bad-none",
      "selected namespaces, but none",
      { allowedNamespaces: {} },
      "with from: Selected give names, selector or both; with from: All give neither",
    ],
    [
      "bad-ref",
      "a pattern of refs",
      { allowedRefs: ["abc*"] },
      "write a project ref (exactly 20 lower-case letters), or * for every project",
    ],
    [
      "bad-organization",
      "a pattern of organizations",
      { allowedOrganizations: ["ac*"] },
      "write an organization's slug",
    ],
    [
      "bad-namespace",
      "the name of a namespace in capitals",
      { allowedNamespaces: { names: ["Shop"] } },
      "write the name of a namespace",
    ],
  ]),
  ...builtIn("ClusterConnection", [
    [
      "bad-no-namespaces",
      "no word on who may use it",
      { allowedNamespaces: undefined },
      "spec.allowedNamespaces: Required value",
    ],
    [
      "bad-no-secret-namespace",
      "a Secret without its namespace",
      { token: { secretRef: { name: "x" } } },
      "spec.token.secretRef.namespace: Required value",
    ],
    [
      "bad-no-app-namespace",
      "a Secret of an app without its namespace",
      { token: undefined, oauth: app },
      "spec.oauth.clientSecret.secretRef.namespace: Required value",
    ],
  ]),
];
