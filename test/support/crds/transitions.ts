import type { KindName, Spec } from "./manifest.ts";
import { least, someRef } from "./manifest.ts";

/** Changes of an existing object: what may change, what may not, and that no detour leads around it. */
export interface Transition {
  readonly kind: KindName;
  readonly why: string;
  readonly from: Spec;
  /** Status before the change, as the operator would have written it. */
  readonly status?: Spec;
  readonly to: Spec;
  /** Words of the refusal; absent: the change is accepted. */
  readonly refusal?: string;
}

const other = "tsrqponmlkjihgfedcba";
const intent = { name: "shop", fingerprint: "f", time: "2026-01-01T00:00:00Z", uid: "u" };

/** A field that is fixed: it may not change, be removed or be added, but other fields beside it may change. */
function fixed(kind: KindName, field: string, value: unknown, another: unknown): readonly Transition[] {
  const base = least[kind];
  const refusal = `${field} is fixed`;
  return [
    { kind, why: `${field}: changed`, from: { ...base, [field]: value }, to: { ...base, [field]: another }, refusal },
    {
      kind,
      why: `${field}: removed, which would be the first half of a change`,
      from: { ...base, [field]: value },
      to: base,
      refusal,
    },
    { kind, why: `${field}: added`, from: base, to: { ...base, [field]: value }, refusal },
    {
      kind,
      why: `${field}: kept while another changes`,
      from: { ...base, [field]: value },
      to: { ...base, [field]: value, driftPolicy: "Ignore" },
    },
  ];
}

const { projectRef: _, ...functionWithoutParent } = least.EdgeFunction;
const { projectRef: __, ...secretWithoutParent } = least.Secret;
const toBranch = { branchRef: { name: "preview" } };
const toOther = { projectRef: { name: "other" } };

const project = least.Project;
const organizationRefusal = "the project belongs to another organization already";
const refRefusal = "this object has a project already (status.ref)";

const projectTransitions: readonly Transition[] = [
  ...fixed("Project", "region", { code: "us-east-1" }, { code: "eu-west-1" }),
  ...fixed("Project", "highAvailability", true, false),
  ...fixed("Project", "templateUrl", "https://example.com/a", "https://example.com/b"),
  {
    kind: "Project",
    why: "region: another way to say it is a change",
    from: { ...project, region: { group: "emea" } },
    to: { ...project, region: { code: "eu-west-1" } },
    refusal: "region is fixed",
  },
  {
    kind: "Project",
    why: "[K-05] organization: put right before anything was created",
    from: project,
    to: { organization: "acme-eu" },
  },
  {
    kind: "Project",
    why: "organization: changed once the project exists, a transfer",
    from: project,
    status: { ref: someRef },
    to: { organization: "acme-eu" },
    refusal: organizationRefusal,
  },
  {
    kind: "Project",
    why: "organization: changed while a create request may be on its way",
    from: project,
    status: { intent },
    to: { organization: "acme-eu" },
    refusal: organizationRefusal,
  },
  {
    kind: "Project",
    why: "organization: changed once the project exists, with leave to transfer it that comes in the same edit",
    from: project,
    status: { ref: someRef },
    to: { organization: "acme-eu", transferPolicy: "Allow" },
  },
  {
    kind: "Project",
    why: "organization: changed once the project exists, and the leave taken back in the same edit",
    from: { ...project, transferPolicy: "Allow" },
    status: { ref: someRef },
    to: { organization: "acme-eu", transferPolicy: "Never" },
    refusal: organizationRefusal,
  },
  {
    kind: "Project",
    why: "organization: changed with leave while a create request may be on its way, when nothing can be transferred",
    from: project,
    status: { intent },
    to: { organization: "acme-eu", transferPolicy: "Allow" },
    refusal: organizationRefusal,
  },
  { kind: "Project", why: "[K-11] ref: added to adopt a project", from: project, to: { ...project, ref: someRef } },
  {
    kind: "Project",
    why: "ref: written down for the project that it has",
    from: project,
    status: { ref: someRef },
    to: { ...project, ref: someRef },
  },
  {
    kind: "Project",
    why: "ref: removed again",
    from: { ...project, ref: someRef },
    status: { ref: someRef },
    to: project,
  },
  {
    kind: "Project",
    why: "ref: put right before anything was adopted",
    from: { ...project, ref: someRef },
    to: { ...project, ref: other },
  },
  {
    kind: "Project",
    why: "ref: changed to another project, which would abandon this one",
    from: { ...project, ref: someRef },
    status: { ref: someRef },
    to: { ...project, ref: other },
    refusal: refRefusal,
  },
  {
    kind: "Project",
    why: "ref: another project named after the field was removed",
    from: project,
    status: { ref: someRef },
    to: { ...project, ref: other },
    refusal: refRefusal,
  },
  {
    kind: "Project",
    why: "ref: kept although a missing project was created again under another one",
    from: { ...project, ref: someRef },
    status: { ref: other },
    to: { ...project, ref: someRef, name: "x" },
  },
  {
    kind: "Project",
    why: "[K-06] instanceSize: resized in place",
    from: { ...project, instanceSize: "small" },
    status: { ref: someRef },
    to: { ...project, instanceSize: "large" },
  },
  {
    kind: "Project",
    why: "name: renamed in place",
    from: { ...project, name: "a" },
    status: { ref: someRef },
    to: { ...project, name: "b" },
  },
  {
    kind: "Project",
    why: "state and policies: free",
    from: { ...project, state: "Running" },
    to: { ...project, state: "Paused", deletionPolicy: "Delete" },
  },
  {
    kind: "Project",
    why: "password: from another Secret",
    from: project,
    to: { ...project, databasePassword: { secretKeyRef: { name: "db" } } },
  },
];

const branchTransitions: readonly Transition[] = [
  ...fixed("Branch", "withData", true, false),
  ...fixed("Branch", "region", { code: "us-east-1" }, { code: "eu-west-1" }),
  ...fixed("Branch", "postgresEngine", "15", "17"),
  ...fixed("Branch", "releaseChannel", "ga", "preview"),
  { kind: "Branch", why: "project: moved to another", from: least.Branch, to: toOther, refusal: "projectRef is fixed" },
  {
    kind: "Branch",
    why: "project: named by ref instead",
    from: least.Branch,
    to: { projectRef: { ref: someRef } },
    refusal: "projectRef is fixed",
  },
  {
    kind: "Branch",
    why: "persistent, ttl and name: free",
    from: { ...least.Branch, ttl: "1h", name: "a" },
    to: { ...least.Branch, persistent: true, name: "b" },
  },
];

const childTransitions: readonly Transition[] = [
  {
    kind: "EdgeFunction",
    why: "project: moved to another",
    from: least.EdgeFunction,
    to: { ...least.EdgeFunction, ...toOther },
    refusal: "projectRef is fixed",
  },
  {
    kind: "EdgeFunction",
    why: "project: moved to a branch",
    from: least.EdgeFunction,
    to: { ...functionWithoutParent, ...toBranch },
    refusal: "projectRef is fixed",
  },
  {
    kind: "EdgeFunction",
    why: "branch: moved to another",
    from: { ...functionWithoutParent, ...toBranch },
    to: { ...functionWithoutParent, branchRef: { name: "other" } },
    refusal: "branchRef is fixed",
  },
  {
    kind: "EdgeFunction",
    why: "slug: changed",
    from: { ...least.EdgeFunction, slug: "a" },
    to: { ...least.EdgeFunction, slug: "b" },
    refusal: "slug is fixed",
  },
  {
    kind: "EdgeFunction",
    why: "slug: removed, so that the name would stand in",
    from: { ...least.EdgeFunction, slug: "a" },
    to: least.EdgeFunction,
    refusal: "slug is fixed",
  },
  {
    kind: "EdgeFunction",
    why: "slug: added, another than the name",
    from: least.EdgeFunction,
    to: { ...least.EdgeFunction, slug: "a" },
    refusal: "slug is fixed",
  },
  {
    kind: "EdgeFunction",
    why: "[K-28] source and verifyJwt: free",
    from: least.EdgeFunction,
    to: { ...least.EdgeFunction, verifyJwt: false, source: { configMapRef: { name: "x" } } },
  },
  {
    kind: "Secret",
    why: "project: moved to another",
    from: least.Secret,
    to: { ...least.Secret, ...toOther },
    refusal: "projectRef is fixed",
  },
  {
    kind: "Secret",
    why: "project: moved to a branch",
    from: least.Secret,
    to: { ...secretWithoutParent, ...toBranch },
    refusal: "projectRef is fixed",
  },
  {
    kind: "Secret",
    why: "[K-34] sources: free",
    from: least.Secret,
    to: { ...least.Secret, from: [{ secretRef: { name: "other" } }] },
  },
  {
    kind: "Connection",
    why: "URL and token: free",
    from: least.Connection,
    to: { baseUrl: "https://b.example.com", token: { secretRef: { name: "u" } } },
  },
  {
    kind: "Connection",
    why: "kind of credential: free",
    from: least.Connection,
    to: { baseUrl: "https://api.example.com", workloadIdentity: { clientId: "app" } },
  },
];

export const transitions: readonly Transition[] = [...projectTransitions, ...branchTransitions, ...childTransitions];
