import type { ApiClient } from "../../../src/api/client.ts";
import type { Meter } from "../../../src/base/meter.ts";
import { projectKind } from "../../../src/resources/project/kind.ts";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "./life.ts";
import { AT_ONCE } from "./shop.ts";

/** test/support/controllers: one object of each kind that is as declared, and what somebody may make of each by hand. */

export interface Drifts {
  readonly theatre: Theatre;
  readonly life: Life;
  readonly client: ApiClient;
  /** of the project */
  readonly ref: string;
}

/** One thing that somebody changes by hand. */
interface Drift {
  readonly what: string;
  readonly kind: string;
  readonly plural: string;
  readonly name: string;
  readonly drift: (drifts: Drifts) => Promise<unknown>;
  /** what puts it back */
  readonly operation: "projects.update" | "dataApi.update" | "branches.update" | "functions.update" | "secrets.create";
  /** as it is told */
  readonly field: string;
}

/** How long until an object is due for a drift check, milliseconds. */
export const DRIFT_MS = 1_300_000;

const PROJECT = { kind: "Project", plural: "projects", name: "shop" } as const;
const BRANCH = { kind: "Branch", plural: "branches", name: "preview" } as const;
const EDGE_FUNCTION = { kind: "EdgeFunction", plural: "edgefunctions", name: "hello" } as const;
const SECRET = { kind: "Secret", plural: "secrets", name: "env" } as const;

const projectRef = { name: "shop" };
const source = { inline: { files: { "index.ts": "1" } } };
const objects = [
  { ...PROJECT, spec: { organization: "acme", name: "shop", dataApi: { maxRows: 100 } } },
  { ...BRANCH, spec: { projectRef, gitBranch: "main" } },
  { ...EDGE_FUNCTION, spec: { projectRef, source, verifyJwt: true } },
  { ...SECRET, spec: { projectRef, from: [{ secretRef: { name: "values" } }] } },
];

/** All of them, Ready. @param options.driftPolicy of each; default: none is declared */
export async function openDrifts(options: { driftPolicy?: string; meter?: Meter }): Promise<Drifts> {
  const { meter, ...declared } = options;
  const theatre = await openTheatre(AT_ONCE, meter === undefined ? {} : { meter });
  const values = { name: "values", namespace: NAMESPACE };
  const stringData = { A: "declared" };
  theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata: values, stringData });
  for (const { kind, plural, name, spec } of objects) {
    const metadata = { name, namespace: NAMESPACE };
    const object = { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec: { ...declared, ...spec } };
    theatre.kubernetes.put(plural, object);
  }
  const life = await theatre.life();
  for (const { kind, name } of objects) await life.settle(kind, name);
  const { ref } = projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, "shop"));
  if (ref === undefined) throw new Error("the Project did not come up");
  return { theatre, life, client: life.client, ref };
}

export const drifts: readonly Drift[] = [
  {
    ...PROJECT,
    what: "the name of a Project",
    drift: ({ client, ref }) => client.projects.update({ ref, body: { name: "by hand" } }),
    operation: "projects.update",
    field: "spec.name",
  },
  {
    ...PROJECT,
    what: "a section of a Project",
    drift: ({ client, ref }) => client.dataApi.update({ ref, body: { max_rows: 7 } }),
    operation: "dataApi.update",
    field: "spec.dataApi.maxRows",
  },
  {
    ...BRANCH,
    what: "a Branch",
    drift: async ({ client, ref }) => {
      const branches = await client.branches.list({ ref });
      const preview = branches.find(({ name }) => name.includes("preview"));
      const input = { branch_id_or_ref: preview?.project_ref ?? "", body: { git_branch: "by-hand" } };
      return client.branches.update(input, { parentRef: ref });
    },
    operation: "branches.update",
    field: "spec.gitBranch",
  },
  {
    ...EDGE_FUNCTION,
    what: "the settings of an EdgeFunction",
    drift: ({ client, ref }) => client.functions.update({ ref, function_slug: "hello", body: { verify_jwt: false } }),
    operation: "functions.update",
    field: "spec.verifyJwt",
  },
  {
    ...SECRET,
    what: "the value of a Secret",
    drift: ({ client, ref }) => client.secrets.create({ ref, body: [{ name: "A", value: "by hand" }] }),
    operation: "secrets.create",
    field: "A",
  },
];
