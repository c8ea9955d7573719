import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { kinds } from "../../src/resources/kinds.ts";
import { toolPath } from "../../tools/programs.ts";
import { chartDirectory } from "../support/operator/chart.ts";
import { run } from "../support/programs/run.ts";
import { identity, ofKind, only, render, template, valuesFile } from "./render.ts";

const files = ["cluster-wide", "namespaced", "alone"] as const;

describe("the chart", () => {
  it.each(files)("has nothing for helm lint to say: %s", async (name) => {
    const values = { stdin: JSON.stringify(valuesFile(name)) };
    const result = await run(toolPath("helm"), ["lint", "--strict", "--values", "-", chartDirectory], values);
    expect(result.stdout).toContain("0 chart(s) failed");
    expect(result.code).toBe(0);
  });

  it("has the version of the program", () => {
    const version = z.object({ version: z.string() });
    const { version: program } = version.parse(
      JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")),
    );
    const chart = version
      .extend({ appVersion: z.string() })
      .parse(parse(readFileSync(join(chartDirectory, "Chart.yaml"), "utf8")));
    expect(chart).toEqual({ version: program, appVersion: program });
  });

  it.each([
    { version: "1.30.14", code: 1, why: "selectableFields are not served yet" },
    { version: "1.31.0", code: 0, why: "the oldest that is supported" },
    { version: "1.31.2-gke.100", code: 0, why: "a vendor's build of it" },
    { version: "1.36.3", code: 0, why: "the one that tests run" },
  ])("installs on Kubernetes $version or not: $why", async ({ version, code }) => {
    expect((await template({}, { args: ["--kube-version", version] })).code).toBe(code);
  });
});

function templates(): readonly string[] {
  const paths = readdirSync(join(chartDirectory, "templates"), { recursive: true, encoding: "utf8" });
  return paths.filter((path) => /\.(yaml|tpl|txt)$/u.test(path));
}

describe("rendering", () => {
  it.each(files)("gives the same text every time: %s", async (name) => {
    const [first, second] = [await template(valuesFile(name)), await template(valuesFile(name))];
    expect(first.stdout).not.toBe("");
    expect(second.stdout).toBe(first.stdout);
  });

  it.each(templates())("asks neither the cluster nor chance nor the clock: %s", (path) => {
    const actions = readFileSync(join(chartDirectory, "templates", path), "utf8").match(/\{\{[^]*?\}\}/gu) ?? [];
    expect(actions.join("\n")).not.toMatch(
      /\b(lookup|rand\w*|uuidv4|now|date\w*|genCA|gen\w+Cert\w*|genPrivateKey|derivePassword|htpasswd|bcrypt|getHostByName)\b/u,
    );
  });

  it("leaves out what is switched off", async () => {
    expect((await render(valuesFile("alone"), { namespace: "n" })).map(identity)).toEqual([
      ...kinds
        .map(({ type }) => `CustomResourceDefinition ${type.plural}.${type.group}`)
        .toSorted((a, b) => (a < b ? -1 : 1)),
      "Deployment n/only",
    ]);
  });

  it("makes the optional objects that are switched on", async () => {
    const manifests = await render(valuesFile("cluster-wide"));
    const made = [
      "PodDisruptionBudget",
      "NetworkPolicy",
      "ServiceMonitor",
      "PrometheusRule",
      "Service",
      "ConfigMap",
      "Job",
    ];
    expect(made.map((kind) => only(manifests, kind).metadata.namespace)).toEqual(made.map(() => "baas-system"));
    for (const { metadata } of manifests) expect(metadata.labels).toMatchObject({ team: "platform" });
  });

  it("makes no disruption budget for a single replica, whose node could then never be drained", async () => {
    expect(ofKind(await render({ replicas: 1 }), "PodDisruptionBudget")).toEqual([]);
  });

  it("names things apart for releases of one name in two namespaces", async () => {
    const values = valuesFile("cluster-wide");
    const places = async (namespace: string): Promise<readonly string[]> =>
      (await render({ ...values, crds: { enabled: false } }, { namespace })).map(identity);
    const [first, second] = [await places("one"), new Set(await places("two"))];
    expect(first.filter((place) => second.has(place))).toEqual([]);
  });

  it("keeps names within what Kubernetes takes, however long the release's is", async () => {
    const manifests = await render(valuesFile("cluster-wide"), { name: "r".repeat(53), namespace: "n".repeat(63) });
    const names = manifests.map(({ metadata }) => metadata.name);
    expect(Math.max(...names.map((name) => name.length))).toBeLessThanOrEqual(253);
    const short = ofKind(manifests, "Service").concat(ofKind(manifests, "Job"));
    expect(Math.max(...short.map(({ metadata }) => metadata.name.length))).toBeLessThanOrEqual(63);
    const labels = manifests.flatMap(({ metadata }) => Object.values(metadata.labels));
    expect(Math.max(...labels.map((label) => label.length))).toBeLessThanOrEqual(63);
  });
});

describe("the custom resource definitions", () => {
  it("are all there, and stay when the release or the Argo CD application goes", async () => {
    const definitions = ofKind(await render(), "CustomResourceDefinition");
    expect(new Set(definitions.map(({ metadata }) => metadata.name))).toEqual(
      new Set(kinds.map(({ type }) => `${type.plural}.${type.group}`)),
    );
    for (const { metadata } of definitions) {
      expect(metadata.annotations).toEqual({
        "helm.sh/resource-policy": "keep",
        "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
      });
    }
  });

  it("are what crds/ says, to the last rule", async () => {
    const directory = new URL("../../crds/", import.meta.url);
    const written = readdirSync(directory).map(
      (name) => z.object({ spec: z.unknown() }).parse(parse(readFileSync(new URL(name, directory), "utf8"))).spec,
    );
    const rendered = ofKind(await render(), "CustomResourceDefinition").map((definition) => definition["spec"]);
    expect(rendered).toEqual(written);
  });

  it("are left to others with crds.enabled: false", async () => {
    expect(ofKind(await render({ crds: { enabled: false } }), "CustomResourceDefinition")).toEqual([]);
  });
});

describe("the cleanup", () => {
  it("consists of hooks alone, which helm removes when they succeeded", async () => {
    const all = await render();
    const hooks = all.filter(({ metadata }) => metadata.name.includes("-cleanup"));
    expect(hooks.map(({ kind }) => kind)).toContain("Job");
    for (const { kind, metadata } of hooks) {
      expect(metadata.annotations).toEqual({
        "helm.sh/hook": "post-delete",
        // The identity and its rights come before the Job that needs them.
        "helm.sh/hook-weight": kind === "Job" ? "0" : "-10",
        "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
      });
    }
  });
});
