import { expect, it } from "vitest";
import { NAMESPACE, openTheatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";

it.each([
  { why: "the token reads its organization still", hidden: ["projects.get"], reason: "RemoteMissing" },
  {
    why: "the organization cannot be read any more either",
    hidden: ["projects.get", "organizations.get"],
    reason: "CredentialChanged",
  },
])("a project that answers 404 is $reason, since $why (engine.md §4)", async ({ hidden, reason }) => {
  await using theatre = await openTheatre(AT_ONCE);
  const life = await theatre.life();
  const metadata = { name: "shop", namespace: NAMESPACE };
  const spec = { organization: "acme" };
  theatre.kubernetes.put("projects", { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata, spec });
  await life.settle("Project", "shop");
  const fault = { kind: "status", status: 404 } as const;
  for (const operation of hidden) await theatre.emulator.control.faults.add({ operation, count: null, fault });
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "terminal", reason });
});
