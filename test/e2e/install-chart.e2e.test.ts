import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import type { Manifest, Values } from "../chart/render.ts";
import { only, render, template, valuesFile } from "../chart/render.ts";
import type { ControlPlane } from "../support/control-plane/control-plane.ts";
import { startControlPlane } from "../support/control-plane/control-plane.ts";
import { installChart } from "../support/operator/chart.ts";
import { untilEstablished } from "../support/programs/definitions.ts";
import { kubectl } from "../support/programs/kubectl.ts";
import type { RunResult } from "../support/programs/run.ts";
import { succeeded } from "../support/programs/run.ts";

/**
 * What a real kube-apiserver says of the chart: it takes every object, its admission finds the Pods restricted, and its authorizer grants
 * what rbac.test.ts lists and no more. On a control plane of its own, since the chart spans the cluster.
 */

let plane: ControlPlane;

async function run(args: readonly string[], stdin = ""): Promise<RunResult> {
  return kubectl(plane, args, { stdin });
}

beforeAll(async () => {
  plane = await startControlPlane();
  for (const namespace of ["baas-system", "team-a", "team-b"]) succeeded(await run(["create", "namespace", namespace]));
});
afterAll(() => plane.stop());

/** Kinds of the Prometheus operator are not served here. */
const served: Values = { metrics: { serviceMonitor: { enabled: false } } };

describe("kube-apiserver", () => {
  it.each([
    { install: "default", values: {}, namespace: "baas-system" },
    { install: "cluster-wide", values: { ...valuesFile("cluster-wide"), ...served }, namespace: "baas-system" },
    { install: "namespaced", values: valuesFile("namespaced"), namespace: "team-a" },
    { install: "alone", values: valuesFile("alone"), namespace: "baas-system" },
  ])("takes every object of the $install install, without a warning", async ({ values, namespace }) => {
    const rendered = succeeded(await template(values, { namespace }));
    const result = await run(["apply", "--dry-run=server", "--validate=strict", "--filename=-"], rendered);
    expect(result.stderr).toBe("");
    expect(result.code).toBe(0);
  });

  it.each(["Deployment", "Job"])("admits the Pod of the %s where only restricted ones may run", async (kind) => {
    const namespace = `restricted-${kind.toLowerCase()}`;
    succeeded(await run(["create", "namespace", namespace]));
    const enforce = "pod-security.kubernetes.io/enforce";
    succeeded(await run(["label", "namespace", namespace, `${enforce}=restricted`]));
    const manifests = await render({ ...valuesFile("cluster-wide"), ...served }, { namespace });
    const accounts = manifests.filter((manifest) => manifest.kind === "ServiceAccount");
    succeeded(
      await run(["apply", "--filename=-"], JSON.stringify({ apiVersion: "v1", kind: "List", items: accounts })),
    );
    const result = await run(["create", "--dry-run=server", "--filename=-"], podOf(only(manifests, kind), namespace));
    expect(result.stderr).toBe("");
    expect(result.code).toBe(0);
  });
});

function podOf(manifest: Manifest, namespace: string): string {
  const { template: pod } = z
    .object({ template: z.object({ metadata: z.record(z.string(), z.unknown()), spec: z.unknown() }) })
    .parse(manifest["spec"]);
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...pod.metadata, name: "pod", namespace },
    spec: pod.spec,
  });
}

/** A question to the authorizer: who may do what; resources as "plural.group/name", with the subresource after a colon. */
interface Question {
  readonly who: string;
  readonly what: string;
  readonly answer: boolean;
  readonly why?: string;
}

const operator = "system:serviceaccount:baas-system:baas-operator";

const rights: readonly Question[] = [
  { who: operator, what: "patch projects.baas.dev in team-a", answer: true },
  { who: operator, what: "patch projects.baas.dev:status in team-a", answer: true },
  { who: operator, what: "watch secrets in team-a", answer: true },
  { who: operator, what: "get namespaces/kube-system in kube-system", answer: true },
  { who: operator, what: "create events.events.k8s.io in default", answer: true },
  { who: operator, what: "update leases.coordination.k8s.io/baas-operator in kube-system", answer: true },
  { who: operator, what: "patch configmaps/baas-operator-released in baas-system", answer: true },
  {
    who: operator,
    what: "update projects.baas.dev in team-a",
    answer: false,
    why: "it patches what it means, and no more",
  },
  { who: operator, what: "delete projects.baas.dev in team-a", answer: false, why: "objects belong to people" },
  { who: operator, what: "create projects.baas.dev in team-a", answer: false, why: "objects belong to people" },
  { who: operator, what: "create clusterconnections.baas.dev", answer: false, why: "unless clusterConnection.create" },
  { who: operator, what: "delete secrets in team-a", answer: true, why: "an output under its old name" },
  { who: operator, what: "delete configmaps in team-a", answer: true, why: "the same" },
  {
    who: operator,
    what: "deletecollection secrets in team-a",
    answer: false,
    why: "one at a time, by name and version",
  },
  { who: operator, what: "update secrets in team-a", answer: false, why: "it patches" },
  { who: operator, what: "create configmaps in team-a", answer: true, why: "the output that a spec names" },
  { who: operator, what: "update configmaps in team-a", answer: false, why: "it patches" },
  {
    who: operator,
    what: "update leases.coordination.k8s.io/other in kube-system",
    answer: false,
    why: "not its lease",
  },
  {
    who: operator,
    what: "get leases.coordination.k8s.io in kube-node-lease",
    answer: false,
    why: "nothing to do there",
  },
  { who: operator, what: "get customresourcedefinitions.apiextensions.k8s.io", answer: false, why: "helm's work" },
  { who: operator, what: "get pods in team-a", answer: false, why: "it has no business with them" },
  { who: operator, what: "impersonate users", answer: false, why: "nor with being somebody else" },
  { who: "view", what: "list projects.baas.dev in team-a", answer: true },
  { who: "view", what: "get secrets.baas.dev in team-a", answer: true },
  { who: "view", what: "get secrets in team-a", answer: false },
  { who: "view", what: "create projects.baas.dev in team-a", answer: false },
  { who: "view", what: "list projects.baas.dev in team-b", answer: false },
  { who: "edit", what: "watch branches.baas.dev in team-a", answer: true },
  { who: "edit", what: "patch edgefunctions.baas.dev in team-a", answer: true },
  { who: "edit", what: "delete connections.baas.dev in team-a", answer: true },
  { who: "edit", what: "patch projects.baas.dev:status in team-a", answer: false },
  { who: "edit", what: "create clusterconnections.baas.dev", answer: false },
  { who: "admin", what: "deletecollection projects.baas.dev in team-a", answer: true },
  { who: "admin", what: "create clusterconnections.baas.dev", answer: false },
];

function review({ who, what }: Question): unknown {
  const [, verb, resource = "", group = "", name = "", subresource = "", namespace = ""] =
    /^(\w+) (\w+)(?:\.([\w.]+))?(?:\/([\w-]+))?(?::(\w+))?(?: in ([\w-]+))?$/u.exec(what) ?? [];
  const resourceAttributes = { verb, group, resource, subresource, name, namespace };
  return {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    spec: { user: who, resourceAttributes },
  };
}

/** Asks kube-apiserver everything at once; the answers stand in the order of the questions. */
async function answers(questions: readonly Question[]): Promise<readonly boolean[]> {
  const list = { apiVersion: "v1", kind: "List", items: questions.map((question) => review(question)) };
  const each = "{.status.allowed}{'\\n'}";
  const made = succeeded(await run(["create", "--filename=-", `--output=jsonpath=${each}`], JSON.stringify(list)));
  return made
    .trim()
    .split("\n")
    .map((answer) => answer === "true");
}

describe("with the chart installed", () => {
  let given: readonly boolean[] = [];

  beforeAll(async () => {
    await installChart(plane);
    for (const role of ["view", "edit", "admin"]) {
      const binding = ["create", "rolebinding", role, `--clusterrole=${role}`, `--user=${role}`];
      succeeded(await run([...binding, "--namespace=team-a"]));
    }
    // Joining roles to view, edit and admin is a controller's work, done a moment after the install.
    const joined = rights.filter(({ who, answer }) => who !== operator && answer);
    await vi.waitUntil(async () => (await answers(joined)).every(Boolean), { timeout: 20_000, interval: 200 });
    given = await answers(rights);
  });

  it("takes the ClusterConnection that the operator is told to apply", async () => {
    await untilEstablished(plane, ["crd", "--all"]);
    const configMap = z
      .object({ data: z.object({ "cluster-connection.yaml": z.string() }) })
      .parse(only(await render(valuesFile("cluster-wide")), "ConfigMap"));
    const text = configMap.data["cluster-connection.yaml"];
    const apply = ["apply", "--server-side", "--validate=strict", "--dry-run=server", "--filename=-", "--output=json"];
    expect(parse(succeeded(await run(apply, text)))).toMatchObject(parse(text));
  });

  it.each(rights.map((right, index) => ({ ...right, index })))(
    "the authorizer says that $who may $what: $answer",
    ({ index, answer }) => {
      expect(given[index]).toBe(answer);
    },
  );
});
