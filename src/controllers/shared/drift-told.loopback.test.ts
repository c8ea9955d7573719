import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import { readings } from "../../../test/support/runtime/readings.ts";
import type { ApiClient } from "../../api/client.ts";
import { projectKind } from "../../resources/project/kind.ts";

/** engine.md §6: that drift was corrected is told, and counted, of a write that was made, and once of each. */

let theatre: Theatre;
let life: Life;
let client: ApiClient;
let ref: string;

const projectRef = { name: "shop" };
const DRIFT_MS = 1_300_000;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  const put = (plural: string, kind: string, name: string, spec: object): void => {
    const metadata = { name, namespace: NAMESPACE };
    theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
  };
  const metadata = { name: "values", namespace: NAMESPACE };
  theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, stringData: { A: "declared" } });
  put("projects", "Project", "shop", { organization: "acme", name: "shop", dataApi: { maxRows: 100 } });
  put("branches", "Branch", "preview", { projectRef, gitBranch: "main" });
  put("edgefunctions", "EdgeFunction", "hello", { projectRef, source: { inline: { files: { "index.ts": "1" } } } });
  put("secrets", "Secret", "env", { projectRef, from: [{ secretRef: { name: "values" } }] });
  life = await theatre.life();
  for (const [kind, name] of objects) await life.settle(kind, name);
  ref = projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, "shop")).ref ?? "";
  const session = life.environment.sessions.get(`Connection/${NAMESPACE}/default`);
  if (session === undefined) throw new Error("the connection is closed");
  client = session.client;
});

afterEach(() => theatre[Symbol.asyncDispose]());

const objects = [
  ["Project", "shop"],
  ["Branch", "preview"],
  ["EdgeFunction", "hello"],
  ["Secret", "env"],
] as const;

const rows: readonly {
  readonly what: string;
  readonly kind: string;
  readonly name: string;
  /** what somebody does by hand */
  readonly drift: () => Promise<unknown>;
  /** what puts it back */
  readonly operation: "projects.update" | "dataApi.update" | "branches.update" | "functions.update" | "secrets.create";
  readonly field: string;
}[] = [
  {
    what: "the name of a Project",
    kind: "Project",
    name: "shop",
    drift: () => client.projects.update({ ref, body: { name: "by hand" } }),
    operation: "projects.update",
    field: "spec.name",
  },
  {
    what: "a section of a Project",
    kind: "Project",
    name: "shop",
    drift: () => client.dataApi.update({ ref, body: { max_rows: 7 } }),
    operation: "dataApi.update",
    field: "spec.dataApi.maxRows",
  },
  {
    what: "a Branch",
    kind: "Branch",
    name: "preview",
    drift: async () => {
      const branches = await client.branches.list({ ref });
      const preview = branches.find(({ name }) => name.includes("preview"));
      const input = { branch_id_or_ref: preview?.project_ref ?? "", body: { git_branch: "by-hand" } };
      return client.branches.update(input, { parentRef: ref });
    },
    operation: "branches.update",
    field: "spec.gitBranch",
  },
  {
    what: "the settings of an EdgeFunction",
    kind: "EdgeFunction",
    name: "hello",
    drift: () => client.functions.update({ ref, function_slug: "hello", body: { verify_jwt: false } }),
    operation: "functions.update",
    field: "spec.verifyJwt",
  },
  {
    what: "the value of a Secret",
    kind: "Secret",
    name: "env",
    drift: () => client.secrets.create({ ref, body: [{ name: "A", value: "by hand" }] }),
    operation: "secrets.create",
    field: "A",
  },
];

const faults = [
  { fault: { kind: "status", status: 403 }, why: "is refused" },
  { fault: { kind: "status", status: 429, headers: { "retry-after": "30" } }, why: "waits for budget" },
  { fault: { kind: "reset", phase: "before" }, why: "is lost with its answer" },
] as const;

const cases = rows.flatMap((row) => faults.map((fault) => ({ ...row, ...fault })));

/** What the events of this life say of drift that was corrected. */
function corrected(): readonly string[] {
  return life.events.filter(({ reason }) => reason === "DriftCorrected").map(({ note }) => note);
}

describe("that drift was corrected is told", () => {
  it.each(cases)("once, and only when it was: $what, whose write $why", async (row) => {
    const { kind, name, drift, operation, field, fault } = row;
    const { meter, read } = readings();
    Object.assign(life.environment, { meter });
    await drift();
    await theatre.pass(DRIFT_MS);
    await theatre.emulator.control.faults.add({ operation, count: 3, fault });
    const { last } = await theatre.emulator.control.log.read({});
    const counted = (): number => read("baas_drift_total", { kind, action: "corrected" });
    const written = async (): Promise<number> => {
      const { entries } = await theatre.emulator.control.log.read({ after: last, operation });
      return entries.filter(({ status }) => status !== null && status < 300).length;
    };
    for (let run = 0; run < 5; run += 1) {
      await life.runWhileTimePasses(kind, name, run === 0 ? "drift" : "progress");
      const writes = await written();
      expect([corrected().length, counted()], `after run ${run}`).toEqual([writes, writes]);
      await theatre.pass(60_000);
    }
    await theatre.emulator.control.faults.clear();
    await theatre.pass(DRIFT_MS);
    expect(await life.settle(kind, name)).toMatchObject({ kind: "done" });
    expect(corrected()).toEqual([`the remote side differed and was repaired: ${field}`]);
    expect(counted()).toBe(1);
  });
});
