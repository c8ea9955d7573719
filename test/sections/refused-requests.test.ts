import { expect, it } from "vitest";
import { operations } from "../../src/api/contract/contract.ts";
import { branchKind } from "../../src/resources/branch/kind.ts";
import { edgeFunctionKind } from "../../src/resources/edge-function/kind.ts";
import { projectKind } from "../../src/resources/project/kind.ts";
import { secretKind } from "../../src/resources/secret/kind.ts";
import type { KubeObject } from "../../src/resources/meta.ts";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../support/controllers/life.ts";
import { AT_ONCE } from "../support/controllers/shop.ts";

/**
 * What is asked for beside sections (those are refused in refused-values.test.ts) and refused by the platform: each ends terminal in the platform's words, and
 * names what of the manifest asked for it. No value of a Secret is among them, also where the platform repeats it.
 */

/** of the platform, which no message of ours has, and no field is called */
const WORDS = "the kiwi is not ripe";
const PASSWORD = "correct horse battery";
const VALUE = "a staple of the environment";

const kinds = { Project: projectKind, Branch: branchKind, EdgeFunction: edgeFunctionKind, Secret: secretKind } as const;

type Kind = keyof typeof kinds;

interface On {
  readonly theatre: Theatre;
  readonly life: Life;
  /** Declares an object, and runs it until it rests. */
  readonly apply: (kind: Kind, spec: object) => Promise<unknown>;
  /** what is stored of it */
  readonly stored: (kind: Kind) => KubeObject | undefined;
}

interface Case {
  readonly what: string;
  readonly operation: string;
  readonly kind: Kind;
  readonly spec: object;
  /** how the message ends */
  readonly names: string;
  /** the value of a Secret that the platform's words repeat; default: none */
  readonly repeated?: string;
  /** before it is refused; default: the Project is at rest */
  readonly before?: (on: On) => Promise<unknown>;
}

const SHOP = { organization: "acme" };
const IN_SHOP = { projectRef: { name: "shop" } };
const FUNCTION = { ...IN_SHOP, source: { inline: { files: { "index.ts": "// served" } } } };
const FROM = { ...IN_SHOP, from: [{ secretRef: { name: "values" }, keys: [{ key: "ONE" }, { key: "TWO" }] }] };
const PASSWORD_FROM = { databasePassword: { secretKeyRef: { name: "values", key: "password" } } };

const withShop = ({ apply }: On): Promise<unknown> => apply("Project", SHOP);

async function withDefaultBranch(on: On): Promise<void> {
  await withShop(on);
  const { ref = "" } = projectKind.parseStatus(on.stored("Project"));
  await on.life.client.branches.create({ ref, body: { branch_name: "main", is_default: true } });
}

const cases: readonly Case[] = [
  {
    what: "a new project, with all that it is made with",
    operation: "projects.create",
    kind: "Project",
    spec: {
      ...SHOP,
      ...PASSWORD_FROM,
      name: "the shop",
      region: { code: "eu-central-1" },
      instanceSize: "small",
      highAvailability: true,
      templateUrl: "https://example.com/template",
    },
    names:
      "spec.name, spec.organization, spec.region, spec.instanceSize, spec.highAvailability, spec.templateUrl, spec.databasePassword",
    repeated: PASSWORD,
    before: () => Promise.resolve(),
  },
  {
    what: "a new project that declares what it must",
    operation: "projects.create",
    kind: "Project",
    spec: SHOP,
    names: "metadata.name, spec.organization",
    before: () => Promise.resolve(),
  },
  {
    what: "another name",
    operation: "projects.update",
    kind: "Project",
    spec: { ...SHOP, name: "another" },
    names: "spec.name",
  },
  {
    what: "another password",
    operation: "projects.updatePassword",
    kind: "Project",
    spec: { ...SHOP, ...PASSWORD_FROM },
    names: "spec.databasePassword",
    repeated: PASSWORD,
  },
  {
    what: "a pause",
    operation: "projects.pause",
    kind: "Project",
    spec: { ...SHOP, state: "Paused" },
    names: "spec.state",
  },
  {
    what: "the end of a pause",
    operation: "projects.restore",
    kind: "Project",
    spec: { ...SHOP, state: "Running" },
    names: "spec.state",
    before: ({ apply }) => apply("Project", { ...SHOP, state: "Paused" }),
  },
  ...["transfers.preview", "transfers.create"].map((operation) => ({
    what: "another organization",
    operation,
    kind: "Project" as const,
    spec: { organization: "other", transferPolicy: "Allow" },
    names: "spec.organization",
  })),
  ...["upgrades.eligibility", "upgrades.start"].map((operation) => ({
    what: "another version",
    operation,
    kind: "Project" as const,
    spec: { ...SHOP, ref: "abcdefghijklmnopqrst", database: { version: "17" } },
    names: "spec.database.version",
    before: async ({ apply, theatre }: On) => {
      const [ref, organization] = ["abcdefghijklmnopqrst", "acme"];
      const old = { name: "shop", ref, organization, postgresVersion: "15.8.1.085" };
      await theatre.emulator.control.state.seed({ projects: [old] });
      await apply("Project", { ...SHOP, ref });
    },
  })),
  {
    what: "a new branch, with all that it is made with",
    operation: "branches.create",
    kind: "Branch",
    spec: {
      ...IN_SHOP,
      name: "a preview",
      gitBranch: "feature",
      persistent: true,
      withData: true,
      region: { code: "eu-central-1" },
      postgresEngine: "17",
      releaseChannel: "preview",
      instanceSize: "small",
      notifyUrl: "https://example.com/told",
    },
    names:
      "spec.name, spec.gitBranch, spec.persistent, spec.withData, spec.region, spec.postgresEngine, spec.releaseChannel, spec.instanceSize, spec.notifyUrl",
    before: withDefaultBranch,
  },
  {
    what: "a new branch that declares what it must",
    operation: "branches.create",
    kind: "Branch",
    spec: IN_SHOP,
    names: "metadata.name",
    before: withDefaultBranch,
  },
  {
    what: "other settings of a branch",
    operation: "branches.update",
    kind: "Branch",
    spec: { ...IN_SHOP, gitBranch: "feature", persistent: true },
    names: "spec.gitBranch, spec.persistent",
    before: async (on) => {
      await withShop(on);
      await on.apply("Branch", IN_SHOP);
    },
  },
  {
    what: "a new function",
    operation: "functions.deploy",
    kind: "EdgeFunction",
    spec: FUNCTION,
    names: "metadata.name, spec.source",
  },
  {
    what: "a new function, with all that it is made with",
    operation: "functions.deploy",
    kind: "EdgeFunction",
    spec: {
      ...IN_SHOP,
      source: { inline: { files: { "main.ts": "// served" } } },
      slug: "served",
      name: "The function",
      entrypoint: "main.ts",
      staticPatterns: ["static/*"],
      verifyJwt: false,
    },
    names: "spec.slug, spec.source, spec.entrypoint, spec.staticPatterns, spec.verifyJwt, spec.name",
  },
  {
    what: "other settings of a function",
    operation: "functions.update",
    kind: "EdgeFunction",
    spec: { ...FUNCTION, name: "Another", verifyJwt: false },
    names: "spec.verifyJwt, spec.name",
    before: async (on) => {
      await withShop(on);
      await on.apply("EdgeFunction", FUNCTION);
    },
  },
  {
    what: "secrets of the environment",
    operation: "secrets.create",
    kind: "Secret",
    spec: FROM,
    names: "spec.from",
    repeated: VALUE,
  },
  {
    what: "the end of a secret of the environment",
    operation: "secrets.delete",
    kind: "Secret",
    spec: { ...IN_SHOP, from: [{ secretRef: { name: "values" }, keys: [{ key: "ONE" }] }] },
    names: "spec.from",
    before: async (on) => {
      await withShop(on);
      await on.apply("Secret", FROM);
    },
  },
];

const organizations = ["acme", "other"].map(
  (slug) => ({ slug, name: slug, plan: "enterprise", members: { owner: "Owner" } }) as const,
);

async function open(theatre: Theatre): Promise<On> {
  const { kubernetes } = theatre;
  kubernetes.put("secrets", {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "values", namespace: NAMESPACE },
    data: { password: btoa(PASSWORD), ONE: btoa(VALUE), TWO: btoa(VALUE) },
  });
  const life = await theatre.life();
  const name = "shop";
  return {
    theatre,
    life,
    apply: async (kind, spec) => {
      const metadata = { name, namespace: NAMESPACE };
      kubernetes.put(kinds[kind].type.plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
      return life.settle(kind, name);
    },
    stored: (kind) => kubernetes.get(kinds[kind].type.plural, NAMESPACE, name),
  };
}

it.each(cases)(
  "ends terminal, with what asked for it named: $what ($operation of a $kind)",
  async ({ operation, kind, spec, names, repeated = "", before = withShop }) => {
    await using theatre = await openTheatre({ ...AT_ONCE, seed: { organizations } });
    const on = await open(theatre);
    await before(on);
    const refused = operations.filter(({ id }) => id === operation);
    expect(refused).toHaveLength(1);
    const fault = { kind: "status", status: 422, body: { message: `${WORDS}: "${repeated}".` } } as const;
    for (const { id } of refused) await theatre.emulator.control.faults.add({ operation: id, count: null, fault });
    expect(await on.apply(kind, spec)).toMatchObject({ kind: "terminal" });
    const { conditions } = kinds[kind].parseStatus(on.stored(kind));
    for (const type of ["Ready", "Stalled"]) {
      const { message = "" } = conditions.find((condition) => condition.type === type) ?? {};
      expect(message).toContain(WORDS);
      expect(message.split("; asked for by ").at(-1)).toBe(names);
      expect(repeated !== "" && message.includes(repeated)).toBe(false);
    }
  },
);
