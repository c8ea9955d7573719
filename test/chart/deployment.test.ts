import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Manifest, Values } from "./render.ts";
import { ofKind, only, render, valuesFile } from "./render.ts";

const containerSchema = z.looseObject({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()),
  env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })),
  securityContext: z.unknown(),
});
const podSpecSchema = z.looseObject({
  containers: z.tuple([containerSchema]),
  securityContext: z.unknown(),
  serviceAccountName: z.string(),
});
const workloadSchema = z.object({
  spec: z.looseObject({
    template: z.object({
      metadata: z.looseObject({
        labels: z.record(z.string(), z.string()),
        annotations: z.record(z.string(), z.string()).default({}),
      }),
      spec: podSpecSchema,
    }),
  }),
});

function podOf(manifest: Manifest) {
  const { metadata, spec } = workloadSchema.parse(manifest).spec.template;
  return { labels: metadata.labels, annotations: metadata.annotations, spec, container: spec.containers[0] };
}

async function deployment(values: Values = {}, namespace = "baas-system") {
  return podOf(only(await render(values, { namespace }), "Deployment"));
}

async function cleanup(values: Values = {}, namespace = "baas-system") {
  return podOf(only(await render(values, { namespace }), "Job"));
}

/** Arguments as they are read: "--flag value" pairs, flags without value alone. */
function flags(args: readonly string[]): readonly string[] {
  return args.join(" ").split(/ (?=--)/u);
}

const scope = ["--operator-namespace $(POD_NAMESPACE)", "--leader-elect", "--leader-election-namespace kube-system"];
const logs = ["--log-level info", "--log-format json"];

describe("the operator's arguments", () => {
  it("are these by default", async () => {
    const { container } = await deployment();
    expect(flags(container.args)).toEqual([
      "run",
      ...scope,
      ...logs,
      "--health-address 0.0.0.0:8080",
      "--drift-interval 10m",
      "--drift-policy Correct",
      "--management-policy Manage",
    ]);
  });

  it("say all that the values say, with extraArgs last so that they win", async () => {
    const { container } = await deployment(valuesFile("cluster-wide"));
    expect(flags(container.args)).toEqual([
      "run",
      ...scope,
      "--log-level debug",
      "--log-format pretty",
      "--health-address 0.0.0.0:8080",
      "--drift-interval 1h30m",
      "--drift-policy Report",
      "--management-policy Manage",
      "--workers 16",
      "--allowed-base-url https://api.example.com",
      "--allowed-base-url https://eu.example.com/management",
      "--no-credential-protection",
      "--ca-file /etc/baas/ca/root.pem",
      "--workload-identity-token-file /var/run/secrets/baas.dev/workload-identity/token",
      "--workload-identity-namespace shop",
      "--cluster-connection-file /etc/baas/cluster-connection/cluster-connection.yaml",
      "--otlp-endpoint http://collector.observability:4318",
      "--trace-ratio 0.25",
      "--log-level trace",
    ]);
  });

  it.each([
    {
      why: "a namespaced install has a lease of its own",
      values: valuesFile("namespaced"),
      expected: ["--watch-namespace team-a", "--watch-namespace team-b", "--leader-election-namespace team-a"],
    },
    {
      why: "the namespace of the lease can be chosen",
      values: { leaderElection: { namespace: "leases" } },
      expected: ["--leader-election-namespace leases"],
    },
    {
      why: "an operator that is alone needs no lease",
      values: { leaderElection: { enabled: false } },
      expected: ["--no-leader-elect"],
    },
    {
      why: "an IPv6 address is written in brackets",
      values: { health: { host: "::", port: 9090 } },
      expected: ["--health-address [::]:9090"],
    },
  ])("follow from the values: $why", async ({ values, expected }) => {
    expect(flags((await deployment(values, "team-a")).container.args)).toEqual(expect.arrayContaining(expected));
  });
});

describe("the cleanup's arguments", () => {
  it.each([
    { of: "a cluster-wide install", values: {}, expected: scope },
    {
      of: "a namespaced install",
      values: valuesFile("namespaced"),
      expected: [
        "--operator-namespace $(POD_NAMESPACE)",
        "--watch-namespace team-a",
        "--watch-namespace team-b",
        "--leader-elect",
        "--leader-election-namespace team-a",
      ],
    },
  ])("name the scope and lease of $of as the operator's do, and nothing else", async ({ values, expected }) => {
    const args = flags((await cleanup(values, "team-a")).container.args);
    expect(args).toEqual(["cleanup", ...expected, ...logs]);
    expect(flags((await deployment(values, "team-a")).container.args)).toEqual(expect.arrayContaining(args.slice(1)));
  });
});

describe("the environment", () => {
  const proxies = (container: z.infer<typeof containerSchema>) =>
    container.env.filter(({ name }) => name.endsWith("_PROXY")).map(({ name, value }) => [name, value]);

  it("tells the program who it is", async () => {
    const names = (await deployment()).container.env.map(({ name }) => name);
    expect(names).toEqual(["POD_NAME", "POD_NAMESPACE"]);
  });

  it.each([
    {
      why: "the Kubernetes API is never reached through a proxy",
      proxy: { httpsProxy: "http://p:1" },
      expected: [
        ["HTTPS_PROXY", "http://p:1"],
        ["NO_PROXY", "$(KUBERNETES_SERVICE_HOST),kubernetes.default.svc"],
      ],
    },
    {
      why: "further hosts are added",
      proxy: { httpProxy: "http://p:1", noProxy: ".internal,10.0.0.0/8" },
      expected: [
        ["HTTP_PROXY", "http://p:1"],
        ["NO_PROXY", "$(KUBERNETES_SERVICE_HOST),kubernetes.default.svc,.internal,10.0.0.0/8"],
      ],
    },
  ])("names the proxies: $why", async ({ proxy, expected }) => {
    expect(proxies((await deployment({ proxy })).container)).toEqual(expected);
  });

  it("takes a proxy with a password from a Secret", async () => {
    const { env } = (await deployment(valuesFile("cluster-wide"))).container;
    expect(env.at(-1)).toEqual({ name: "SECRET_PROXY", valueFrom: { secretKeyRef: { name: "proxy", key: "url" } } });
  });
});

describe("the Pods", () => {
  it.each([
    { pod: "operator", of: deployment },
    { pod: "cleanup", of: cleanup },
  ])("are as restricted as can be: $pod", async ({ of }) => {
    const { spec, container } = await of();
    expect(spec).toMatchObject({ automountServiceAccountToken: true, enableServiceLinks: false });
    expect(spec.securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });

  it("alone get a token of their ServiceAccounts", async () => {
    const accounts = ofKind(await render(), "ServiceAccount");
    expect(accounts.map((account) => account["automountServiceAccountToken"])).toEqual([false, false]);
  });

  it("have a token for the platform where they shall, for its audience alone and without their having to ask", async () => {
    const workloadIdentity = { enabled: true, audience: "https://api.example.com" };
    const { spec, container } = await deployment({ workloadIdentity });
    const file = "/var/run/secrets/baas.dev/workload-identity";
    const serviceAccountToken = { audience: "https://api.example.com", expirationSeconds: 3600, path: "token" };
    expect(spec["volumes"]).toEqual([{ name: "workload-identity", projected: { sources: [{ serviceAccountToken }] } }]);
    expect(container["volumeMounts"]).toEqual([{ name: "workload-identity", mountPath: file, readOnly: true }]);
    expect(flags(container.args)).toContain(`--workload-identity-token-file ${file}/token`);
    const none = await deployment();
    expect([none.spec["volumes"], none.container["volumeMounts"]]).toEqual([undefined, undefined]);
  });

  it("of the cleanup are selected by neither Deployment, Service nor disruption budget", async () => {
    const { labels } = await cleanup();
    const manifests = await render({ replicas: 2 });
    const selectors = [
      z.object({ spec: z.object({ selector: z.object({ matchLabels: z.record(z.string(), z.string()) }) }) }),
    ].flatMap((schema) => [
      schema.parse(only(manifests, "Deployment")).spec.selector.matchLabels,
      schema.parse(only(manifests, "PodDisruptionBudget")).spec.selector.matchLabels,
    ]);
    const service = z.object({ spec: z.object({ selector: z.record(z.string(), z.string()) }) });
    for (const selector of [...selectors, service.parse(only(manifests, "Service")).spec.selector]) {
      expect((await deployment()).labels).toMatchObject(selector);
      expect(labels).not.toMatchObject(selector);
    }
  });

  it.each([
    { image: {}, expected: "baas-operator:0.1.0" },
    { image: { repository: "r.example.com/x", tag: "v2" }, expected: "r.example.com/x:v2" },
    { image: { tag: "v2", digest: `sha256:${"a".repeat(64)}` }, expected: `baas-operator@sha256:${"a".repeat(64)}` },
  ])("run the image $expected", async ({ image, expected }) => {
    expect((await deployment({ image })).container.image).toBe(expected);
    expect((await cleanup({ image })).container.image).toBe(expected);
  });

  it("are probed where the program listens, with patience at the start", async () => {
    const { container } = await deployment();
    expect(container).toMatchObject({
      ports: [{ name: "http", containerPort: 8080 }],
      startupProbe: { httpGet: { path: "/healthz", port: "http" }, periodSeconds: 2, failureThreshold: 60 },
      livenessProbe: { httpGet: { path: "/healthz", port: "http" } },
      readinessProbe: { httpGet: { path: "/readyz", port: "http" } },
    });
  });

  it("are spread over nodes and zones when there are several, and can be placed", async () => {
    expect((await deployment()).spec).not.toHaveProperty("topologySpreadConstraints");
    expect((await deployment(valuesFile("cluster-wide"))).spec).toMatchObject({
      topologySpreadConstraints: [
        { topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway" },
        { topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "ScheduleAnyway" },
      ],
      priorityClassName: "system-cluster-critical",
      nodeSelector: { "kubernetes.io/os": "linux" },
      tolerations: [{ key: "dedicated", operator: "Exists" }],
      imagePullSecrets: [{ name: "registry" }],
    });
  });

  it.each([
    { values: { ca: { configMapName: "c" } }, expected: [{ name: "ca", configMap: { name: "c" } }] },
    { values: { ca: { secretName: "s" } }, expected: [{ name: "ca", secret: { secretName: "s" } }] },
    { values: {}, expected: undefined },
  ])("mount the certificate authority from $expected", async ({ values, expected }) => {
    const { spec, container } = await deployment(values);
    expect(spec["volumes"]).toEqual(expected);
    const mounts = expected?.map(({ name }) => ({ name, mountPath: "/etc/baas/ca", readOnly: true }));
    expect(container["volumeMounts"]).toEqual(mounts);
  });

  it("have the volumes that the values add, beside those that there are", async () => {
    const volume = { name: "extra", emptyDir: {} };
    const mount = { name: "extra", mountPath: "/extra" };
    const values = { extraVolumes: [volume], extraVolumeMounts: [mount] };
    const { spec, container } = await deployment(values);
    expect([spec["volumes"], container["volumeMounts"]]).toEqual([[volume], [mount]]);
    const both = await deployment({ ...values, ca: { secretName: "s" } });
    expect(both.spec["volumes"]).toEqual([{ name: "ca", secret: { secretName: "s" } }, volume]);
    expect(both.container["volumeMounts"]).toEqual([{ name: "ca", mountPath: "/etc/baas/ca", readOnly: true }, mount]);
  });

  it("are restricted otherwise where the values say so, which leave the rest as it is", async () => {
    const values = { podSecurityContext: { fsGroup: 1000 }, securityContext: { runAsUser: 1000 } };
    for (const { spec, container } of [await deployment(values), await cleanup(values)]) {
      expect(spec.securityContext).toMatchObject({ fsGroup: 1000, runAsNonRoot: true });
      expect(container.securityContext).toMatchObject({ runAsUser: 1000, readOnlyRootFilesystem: true });
    }
  });

  it("are replaced as the values say", async () => {
    const values = { strategy: { type: "Recreate" }, revisionHistoryLimit: 2 };
    const { spec } = workloadSchema.parse(only(await render(values), "Deployment"));
    expect(spec).toMatchObject({ strategy: { type: "Recreate" }, revisionHistoryLimit: 2 });
    const { spec: usual } = workloadSchema.parse(only(await render(), "Deployment"));
    expect([usual["strategy"], usual["revisionHistoryLimit"]]).toEqual([undefined, 10]);
  });

  it("have each label and annotation once, their own values before those of all objects", async () => {
    const annotation = "kubectl.kubernetes.io/default-container";
    const { labels, annotations } = await deployment({
      commonLabels: { team: "platform", tier: "back" },
      podLabels: { team: "backend" },
      podAnnotations: { [annotation]: "other" },
    });
    expect(labels).toMatchObject({ team: "backend", tier: "back", "app.kubernetes.io/component": "operator" });
    expect(annotations).toEqual({ [annotation]: "other" });
  });
});
