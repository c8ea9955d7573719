import { isIP } from "node:net";
import type { Command } from "commander";
import { Option } from "commander";
import { z } from "zod";
import { durationMs, isDuration } from "../resources/duration.ts";
import { namespaceName } from "../resources/fields.ts";
import { driftPolicies, managementPolicies } from "../resources/policy-choices.ts";
import { BaseUrlError, parseBaseUrl } from "../api/base-url.ts";
import { fileFlag, logLevelFlag, logLevelOption, numberFlag, repeated } from "./flags.ts";

const namespace = z
  .string()
  .min(1, "write the name of a namespace")
  .pipe(namespaceName("Namespace that a flag names."));

/** What `baas run` and `baas cleanup` agree on: whose objects, and the lease under which one of them writes. */
export const scopeFlags = z.object({
  kubeconfig: fileFlag.optional(),
  operatorNamespace: z.string().min(1, "expected the operator's own namespace (or set POD_NAMESPACE)").pipe(namespace),
  watchNamespace: z.array(namespace),
  leaderElect: z.boolean(),
  leaderElectionNamespace: namespace.optional(),
  logLevel: logLevelFlag,
  logFormat: z.enum(["json", "pretty"]),
});
export type ScopeFlags = z.output<typeof scopeFlags>;

/** @param namespace default of --operator-namespace */
export function addScopeOptions(command: Command, namespace: string | undefined): Command {
  return command
    .option("--kubeconfig <file>", "kubeconfig to use; default as kubectl, then the Pod's ServiceAccount")
    .option("--operator-namespace <namespace>", "namespace of the operator itself (POD_NAMESPACE)", namespace ?? "")
    .option(
      "--watch-namespace <namespace>",
      "namespace to look after; all when none is given (repeatable)",
      repeated,
      [],
    )
    .option("--leader-elect", "let one of several operators of the same scope act", true)
    .option("--no-leader-elect", "act without a lease; never for two operators at once")
    .option(
      "--leader-election-namespace <namespace>",
      "namespace of the lease; default kube-system, or the operator's own with --watch-namespace",
    )
    .addOption(logLevelOption())
    .addOption(new Option("--log-format <format>", "format of log lines").choices(["json", "pretty"]).default("json"));
}

/** host:port, with brackets around an IPv6 address. */
const address = z.string().transform((text, context) => {
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host !== undefined && port <= 65_535 && (match?.[1] === undefined || isIP(host) === 6)) return { host, port };
  context.addIssue("expected host:port, such as 0.0.0.0:8080 or [::]:8080");
  return z.NEVER;
});

const interval = z
  .string()
  .refine((text) => isDuration(text) && durationMs(text) >= 30_000, "expected a duration of at least 30s, such as 10m");

/** A base URL as `parseBaseUrl` writes it, so that it is the same however it is written. */
const baseUrl = z.string().transform((text, context) => {
  try {
    return parseBaseUrl(text).href;
  } catch (error) {
    if (!(error instanceof BaseUrlError)) throw error;
    context.addIssue(error.message);
    return z.NEVER;
  }
});

const httpUrl = z.url({ protocol: /^https?$/, error: "expected a URL such as http://collector:4318" });

export const runFlags = scopeFlags.extend({
  healthAddress: address,
  workers: numberFlag("a whole number from 1 to 256", { min: 1, max: 256, whole: true }),
  allowedBaseUrl: z.array(baseUrl),
  caFile: fileFlag.optional(),
  credentialProtection: z.boolean(),
  workloadIdentityTokenFile: fileFlag.optional(),
  workloadIdentityNamespace: z.array(namespace),
  driftInterval: interval,
  driftPolicy: z.enum(driftPolicies),
  managementPolicy: z.enum(managementPolicies).optional(),
  otlpEndpoint: httpUrl.optional(),
  traceRatio: numberFlag("a share from 0 to 1, such as 0.1", { min: 0, max: 1, whole: false }).prefault("1"),
  clusterConnectionFile: fileFlag.optional(),
});
export type RunFlags = z.output<typeof runFlags>;

function driftPolicyOption(): Option {
  const meaning = "what happens to drift, where nobody says otherwise";
  return new Option("--drift-policy <policy>", meaning).choices(driftPolicies).default("Correct");
}

function managementPolicyOption(): Option {
  const meaning = "whether anything remote is ever written, where nobody says otherwise; default Manage";
  return new Option("--management-policy <policy>", meaning).choices(managementPolicies);
}

/** @param otlpEndpoint default of --otlp-endpoint */
export function addRunOptions(command: Command, otlpEndpoint?: string): Command {
  return command
    .option("--health-address <address>", "where /healthz, /readyz and /metrics are served", "127.0.0.1:8080")
    .option("--workers <number>", "reconciles at once; as many more of edits", "16")
    .option(
      "--allowed-base-url <url>",
      "base URL that connections may use; any when none is given (repeatable)",
      repeated,
      [],
    )
    .option("--ca-file <file>", "PEM certificates trusted for the Management API beside the usual ones")
    .option(
      "--credential-protection",
      "keep the Secrets of credentials until the deletions that need them are done",
      true,
    )
    .option("--no-credential-protection", "put no finalizer on the Secrets of credentials")
    .option(
      "--workload-identity-token-file <file>",
      "ServiceAccount token that is exchanged for connections with workloadIdentity; re-read for each exchange",
    )
    .option(
      "--workload-identity-namespace <namespace>",
      "namespace whose Connections may use that token too, beside ClusterConnections (repeatable)",
      repeated,
      [],
    )
    .option("--drift-interval <duration>", "how often remote state is compared, where nobody says otherwise", "10m")
    .addOption(driftPolicyOption())
    .addOption(managementPolicyOption())
    .option(
      "--otlp-endpoint <url>",
      "collector of OpenTelemetry traces, OTLP over HTTP; none when absent (OTEL_EXPORTER_OTLP_ENDPOINT)",
      otlpEndpoint,
    )
    .option("--trace-ratio <share>", "share of reconciles that are traced, 0 to 1", "1")
    .option("--cluster-connection-file <file>", "ClusterConnection that is applied at the start");
}
