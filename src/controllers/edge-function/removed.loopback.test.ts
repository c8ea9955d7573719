import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EdgeFunction } from "../../api/contract/functions.ts";
import { FluxBench } from "../../../test/support/controllers/flux-bench.ts";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { inline, inShop } from "../../../test/support/controllers/redeploy-bench.ts";

/** A function that the platform calls removed: it serves nothing, though it is listed. */

let bench: FluxBench;

beforeEach(async () => {
  bench = await FluxBench.open();
  await bench.rest(() => {
    bench.theatre.kubernetes.put("edgefunctions", {
      apiVersion: "baas.dev/v1alpha1",
      kind: "EdgeFunction",
      metadata: { name: "one", namespace: NAMESPACE },
      spec: { ...inShop, ...inline("one"), deletionPolicy: "Delete" },
    });
  });
  await bench.writes();
});

afterEach(() => bench[Symbol.asyncDispose]());

const DRIFT_MS = 700_000;

const place = (): string => String(bench.status("one")["ref"]);

function remote(): Promise<EdgeFunction> {
  return bench.life.client.functions.get({ ref: place(), function_slug: "one" });
}

/** The platform calls it removed in so many of its answers. @param count null: in all of them */
async function callRemoved(
  operations: readonly ("functions.list" | "functions.get")[],
  count: number | null,
): Promise<void> {
  const removed = { ...(await remote()), status: "REMOVED" };
  for (const operation of operations) {
    const body = operation === "functions.list" ? [removed] : removed;
    const fault = { kind: "status", status: 200, body } as const;
    await bench.theatre.emulator.control.faults.add({ operation, count, fault });
  }
}

describe("a function that is called removed", () => {
  it("is deployed again with its source by the next look", async () => {
    await callRemoved(["functions.list", "functions.get"], 1);
    await bench.rest(undefined, DRIFT_MS);
    expect(await bench.writes()).toEqual(["functions.deploy"]);
    expect(await bench.deployed("one")).toEqual(["index.ts"]);
    expect(bench.ready("one")).toBe("True Available: the function is as declared");
  });

  it("and stays so whatever is deployed is told, and not deployed without end", async () => {
    await callRemoved(["functions.list", "functions.get"], null);
    for (let check = 0; check < 5; check += 1) await bench.rest(undefined, DRIFT_MS);
    expect(await bench.writes()).toHaveLength(3);
    expect(bench.ready("one")).toBe(
      "False DriftDetected: the function one does not exist remotely, and deploying it did not change that",
    );
  });

  it("is gone for the object that had it deleted, though it is there to be read", async () => {
    await callRemoved(["functions.get"], null);
    await bench.rest(() => bench.theatre.kubernetes.delete("edgefunctions", NAMESPACE, "one"));
    expect(await bench.writes()).toEqual(["functions.delete"]);
    expect(bench.theatre.kubernetes.get("edgefunctions", NAMESPACE, "one")).toBeUndefined();
  });
});
