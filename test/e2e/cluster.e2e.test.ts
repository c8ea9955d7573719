import { expect, inject, it } from "vitest";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";

it("the cluster that end-to-end tests share is there, with an administrator's rights", async () => {
  const cluster = inject("cluster");
  expect(succeeded(await kubectl(cluster, ["auth", "can-i", "*", "*", "--all-namespaces"])).trim()).toBe("yes");
});
