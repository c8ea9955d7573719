import { describe, expect, it } from "vitest";
import { z } from "zod";
import { leaseName } from "../../src/cli/kubernetes.ts";
import { KEY_RING_NAME } from "../../src/controllers/shared/key-ring.ts";
import { RELEASES_NAME } from "../../src/controllers/shared/releases.ts";
import { kinds } from "../../src/resources/kinds.ts";
import type { Manifest, Values } from "./render.ts";
import { identity, ofKind, only, render, valuesFile } from "./render.ts";

/**
 * Every right, as text, for one look: "group/resource[name]: verbs". A right that is added, widened or dropped changes a table here; that
 * the operator needs no others is proved by the end-to-end tests, which run it with these.
 */

const ruleSchema = z.strictObject({
  apiGroups: z.array(z.string()).length(1),
  resources: z.array(z.string()).min(1),
  resourceNames: z.array(z.string()).length(1).optional(),
  verbs: z.array(z.string()).min(1),
});
const roleSchema = z.object({ rules: z.array(ruleSchema) });

function rules(role: Manifest): readonly string[] {
  return roleSchema
    .parse(role)
    .rules.flatMap(({ apiGroups, resources, resourceNames, verbs }) =>
      resources.map(
        (resource) =>
          `${apiGroups[0] === "" ? "core" : apiGroups[0]}/${resource}` +
          `${resourceNames === undefined ? "" : `[${resourceNames[0]}]`}: ${verbs.join(" ")}`,
      ),
    );
}

function roles(manifests: readonly Manifest[]): ReadonlyMap<string, readonly string[]> {
  const all = [...ofKind(manifests, "ClusterRole"), ...ofKind(manifests, "Role")];
  return new Map(all.map((role) => [identity(role), rules(role)]));
}

const watched = [
  "baas.dev/connections: get list watch patch",
  "baas.dev/projects: get list watch patch",
  "baas.dev/branches: get list watch patch",
  "baas.dev/edgefunctions: get list watch patch",
  "baas.dev/secrets: get list watch patch",
  "baas.dev/connections/status: patch",
  "baas.dev/projects/status: patch",
  "baas.dev/branches/status: patch",
  "baas.dev/edgefunctions/status: patch",
  "baas.dev/secrets/status: patch",
  "core/secrets: get list watch create patch delete",
  "core/configmaps: get list watch create patch delete",
  "source.toolkit.fluxcd.io/gitrepositories: list watch",
  "source.toolkit.fluxcd.io/ocirepositories: list watch",
  "source.toolkit.fluxcd.io/buckets: list watch",
  "source.toolkit.fluxcd.io/externalartifacts: list watch",
  "events.k8s.io/events: create patch",
];
const clusterWide = [
  ...watched,
  "baas.dev/clusterconnections: get list watch patch",
  "baas.dev/clusterconnections/status: patch",
  "core/namespaces: get list watch",
];
const own = ["core/configmaps: create", `core/configmaps[${RELEASES_NAME}]: get patch`];
const ownNamespaced = [...own, "core/secrets: create", `core/secrets[${KEY_RING_NAME}]: get`];
const lease = ["coordination.k8s.io/leases: create", "coordination.k8s.io/leases[baas-operator]: get update"];
const leaseNamespaced = [
  "coordination.k8s.io/leases: create",
  `coordination.k8s.io/leases[${leaseName(["team-b", "team-a"])}]: get update`,
];
const cleanup = ["core/secrets: get list patch"];
const ours = ["connections", "projects", "branches", "edgefunctions", "secrets"];
const view = ours.map((resource) => `baas.dev/${resource}: get list watch`);
const binding = ["projects", "branches"].map((resource) => `baas.dev/${resource}: get list watch`);
const edit = ours.map((resource) => `baas.dev/${resource}: create update patch delete deletecollection`);

const name = "baas-system-baas-operator";
const team = "team-a-baas-operator";

interface Case {
  readonly install: string;
  readonly values: Values;
  readonly namespace: string;
  readonly roles: Readonly<Record<string, readonly string[]>>;
}

const cases: readonly Case[] = [
  {
    install: "a cluster-wide install",
    values: {},
    namespace: "baas-system",
    roles: {
      [`ClusterRole ${name}`]: clusterWide,
      [`ClusterRole ${name}-view`]: view,
      [`ClusterRole ${name}-edit`]: edit,
      [`ClusterRole ${name}-binding`]: binding,
      [`Role baas-system/${name}-own`]: own,
      [`Role kube-system/${name}-lease`]: lease,
      [`ClusterRole ${name}-cleanup (post-delete)`]: cleanup,
      [`Role kube-system/${name}-cleanup-lease (post-delete)`]: lease,
    },
  },
  {
    install: "a namespaced install, which spans the cluster nowhere",
    values: valuesFile("namespaced"),
    namespace: "team-a",
    roles: {
      [`Role team-a/${team}`]: [...watched, "core/namespaces[team-a]: get"],
      [`Role team-b/${team}`]: [...watched, "core/namespaces[team-b]: get"],
      [`Role kube-system/${team}-cluster-id`]: ["core/namespaces[kube-system]: get"],
      [`Role default/${team}-events`]: ["events.k8s.io/events: create patch"],
      [`Role team-a/${team}-own`]: ownNamespaced,
      [`Role team-a/${team}-lease`]: leaseNamespaced,
      [`Role team-a/${team}-cleanup (post-delete)`]: cleanup,
      [`Role team-b/${team}-cleanup (post-delete)`]: cleanup,
      [`Role team-a/${team}-cleanup-lease (post-delete)`]: leaseNamespaced,
    },
  },
  {
    install: "an install that is alone, without leases",
    values: { leaderElection: { enabled: false }, rbac: { userRoles: false } },
    namespace: "baas-system",
    roles: {
      [`ClusterRole ${name}`]: clusterWide,
      [`Role baas-system/${name}-own`]: own,
      [`ClusterRole ${name}-cleanup (post-delete)`]: cleanup,
    },
  },
  {
    install: "an install with rights from elsewhere",
    values: valuesFile("alone"),
    namespace: "baas-system",
    roles: {},
  },
];

describe("rights", () => {
  it.each(cases)("are exactly these for $install", async ({ values, namespace, roles: expected }) => {
    const manifests = await render(values, { namespace });
    expect(Object.fromEntries(roles(manifests))).toEqual(expected);
  });

  it("include creating a ClusterConnection only where the operator makes one", async () => {
    const manifests = await render(valuesFile("cluster-wide"));
    expect(rules(only(manifests, "ClusterRole", name))).toEqual([
      ...clusterWide.slice(0, -1),
      "baas.dev/clusterconnections: create",
      ...clusterWide.slice(-1),
    ]);
  });

  it("cover every kind of ours and no other", async () => {
    const rights = rules(only(await render(), "ClusterRole", name)).map((text) => text.replace(/: .*/u, ""));
    const all = kinds.flatMap(({ type }) => [`baas.dev/${type.plural}`, `baas.dev/${type.plural}/status`]);
    expect(new Set(rights.filter((text) => text.startsWith("baas.dev/")))).toEqual(new Set(all));
    expect(new Set(ours)).toEqual(new Set(kinds.flatMap(({ type }) => (type.namespaced ? [type.plural] : []))));
  });

  it("never name a wildcard", async () => {
    const rights = [valuesFile("cluster-wide"), valuesFile("namespaced")].map((values) => render(values));
    const text = JSON.stringify((await Promise.all(rights)).map((manifests) => [...roles(manifests)]));
    expect(text).not.toContain("*");
  });

  it.each(["view", "edit"])("for users are joined to the cluster's own roles: %s", async (role) => {
    const { labels } = only(await render(), "ClusterRole", `${name}-${role}`).metadata;
    const joined = Object.keys(labels).filter((label) => label.includes("aggregate-to-"));
    const all = ["view", "edit", "admin"].map((other) => `rbac.authorization.k8s.io/aggregate-to-${other}`);
    expect(joined.toSorted()).toEqual(all.slice(role === "view" ? 0 : 1).toSorted());
  });
});

describe("rights to bind to what has a Secret in the layout of Service Binding", () => {
  it("are joined to those of whatever controller carries that out, and to nobody else's", async () => {
    const { labels } = only(await render(), "ClusterRole", `${name}-binding`).metadata;
    expect(labels).toMatchObject({ "servicebinding.io/controller": "true" });
    expect(Object.keys(labels).filter((label) => label.includes("aggregate-to-"))).toEqual([]);
  });

  it("are of each kind whose status names such a Secret, and of no other", () => {
    const bound = kinds.filter(({ status }) => status instanceof z.ZodObject && "binding" in status.shape);
    expect(bound.map(({ type }) => `baas.dev/${type.plural}: get list watch`)).toEqual(binding);
  });
});

const bindingSchema = z.object({
  roleRef: z.object({ kind: z.string(), name: z.string() }),
  subjects: z.tuple([z.object({ kind: z.literal("ServiceAccount"), name: z.string(), namespace: z.string() })]),
});

describe("bindings", () => {
  it.each([
    { values: {}, namespace: "baas-system" },
    { values: valuesFile("namespaced"), namespace: "team-a" },
  ])("give each role to its ServiceAccount alone, in $namespace", async ({ values, namespace }) => {
    const manifests = await render(values, { namespace });
    const bindings = [...ofKind(manifests, "ClusterRoleBinding"), ...ofKind(manifests, "RoleBinding")];
    const given = bindings.map((binding) => {
      const { roleRef, subjects } = bindingSchema.parse(binding);
      expect(roleRef.name).toBe(binding.metadata.name);
      expect(roleRef.kind).toBe(binding.kind.replace("Binding", ""));
      expect(subjects[0]).toEqual({
        kind: "ServiceAccount",
        name: roleRef.name.includes("-cleanup") ? "baas-operator-cleanup" : "baas-operator",
        namespace,
      });
      return identity(binding).replace("Binding", "");
    });
    const granted = [...roles(manifests).keys()].filter((role) => !/-(view|edit|binding)$/u.test(role));
    expect(given.toSorted()).toEqual(granted.toSorted());
  });
});
