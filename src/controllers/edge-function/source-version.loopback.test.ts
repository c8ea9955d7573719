import { afterEach, beforeEach, expect, it } from "vitest";
import { NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import { edgeFunctionKind } from "../../resources/edge-function/kind.ts";

/** Which version of its ConfigMap a function was made of: a start goes by it (references.ts). */

let theatre: Theatre;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  theatre.kubernetes.put("projects", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: { name: "shop", namespace: NAMESPACE },
    spec: { organization: "acme", name: "shop" },
  });
  theatre.kubernetes.put("edgefunctions", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "EdgeFunction",
    metadata: { name: "hello", namespace: NAMESPACE },
    spec: { projectRef: { name: "shop" }, source: { configMapRef: { name: "source" } } },
  });
});

afterEach(async () => {
  await theatre[Symbol.asyncDispose]();
});

function write(text: string): string | undefined {
  theatre.kubernetes.put("configmaps", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "source", namespace: NAMESPACE },
    data: { "index.ts": text },
  });
  return theatre.kubernetes.get("configmaps", NAMESPACE, "source")?.metadata.resourceVersion;
}

const recorded = () =>
  edgeFunctionKind.parseStatus(theatre.kubernetes.get("edgefunctions", NAMESPACE, "hello")).source?.resourceVersion;

it("is recorded once it is deployed, and not of an edit whose deployment failed", async () => {
  const first = write("Deno.serve(() => new Response('one'))");
  const life = await theatre.life();
  await life.settle("Project", "shop");
  expect(await life.settle("EdgeFunction", "hello")).toMatchObject({ kind: "done" });
  expect(recorded()).toBe(first);

  await theatre.emulator.control.faults.add({
    operation: "functions.deploy",
    count: null,
    fault: { kind: "status", status: 503, phase: "before" },
  });
  const second = write("Deno.serve(() => new Response('two'))");
  expect(await life.runWhileTimePasses("EdgeFunction", "hello")).toMatchObject({ kind: "transient" });
  expect(recorded()).toBe(first);

  await theatre.emulator.control.faults.clear({});
  expect(await life.settle("EdgeFunction", "hello")).toMatchObject({ kind: "done" });
  expect(recorded()).toBe(second);
});
