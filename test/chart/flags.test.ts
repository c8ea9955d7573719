import { Command } from "commander";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseFlags } from "../../src/cli/flags.ts";
import { LOG_LEVELS } from "../../src/cli/logger.ts";
import { addRunOptions, addScopeOptions, runFlags, scopeFlags } from "../../src/cli/operator-flags.ts";
import { baseUrlPattern, baseUrlWords, versionPattern, versionWords } from "../../src/resources/connection/base-url.ts";
import { durationPattern } from "../../src/resources/duration.ts";
import { driftPolicies } from "../../src/resources/policy-choices.ts";
import type { Manifest } from "./render.ts";
import { only, render, valuesFile } from "./render.ts";

/** The program's own parser reads what the chart passes: a flag that one of them renames fails here. */

const workloadSchema = z.object({
  spec: z.object({
    template: z.object({ spec: z.object({ containers: z.tuple([z.object({ args: z.array(z.string()) })]) }) }),
  }),
});

function argumentsOf(workload: Manifest): readonly string[] {
  const [{ args }] = workloadSchema.parse(workload).spec.template.spec.containers;
  return args.map((argument) => argument.replace("$(POD_NAMESPACE)", "baas-system"));
}

/** Flags as a verb reads them from a command line. */
function read(command: Command, args: readonly string[]): unknown {
  return command
    .exitOverride()
    .parse([...args], { from: "user" })
    .opts();
}

const installs = ["cluster-wide", "namespaced", "alone"] as const;

describe("the program", () => {
  it.each(installs)("understands the arguments that the chart gives `baas run`: %s", async (name) => {
    const [verb, ...args] = argumentsOf(only(await render(valuesFile(name)), "Deployment"));
    expect(verb).toBe("run");
    const flags = parseFlags(runFlags, read(addRunOptions(addScopeOptions(new Command(), undefined)), args));
    expect(flags).toMatchObject({ operatorNamespace: "baas-system", healthAddress: { host: "0.0.0.0", port: 8080 } });
  });

  it("reads from them what the values say", async () => {
    const [, ...args] = argumentsOf(only(await render(valuesFile("cluster-wide")), "Deployment"));
    const flags = parseFlags(runFlags, read(addRunOptions(addScopeOptions(new Command(), undefined)), args));
    expect(flags).toEqual({
      operatorNamespace: "baas-system",
      watchNamespace: [],
      leaderElect: true,
      leaderElectionNamespace: "kube-system",
      logLevel: "trace",
      logFormat: "pretty",
      healthAddress: { host: "0.0.0.0", port: 8080 },
      workers: 16,
      allowedBaseUrl: ["https://api.example.com", "https://eu.example.com/management"],
      caFile: "/etc/baas/ca/root.pem",
      credentialProtection: false,
      workloadIdentityTokenFile: "/var/run/secrets/baas.dev/workload-identity/token",
      workloadIdentityNamespace: ["shop"],
      driftInterval: "1h30m",
      driftPolicy: "Report",
      managementPolicy: "Manage",
      otlpEndpoint: "http://collector.observability:4318",
      traceRatio: 0.25,
      clusterConnectionFile: "/etc/baas/cluster-connection/cluster-connection.yaml",
    });
  });

  it.each(["cluster-wide", "namespaced"] as const)(
    "understands the arguments that the chart gives `baas cleanup`: %s",
    async (name) => {
      const [verb, ...args] = argumentsOf(only(await render(valuesFile(name)), "Job"));
      expect(verb).toBe("cleanup");
      const flags = parseFlags(scopeFlags, read(addScopeOptions(new Command(), undefined), args));
      expect(flags.watchNamespace).toEqual(name === "namespaced" ? ["team-a", "team-b"] : []);
    },
  );
});

it("a share so small that helm writes it with an exponent is read", async () => {
  const values = { tracing: { otlpEndpoint: "http://c:4318", ratio: 0.000_01 } };
  const [, ...args] = argumentsOf(only(await render(values), "Deployment"));
  expect(args).toContain("1e-05");
  const flags = parseFlags(runFlags, read(addRunOptions(addScopeOptions(new Command(), undefined)), args));
  expect(flags.traceRatio).toBe(0.000_01);
});

describe("the schema of the values", () => {
  const file = new URL("../../deploy/helm/baas-operator/values.schema.json", import.meta.url);
  const schema: unknown = JSON.parse(readFileSync(file, "utf8"));

  it("offers what the program takes", () => {
    expect(schema).toMatchObject({
      properties: {
        log: { properties: { level: { enum: LOG_LEVELS }, format: { enum: ["json", "pretty"] } } },
        drift: { properties: { policy: { enum: driftPolicies } } },
        workers: { minimum: 1, maximum: 256 },
      },
      definitions: { duration: { pattern: durationPattern } },
    });
  });

  it.each([
    { path: "if.pattern", value: baseUrlPattern },
    // Helm tells a constant that was expected, where of a pattern it tells the pattern alone: so the words stand as one.
    { path: "else.const", value: baseUrlWords },
    { path: "then.if.pattern", value: versionPattern },
    { path: "then.then.const", value: versionWords },
  ])("takes the base URLs that the definitions take, and refuses in their words: $path", ({ path, value }) => {
    expect(schema).toHaveProperty(`definitions.baseUrl.${path}`, value);
  });
});
