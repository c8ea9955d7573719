import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Emulator } from "../../src/emulator/emulator.ts";
import { startEmulator } from "../../src/emulator/emulator.ts";
import { kinds } from "../../src/resources/kinds.ts";
import type { ControlPlane } from "../support/control-plane/control-plane.ts";
import { startControlPlane } from "../support/control-plane/control-plane.ts";
import { Administrator, manifest } from "../support/operator/administrator.ts";
import { chartDirectory, installChart } from "../support/operator/chart.ts";
import { uninstallChart } from "../support/operator/uninstall.ts";
import type { OperatorHandle } from "../support/operator/operator.ts";
import { startOperator } from "../support/operator/operator.ts";
import { helm } from "../support/programs/helm.ts";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";

/**
 * One life of an installation, step by step: install, upgrade with a changed definition, uninstall, install again. What people made and
 * what is on the platform must come through it untouched. On a control plane of its own, since the chart spans the cluster.
 */

const token = "install-token";
const readyMs = 60_000;

let plane: ControlPlane;
let emulator: Emulator;
let admin: Administrator;
let operator: OperatorHandle;

function values(): Readonly<Record<string, unknown>> {
  return {
    clusterConnection: {
      create: true,
      baseUrl: emulator.url,
      tokenSecretRef: { name: "platform-token" },
      allowedNamespaces: { from: "All" },
    },
  };
}

const here = { namespace: "shop", name: "shop" };
const projectRef = { name: "shop" };
const manifests = [
  manifest("Project", here, { organization: "acme", region: { code: "us-east-1" }, deletionPolicy: "Delete" }),
  manifest("Branch", here, { projectRef, name: "preview" }),
  manifest("EdgeFunction", here, { projectRef, source: { inline: { files: { "index.ts": "Deno.serve()" } } } }),
  manifest("Secret", here, { projectRef, from: [{ secretRef: { name: "app" } }] }),
];

const ours = "projects,branches,edgefunctions,secrets.baas.dev,clusterconnections";

const objectSchema = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string(), uid: z.string(), generation: z.number() }),
  spec: z.unknown(),
});

const objectList = z.object({ items: z.array(objectSchema) });

/** Every object of ours, as people made it: identity and spec, not status. */
async function objects(): Promise<readonly z.output<typeof objectSchema>[]> {
  const list: unknown = JSON.parse(await admin.run(["get", ours, "--all-namespaces", "--output=json"]));
  return objectList.parse(list).items;
}

/** Requests since `after` that could have changed something. */
async function writesAfter(after: number): Promise<readonly string[]> {
  const { entries } = await emulator.control.log.read({ after });
  return entries.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);
}

async function lastRequest(): Promise<number> {
  return (await emulator.control.log.read({})).last;
}

beforeAll(async () => {
  plane = await startControlPlane();
  emulator = await startEmulator({ tokens: [token], speed: 1000 });
  admin = new Administrator(plane);
  await admin.createNamespaces("shop", "baas-system");
  await admin.storeToken("baas-system", token);
  await admin.run(["--namespace=shop", "create", "secret", "generic", "app", "--from-literal=GREETING=hello"]);
});

afterAll(async () => {
  await operator.stop();
  await emulator.stop();
  await plane.stop();
});

describe("an installation", () => {
  it("comes up with its ServiceAccount's rights and makes the ClusterConnection that the values describe", async () => {
    operator = await startOperator(plane, { values: values() });
    await operator.waitReady();
    // It does not exist at once: the operator makes it when it leads.
    await expect
      .poll(async () => (await kubectl(plane, ["get", "clusterconnection", "default"])).code, { timeout: readyMs })
      .toBe(0);
    await admin.waitReady("clusterconnections");
  });

  it("makes objects ready through it", async () => {
    await admin.apply(manifests);
    await admin.waitReady(ours);
    const { projects } = await emulator.control.state.read({});
    expect(projects.map(({ name }) => name)).toContain("shop");
    expect(await admin.protectedSecrets()).toEqual(["baas-system/platform-token"]);
  });

  it("needed no right that it does not have", () => {
    expect(operator.logs()).not.toMatch(/forbidden/iu);
  });
});

describe("an upgrade with a changed definition", () => {
  const column = "Added by the upgrade.";

  it("changes the definition and leaves every object and the platform as they were", async () => {
    const before = await objects();
    const state = await emulator.control.state.read({});
    const last = await lastRequest();
    const chart = changedChart();
    try {
      await installChart(plane, { chart, values: values() });
    } finally {
      rmSync(chart, { recursive: true, force: true });
    }
    expect(await admin.run(["get", "crd", "projects.baas.dev", "--output=yaml"])).toContain(column);
    await operator.restart();
    await operator.waitReady();
    await admin.waitReady(ours);
    expect(await objects()).toEqual(before);
    expect(await emulator.control.state.read({})).toEqual(state);
    expect(await writesAfter(last)).toEqual([]);
  });

  /** The chart as its next version might be: one more printer column. */
  function changedChart(): string {
    const copy = mkdtempSync(join(tmpdir(), "chart-"));
    cpSync(chartDirectory, copy, { recursive: true });
    const definition = join(copy, "templates", "crds", "projects.yaml");
    const text = readFileSync(definition, "utf8");
    const columns = "    additionalPrinterColumns:\n";
    expect(text).toContain(columns);
    const added = `${columns}    - name: Added\n      type: string\n      jsonPath: .metadata.name\n      description: ${column}\n`;
    writeFileSync(definition, text.replace(columns, added));
    const about = join(copy, "Chart.yaml");
    writeFileSync(about, readFileSync(about, "utf8").replace(/^version: .*$/mu, "version: 99.0.0"));
    return copy;
  }
});

describe("uninstalling", () => {
  it("leaves definitions, objects and the platform, and none of our finalizers on a Secret", async () => {
    const before = await objects();
    const state = await emulator.control.state.read({});
    const last = await lastRequest();
    expect(await admin.protectedSecrets()).toEqual(["baas-system/platform-token"]);

    const { hooks } = await uninstallChart(plane, operator);

    expect(hooks.map(({ code, logs }) => ({ code, logs }))).toEqual([
      { code: 0, logs: expect.stringMatching(/1 Secret/u) },
    ]);
    expect(operator.replicas.map(({ exit }) => exit?.code ?? exit?.signal)).toEqual(operator.replicas.map(() => 0));
    expect(await admin.protectedSecrets()).toEqual([]);
    expect(await objects()).toEqual(before);
    expect(await emulator.control.state.read({})).toEqual(state);
    expect(await writesAfter(last)).toEqual([]);
    const definitions = await admin.run(["get", "crds", "--output=name"]);
    for (const { type } of kinds) expect(definitions).toContain(`${type.plural}.${type.group}\n`);
  });

  it("leaves nothing else of the release, the cleanup's own objects included", async () => {
    const releases = succeeded(await helm(plane, ["list", "--all", "--all-namespaces", "--output=json"]));
    expect(JSON.parse(releases)).toEqual([]);
    const types =
      "deployments,services,serviceaccounts,configmaps,jobs,roles,rolebindings,clusterroles,clusterrolebindings";
    const selector = "--selector=app.kubernetes.io/part-of=baas-operator";
    expect(await admin.run(["get", types, "--all-namespaces", selector, "--output=name"])).toBe("");
  });
});

describe("installing again", () => {
  it("goes on with the same objects and the same things on the platform", async () => {
    const before = await objects();
    const state = await emulator.control.state.read({});
    const last = await lastRequest();
    operator = await startOperator(plane, { values: values() });
    await operator.waitReady();
    await expect.poll(() => admin.protectedSecrets(), { timeout: readyMs }).toEqual(["baas-system/platform-token"]);
    await admin.waitReady(ours);
    expect(await objects()).toEqual(before);
    expect(await emulator.control.state.read({})).toEqual(state);
    expect(await writesAfter(last)).toEqual([]);
  });
});
