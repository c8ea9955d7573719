import { type BadCase, builtIn, ruled } from "./bad-case.ts";

const urlWords = "write an https:// URL without user name, query or fragment; http:// is accepted for localhost";

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
  ]),
  ...builtIn("Connection", [
    ["no-token", "no credential", { token: undefined }, "spec.token: Required value"],
    ["no-url", "no URL", { baseUrl: undefined }, "spec.baseUrl: Required value"],
  ]),
  ...ruled("ClusterConnection", [
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
  ]),
];
