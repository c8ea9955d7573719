import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import type { ApiClient } from "../../api/client.ts";
import { branchKind } from "../../resources/branch/kind.ts";

/** Sections of a Branch that the platform refuses: by the path of projects a branch's ref is unknown, so that nothing can be asked there. */

let theatre: Theatre;
let life: Life;
let client: ApiClient;

beforeEach(async () => {
  theatre = await openTheatre({
    ...AT_ONCE,
    seed: { organizations: [{ slug: "acme", name: "Acme", plan: "free" }] },
  });
  life = await theatre.life();
  put("Project", "projects", "shop", { organization: "acme" });
  await life.settle("Project", "shop");
  ({ client } = life);
});

afterEach(() => theatre[Symbol.asyncDispose]());

function put(kind: string, plural: string, name: string, spec: object): void {
  theatre.kubernetes.put(plural, {
    apiVersion: "baas.dev/v1alpha1",
    kind,
    metadata: { name, namespace: NAMESPACE },
    spec,
  });
}

/** A project that somebody made by hand. */
async function unmanaged(): Promise<{ readonly ref: string }> {
  const body = { db_pass: "correct horse battery", name: "by-hand", organization_slug: "acme" };
  const { ref } = await client.projects.create({ body });
  await theatre.pass(60_000);
  return { ref };
}

const stored = () => branchKind.parseStatus(theatre.kubernetes.get("branches", NAMESPACE, "preview"));
const entry = (name: string) => stored().sections?.find((one) => one.name === name);

/** How a Branch names its project. */
const PARENTS = [
  { named: "by its object", parent: () => Promise.resolve({ name: "shop" }) },
  { named: "by its ref, and that no object stands for", parent: unmanaged },
] as const;

describe.each(PARENTS)("a Branch of a project that is named $named", ({ parent }) => {
  let projectRef: object;
  const declare = (spec: object): void => put("Branch", "branches", "preview", { projectRef, ...spec });

  beforeEach(async () => {
    projectRef = await parent();
  });

  it("is asked again for what was refused in a state that passes", async () => {
    declare({ dataApi: { maxRows: 7 } });
    expect(await life.settle("Branch", "preview")).toMatchObject({ kind: "done" });
    const { ref = "" } = stored();
    const fault = { kind: "status", status: 400, body: { message: "the project is restarting" } } as const;
    const { id } = await theatre.emulator.control.faults.add({ operation: "dataApi.update", count: null, fault });
    await client.projects.restart({ ref });
    declare({ dataApi: { maxRows: 8 } });
    await life.run("Branch", "preview");
    expect(entry("dataApi")).toMatchObject({ state: "Waiting", reason: "Updating" });
    expect(entry("dataApi")).not.toHaveProperty("refused");
    await theatre.emulator.control.faults.remove({ id });
    await theatre.pass(60_000);
    expect(await life.settle("Branch", "preview")).toMatchObject({ kind: "done" });
    expect(await client.dataApi.get({ ref })).toMatchObject({ max_rows: 8 });
  });

  it("is asked again for what the plan did not allow once that is another one", async () => {
    declare({ auth: { hooks: { sendSms: { enabled: true } } } });
    expect(await life.settle("Branch", "preview")).toMatchObject({ kind: "terminal", reason: "PlanLimit" });
    await theatre.emulator.control.organizations.patch({ slug: "acme", plan: "pro" });
    expect(await life.run("Branch", "preview", "drift")).toMatchObject({ kind: "done" });
    expect(entry("auth")).toMatchObject({ state: "InSync" });
  });
});
