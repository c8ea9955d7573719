import { expect, it } from "vitest";
import { NAMESPACE, openTheatre } from "../../../test/support/controllers/life.ts";
import { branchKind } from "../../resources/branch/kind.ts";
import { projectKind } from "../../resources/project/kind.ts";

/** What a Branch declares that is fixed when it is made goes with the one request that makes it. */

it.each([
  { what: "another engine", spec: { postgresEngine: "15" }, made: { postgres_engine: "15", release_channel: "ga" } },
  { what: "another channel", spec: { releaseChannel: "preview" }, made: { release_channel: "preview" } },
  { what: "nothing of it", spec: {}, made: { postgres_engine: "17", release_channel: "ga" } },
])("a branch that declares $what is made so, and what is omitted is its project's", async ({ spec, made }) => {
  await using theatre = await openTheatre();
  const put = (plural: string, kind: string, name: string, declared: object): void => {
    const metadata = { name, namespace: NAMESPACE };
    theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec: declared });
  };
  put("projects", "Project", "shop", { organization: "acme" });
  const life = await theatre.life();
  await life.settle("Project", "shop");
  put("branches", "Branch", "preview", { projectRef: { name: "shop" }, ...spec });
  await life.settle("Branch", "preview");
  const { ref = "" } = branchKind.parseStatus(theatre.kubernetes.get("branches", NAMESPACE, "preview"));
  const { ref: parentRef = "" } = projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, "shop"));
  expect(await life.client.branches.get({ branch_id_or_ref: ref }, { parentRef })).toMatchObject(made);
});
