import { expect, it } from "vitest";
import { ofKind, render, valuesFile } from "./render.ts";

/** engine.md §6: the keys of what is sent are made at run time. What a chart makes, each upgrade and each GitOps tool makes again. */
it.each(["cluster-wide", "namespaced", "alone"] as const)("the chart makes no Secret: %s", async (name) => {
  const manifests = await render(valuesFile(name));
  expect(manifests.length).toBeGreaterThan(3);
  expect(ofKind(manifests, "Secret")).toEqual([]);
});
