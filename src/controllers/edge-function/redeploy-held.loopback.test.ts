import { expect, it } from "vitest";
import { NAMESPACE, openTheatre } from "../../../test/support/controllers/life.ts";
import { inline, inShop, redeploying } from "../../../test/support/controllers/redeploy-bench.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";

it("[K-36] a run that takes longer than a deployment is held for comes again at once, and not with the next drift check", async () => {
  await using theatre = await openTheatre(AT_ONCE);
  const put = (plural: string, kind: string, name: string, spec: object): void => {
    const metadata = { name, namespace: NAMESPACE };
    theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
  };
  const values = (text: string): void => {
    const metadata = { name: "values", namespace: NAMESPACE };
    const data = { A: Buffer.from(text).toString("base64") };
    theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data });
  };
  values("1");
  put("projects", "Project", "shop", { organization: "acme" });
  put("edgefunctions", "EdgeFunction", "one", { ...inShop, ...inline("1") });
  put("secrets", "Secret", "env", redeploying("values"));
  const life = await theatre.life();
  for (const [kind, name] of [
    ["Project", "shop"],
    ["Secret", "env"],
    ["EdgeFunction", "one"],
  ] as const) {
    expect(await life.settle(kind, name)).toMatchObject({ kind: "done" });
  }
  values("2");
  expect(await life.settle("Secret", "env")).toMatchObject({ kind: "done" });
  await theatre.pass(20_000); // so that the list is read anew
  const slow = { operation: "functions.list", fault: { kind: "delay", ms: 3000 } } as const;
  await theatre.emulator.control.faults.add(slow);
  const held = await life.runWhileTimePasses("EdgeFunction", "one");
  expect(held).toEqual({ kind: "done", result: { requeueAfterMs: 1, lane: "progress" } });
  await theatre.emulator.control.log.clear();
  expect(await life.settle("EdgeFunction", "one")).toMatchObject({ kind: "done" });
  expect((await theatre.emulator.control.log.read({ operation: "functions.deploy" })).entries).toHaveLength(1);
});
