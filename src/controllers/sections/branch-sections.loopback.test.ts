import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import { branchKind } from "../../resources/branch/kind.ts";

let theatre: Theatre;
let life: Life;

beforeEach(async () => {
  const seed = { organizations: [{ slug: "acme", name: "Acme", plan: "pro" as const }] };
  theatre = await openTheatre({ ...AT_ONCE, seed });
  life = await theatre.life();
});

afterEach(() => theatre[Symbol.asyncDispose]());

function put(kind: string, plural: string, name: string, spec: object): void {
  const metadata = { name, namespace: NAMESPACE };
  theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
}

describe("a Branch", () => {
  it("is configured as a project is, under its own ref, and repaired", async () => {
    put("Project", "projects", "shop", { organization: "acme", dataApi: { maxRows: 100 } });
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    put("Branch", "branches", "preview", {
      projectRef: { name: "shop" },
      dataApi: { maxRows: 7 },
      instanceSize: "small",
    });
    expect(await life.settle("Branch", "preview")).toMatchObject({ kind: "done" });
    const stored = () => branchKind.parseStatus(theatre.kubernetes.get("branches", NAMESPACE, "preview"));
    const { ref = "", sections } = stored();
    expect(sections?.map(({ name, state }) => `${name} ${state}`).toSorted()).toEqual([
      "dataApi InSync",
      "instanceSize InSync",
    ]);
    const { client } = life.environment.sessions.get(`Connection/${NAMESPACE}/default`) ?? {};
    expect(await client?.dataApi.get({ ref })).toMatchObject({ max_rows: 7 });
    await client?.dataApi.update({ ref, body: { max_rows: 8 } });
    await life.run("Branch", "preview", "drift");
    expect(await client?.dataApi.get({ ref })).toMatchObject({ max_rows: 7 });
  });
});
