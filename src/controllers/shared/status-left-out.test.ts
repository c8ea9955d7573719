import { expect, it } from "vitest";
import { z } from "zod";
import { runOf, testEnvironment } from "../../../test/support/controllers/environment.ts";
import { readings } from "../../../test/support/runtime/readings.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { projectKind } from "../../resources/project/kind.ts";

const patchSchema = z.object({ status: z.looseObject({ transfer: z.object({ warnings: z.array(z.string()) }) }) });

it("a status is written with what its lists hold, once, and what they do not is counted", async () => {
  const { meter, read } = readings();
  const environment = testEnvironment({ clock: new ManualClock(), meter });
  const object: KubeObject = {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: { name: "shop", namespace: "ns", uid: "u", resourceVersion: "1" },
    spec: { organization: "acme" },
    status: { observedGeneration: 0, conditions: [] },
  };
  const written: unknown[] = [];
  const patchMerge: KubeClient["patchMerge"] = (_type, _id, patch) => {
    const { status } = patchSchema.parse(patch);
    written.push(status.transfer.warnings.length, status.transfer.warnings.at(-1));
    return Promise.resolve({ ...object, status });
  };
  Object.assign(environment, { kube: { ...environment.kube, patchMerge } });
  const run = runOf(environment, projectKind, object);
  const warnings = Array.from({ length: 300 }, (_, n) => `warning ${n}`);
  const told = (): void =>
    run.status.update({ transfer: { from: "a", to: "b", uid: "u", state: "Blocked", warnings } });
  for (let n = 0; n < 3; n += 1) {
    told();
    await run.writeStatus();
  }
  expect(written).toEqual([256, "and 45 more"]);
  expect(read("baas_status_items_left_out_total", { kind: "Project", list: "transfer.warnings" })).toBe(45);
});
