import { beforeEach, expect, it } from "vitest";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import { type Life, NAMESPACE } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";

/** What another account's token does not find is not gone, whether the status says whose it is, or the annotation alone (engine.md §4). */

const asked = askedInEach(AT_ONCE);
let life: Life;

beforeEach(async () => {
  life = await asked.withShop();
});

const projectRef = { name: "shop" };

const KINDS = [
  { kind: "Project", plural: "projects", spec: { organization: "acme", deletionPolicy: "Delete" } },
  { kind: "Branch", plural: "branches", spec: { projectRef, deletionPolicy: "Delete" } },
  {
    kind: "EdgeFunction",
    plural: "edgefunctions",
    spec: { projectRef, source: { inline: { files: { "index.ts": "// nothing" } } } },
  },
] as const;

const rows = KINDS.flatMap((of) => [
  { ...of, status: "is there" as const },
  { ...of, status: "was lost" as const },
]);

it.each(rows)(
  "a $kind whose status $status waits for a token of its account",
  async ({ kind, plural, spec, status }) => {
    asked.theatre.kubernetes.put(plural, {
      apiVersion: "baas.dev/v1alpha1",
      kind,
      metadata: { name: "x", namespace: NAMESPACE },
      spec,
    });
    await life.settle(kind, "x");
    const { sessions } = life.environment;
    const session = sessions.get(`Connection/${NAMESPACE}/default`);
    if (session === undefined) throw new Error("the connection is closed");
    sessions.set({ ...session, account: "somebody-else" });
    const hidden = { kind: "status", status: 404 } as const;
    for (const operation of ["projects.get", "functions.delete", "functions.list", "branches.list"]) {
      await asked.theatre.emulator.control.faults.add({ operation, count: null, fault: hidden });
    }
    if (status === "was lost") asked.theatre.kubernetes.restate(plural, NAMESPACE, "x", () => undefined);
    asked.theatre.kubernetes.delete(plural, NAMESPACE, "x");
    expect(JSON.stringify(await life.run(kind, "x"))).toContain("belongs to another account");
    expect(asked.theatre.kubernetes.get(plural, NAMESPACE, "x")).toBeDefined();
  },
);
