import { describe, expect, it } from "vitest";
import { template } from "./render.ts";

const connection = {
  create: true,
  baseUrl: "https://api.example.com",
  tokenSecretRef: { name: "t" },
  allowedNamespaces: { from: "All" },
};

describe("values that are refused", () => {
  it.each([
    { values: { replica: 2 }, message: "additional properties 'replica' not allowed", why: "a misspelt value" },
    { values: { image: { name: "x" } }, message: "additional properties 'name' not allowed", why: "one in a group" },
    { values: { image: { tag: "a b" } }, message: "/image/tag", why: "no tag of an image" },
    { values: { image: { digest: "sha256:1" } }, message: "/image/digest", why: "half a digest" },
    { values: { replicas: "2" }, message: "/replicas", why: "a text where a number belongs" },
    { values: { watchNamespaces: ["A_b"] }, message: "/watchNamespaces/0", why: "no name of a namespace" },
    { values: { watchNamespaces: ["a", "a"] }, message: "/watchNamespaces", why: "a namespace twice" },
    { values: { extraEnv: [{ name: "A", value: 1 }] }, message: "/extraEnv/0/value", why: "a number in a variable" },
    { values: { tolerations: [{ value: true }] }, message: "/tolerations/0/value", why: "a truth as a taint's value" },
    { values: { workers: 0 }, message: "/workers", why: "nobody to work" },
    { values: { log: { level: "verbose" } }, message: "/log/level", why: "an unknown level" },
    { values: { drift: { interval: "10" } }, message: "/drift/interval", why: "a duration without unit" },
    ...["5s", "29s", "0m5s", "0h"].map((interval) => ({
      values: { drift: { interval } },
      message: "write a duration of at least 30s",
      why: "more often than the program looks",
    })),
    ...[{ drift: { interval: null } }, { log: { level: null } }, { health: { port: null } }].map((values) => ({
      values,
      message: "missing property",
      why: "a flag without its value",
    })),
    ...["http://", "http://a b", "http://a:70000", "grpc://a"].map((otlpEndpoint) => ({
      values: { tracing: { otlpEndpoint } },
      message: "write a URL such as http://collector:4318",
      why: "no URL of a collector",
    })),
    ...["0.0.0.0:80", "[::]", "1:2", "a b"].map((host) => ({
      values: { health: { host } },
      message: "write an address or a name, such as 0.0.0.0 or ::",
      why: "an address with something else",
    })),
    ...[
      { allowedNamespaces: { from: "Some" }, message: "'All', 'Selected'" },
      { allowedNamespaces: { from: "All", all: true }, message: "additional properties 'all' not allowed" },
      { allowedNamespaces: { from: "All", names: ["a"] }, message: "with from: All give neither" },
      { allowedNamespaces: { from: "Selected" }, message: "with from: Selected give names" },
      { allowedNamespaces: { names: ["A"] }, message: "write the name of a namespace" },
      { spec: { bogus: 1 }, message: "additional properties 'bogus' not allowed" },
      { spec: { defaults: { driftPolicy: "correct" } }, message: "/clusterConnection/spec/defaults/driftPolicy" },
      { spec: { defaults: { driftInterval: "1s" } }, message: "write a duration of at least 30s" },
      { tokenSecretRef: {}, spec: { oauth: { clientId: "a" } }, message: "missing properties" },
      { name: "Bad_Name", message: "/clusterConnection/name" },
      { tokenSecretRef: { name: "A" }, message: "/clusterConnection/tokenSecretRef/name" },
    ].map(({ message, ...more }) => ({
      values: { clusterConnection: { ...connection, ...more } },
      message,
      why: "what the definition refuses",
    })),
    { values: { drift: { policy: "correct" } }, message: "/drift/policy", why: "a policy in lower case" },
    {
      values: { allowedBaseUrls: ["http://api.example.com"] },
      message: "/allowedBaseUrls/0",
      why: "a token in the clear",
    },
    {
      values: { allowedBaseUrls: ["https://api.example.com/v1"] },
      message: "drop the /v1 or /v2 at its end",
      why: "a version behind which nothing is",
    },
    {
      values: { allowedBaseUrls: ["https://api.example.com:99999"] },
      message: "with a port up to 65535",
      why: "no port",
    },
    {
      values: { clusterConnection: { ...connection, baseUrl: "https://api.example.com/v2/" } },
      message: "drop the /v1 or /v2 at its end",
      why: "a version behind which nothing is",
    },
    { values: { extraArgs: [1] }, message: "/extraArgs/0", why: "an argument that is no text" },
    { values: { health: { port: 70_000 } }, message: "/health/port", why: "no port" },
    {
      values: { clusterConnection: { ...connection, baseUrl: "http://api.example.com" } },
      message: "/clusterConnection/baseUrl",
      why: "a token in the clear",
    },
    {
      values: { clusterConnection: { ...connection, spec: { token: {} } } },
      message: "/clusterConnection/spec",
      why: "what has a value of its own",
    },
    {
      values: { clusterConnection: { ...connection, baseUrl: "" } },
      message: "clusterConnection.baseUrl is needed",
      why: "a connection to nowhere",
    },
    {
      values: { clusterConnection: { ...connection, tokenSecretRef: {} } },
      message: "clusterConnection.tokenSecretRef.name is needed",
      why: "a connection without token",
    },
    {
      values: { clusterConnection: { ...connection, spec: { workloadIdentity: { clientId: "app" } } } },
      message: "one credential is enough",
      why: "two ways to be let in",
    },
    {
      values: {
        clusterConnection: { ...connection, tokenSecretRef: {}, spec: { workloadIdentity: { clientId: "app" } } },
      },
      message: "needs workloadIdentity.enabled",
      why: "an identity that the Pods do not have",
    },
    {
      values: { workloadIdentity: { enabled: true } },
      message: "workloadIdentity.audience is needed",
      why: "a token for the Kubernetes API, which the platform must not see",
    },
    {
      values: { workloadIdentity: { enabled: true, audience: "a", expirationSeconds: 60 } },
      message: "/workloadIdentity/expirationSeconds",
      why: "less than Kubernetes gives",
    },
    {
      values: { workloadIdentity: { namespaces: ["A"] } },
      message: "/workloadIdentity/namespaces/0",
      why: "no namespace",
    },
    {
      values: { clusterConnection: { ...connection, allowedNamespaces: {} } },
      message: "clusterConnection.allowedNamespaces is needed",
      why: "a connection that nobody may use, or everybody: it must be said",
    },
    {
      values: { clusterConnection: connection, watchNamespaces: ["a"] },
      message: "needs a cluster-wide install",
      why: "a namespaced operator reads no ClusterConnections",
    },
    {
      values: { replicas: 2, leaderElection: { enabled: false } },
      message: "needs leaderElection.enabled",
      why: "both would write",
    },
    { values: { ca: { configMapName: "a", secretName: "b" } }, message: "not both", why: "two places" },
    { values: { serviceAccount: { create: false } }, message: "serviceAccount.name is needed", why: "nobody to be" },
    { values: { strategy: { type: "OnDelete" } }, message: "/strategy/type", why: "what Deployments do not have" },
    { values: { networkPolicy: { fluxNamespace: "A" } }, message: "/networkPolicy/fluxNamespace", why: "no namespace" },
    ...["podLabels", "commonLabels"].map((value) => ({
      values: { [value]: { "app.kubernetes.io/name": "foo" } },
      message: "invalid propertyName 'app.kubernetes.io/name'",
      why: "the selector has the chart's, which the Pods would not have",
    })),
    {
      values: { metrics: { serviceMonitor: { labels: { "helm.sh/chart": "other" } } } },
      message: "invalid propertyName 'helm.sh/chart'",
      why: "the chart's own",
    },
    {
      values: { metrics: { service: { enabled: false }, serviceMonitor: { enabled: true } } },
      message: "needs metrics.service.enabled",
      why: "nothing to be found",
    },
    {
      values: { metrics: { service: { enabled: false }, prometheusRule: { enabled: true } } },
      message: "needs metrics.service.enabled",
      why: "alerts of what nobody measures",
    },
  ])("$values: $why", async ({ values, message }) => {
    const result = await template(values);
    expect(result.code).not.toBe(0);
    expect(result.stderr).toContain(message);
  });
});

describe("values that are accepted", () => {
  it.each([
    { values: { global: { a: 1 } }, why: "a parent chart hands down its globals" },
    { values: { workers: null }, why: "null leaves it to the program" },
    { values: { replicas: 0 }, why: "an operator that rests" },
    { values: { allowedBaseUrls: ["http://127.0.0.1:8787"] }, why: "loopback, where nobody listens in" },
    ...["30s", "0m30s", "05m", "1h", "100s"].map((interval) => ({
      values: { drift: { interval } },
      why: "half a minute",
    })),
    ...["::", "::1", "2001:db8::1", "localhost"].map((host) => ({ values: { health: { host } }, why: "an address" })),
    ...["", "http://[::1]:4318/v1", "https://u:p@c.example.com?a=b", "http://$(HOST_IP):4318"].map((otlpEndpoint) => ({
      values: { tracing: { otlpEndpoint } },
      why: "a collector, or none",
    })),
    {
      values: { clusterConnection: { ...connection, allowedNamespaces: { names: ["a"] } } },
      why: "Selected by default",
    },
    { values: { podDisruptionBudget: { maxUnavailable: "50%" } }, why: "a percentage" },
  ])("$values: $why", async ({ values }) => {
    const result = await template(values);
    expect(result.stderr).toBe("");
    expect(result.code).toBe(0);
  });
});
