import { expect, it } from "vitest";
import { NAMESPACE, openTheatre } from "../../../test/support/controllers/life.ts";
import { applyProject, secretData, settledProject } from "../../../test/support/controllers/outputs.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";

it("an output that somebody writes between the look at it and its rewrite is left, so that nothing of both is mixed", async () => {
  let edit = (): void => undefined;
  await using theatre = await openTheatre(AT_ONCE, { onRequest: () => edit() });
  const life = await theatre.life();
  await settledProject({ theatre, life }, { writeConnectionSecretToRef: { name: "out" } });
  let edits = 0;
  edit = () => {
    const found = theatre.kubernetes.get("secrets", NAMESPACE, "out");
    if (found === undefined) throw new Error("there is no Secret out");
    edits += 1;
    theatre.kubernetes.put("secrets", { ...found, data: { theirs: btoa(String(edits)) } });
  };
  applyProject(theatre, { writeConnectionSecretToRef: { name: "out", includeServiceKey: true } });
  expect(await life.run("Project", "shop")).toMatchObject({ kind: "conflict" });
  expect(edits).toBeGreaterThan(0);
  expect(secretData(theatre, "out")).toEqual({ theirs: String(edits) });
  edit = () => undefined;
  await life.settle("Project", "shop");
  expect(secretData(theatre, "out")).toMatchObject({ "service-key": expect.any(String), uri: expect.any(String) });
  expect(secretData(theatre, "out")).not.toHaveProperty("theirs");
});

it.each([
  { plural: "secrets", asked: { writeConnectionSecretToRef: { name: "out" } } },
  { plural: "configmaps", asked: { writeConnectionConfigMapToRef: { name: "out" } } },
])(
  "one that nothing names any more, and somebody writes before it is deleted, is read again first: $plural",
  async (one) => {
    let edit = (): void => undefined;
    await using theatre = await openTheatre(AT_ONCE, { onRequest: () => edit() });
    const life = await theatre.life();
    await settledProject({ theatre, life }, one.asked);
    let edits = 0;
    edit = () => {
      const found = theatre.kubernetes.get(one.plural, NAMESPACE, "out");
      if (found === undefined) return;
      edits += 1;
      theatre.kubernetes.put(one.plural, { ...found, immutable: edits % 2 === 0 });
    };
    applyProject(theatre, {});
    expect(await life.run("Project", "shop")).toMatchObject({ kind: "conflict" });
    expect(edits).toBeGreaterThan(0);
    expect(theatre.kubernetes.get(one.plural, NAMESPACE, "out")).toBeDefined();
    edit = () => undefined;
    await life.settle("Project", "shop");
    expect(theatre.kubernetes.get(one.plural, NAMESPACE, "out")).toBeUndefined();
  },
);
