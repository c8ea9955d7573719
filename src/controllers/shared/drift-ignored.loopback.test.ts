import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import type { ApiClient } from "../../api/client.ts";
import { projectKind } from "../../resources/project/kind.ts";

/** engine.md §7: `driftPolicy: Ignore` leaves what differs without a condition, and still nothing calls as declared what a look found different. */

let theatre: Theatre;
let life: Life;
let client: ApiClient;
let ref: string;

const driftPolicy = "Ignore";
const projectRef = { name: "shop" };
const DRIFT_MS = 1_300_000;
const source = { inline: { files: { "index.ts": "1" } } };

function put(plural: string, kind: string, name: string, spec: object): void {
  const metadata = { name, namespace: NAMESPACE };
  theatre.kubernetes.put(plural, {
    apiVersion: "baas.dev/v1alpha1",
    kind,
    metadata,
    spec: { driftPolicy, ...spec },
  });
}

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  const metadata = { name: "values", namespace: NAMESPACE };
  theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, stringData: { A: "declared" } });
  put("projects", "Project", "shop", { organization: "acme", name: "shop", dataApi: { maxRows: 100 } });
  put("branches", "Branch", "preview", { projectRef, gitBranch: "main" });
  put("edgefunctions", "EdgeFunction", "hello", { projectRef, source, verifyJwt: true });
  put("secrets", "Secret", "env", { projectRef, from: [{ secretRef: { name: "values" } }] });
  life = await theatre.life();
  for (const [, kind, name] of objects) await life.settle(kind, name);
  ref = projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, "shop")).ref ?? "";
  const session = life.environment.sessions.get(`Connection/${NAMESPACE}/default`);
  if (session === undefined) throw new Error("the connection is closed");
  client = session.client;
});

afterEach(() => theatre[Symbol.asyncDispose]());

const objects = [
  ["projects", "Project", "shop"],
  ["branches", "Branch", "preview"],
  ["edgefunctions", "EdgeFunction", "hello"],
  ["secrets", "Secret", "env"],
] as const;

const rows: readonly {
  readonly what: string;
  readonly object: (typeof objects)[number];
  /** what somebody does by hand */
  readonly drift: () => Promise<unknown>;
  readonly field: string;
}[] = [
  {
    what: "the name of a Project",
    object: objects[0],
    drift: () => client.projects.update({ ref, body: { name: "by hand" } }),
    field: "spec.name",
  },
  {
    what: "a section of a Project",
    object: objects[0],
    drift: () => client.dataApi.update({ ref, body: { max_rows: 7 } }),
    field: "spec.dataApi.maxRows",
  },
  {
    what: "a Branch",
    object: objects[1],
    drift: async () => {
      const branches = await client.branches.list({ ref });
      const preview = branches.find(({ name }) => name.includes("preview"));
      const input = { branch_id_or_ref: preview?.project_ref ?? "", body: { git_branch: "by-hand" } };
      return client.branches.update(input, { parentRef: ref });
    },
    field: "spec.gitBranch",
  },
  {
    what: "the settings of an EdgeFunction",
    object: objects[2],
    drift: () => client.functions.update({ ref, function_slug: "hello", body: { verify_jwt: false } }),
    field: "spec.verifyJwt",
  },
  {
    what: "the value of a Secret",
    object: objects[3],
    drift: () => client.secrets.create({ ref, body: [{ name: "A", value: "by hand" }] }),
    field: "A",
  },
];

describe("under driftPolicy Ignore", () => {
  it.each(rows)(
    "what differs is not called as declared: $what",
    async ({ object: [plural, kind, name], drift, field }) => {
      const ready = (): unknown =>
        projectKind
          .parseStatus(theatre.kubernetes.get(plural, NAMESPACE, name))
          .conditions.map(({ type, status, message }) => `${type}=${status} ${message}`);
      expect(ready()).toEqual([expect.stringMatching(/^Ready=True .*as declared$/u)]);
      await drift();
      await theatre.pass(DRIFT_MS);
      const { last } = await theatre.emulator.control.log.read({});
      expect(await life.run(kind, name, "drift")).toMatchObject({ kind: "done" });
      const { entries } = await theatre.emulator.control.log.read({ after: last });
      expect(entries.filter(({ method }) => method !== "GET")).toEqual([]);
      const except = `as declared, but for what driftPolicy Ignore leaves different: ${field}`;
      expect(ready()).toEqual([expect.stringContaining(except)]);
    },
  );
});
