import { beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE } from "../../test/support/controllers/life.ts";
import { putShop, unready } from "../../test/support/controllers/shop.ts";
import { operatorInEach } from "../../test/support/controllers/operator-in-each.ts";
import { findCondition } from "./shared/conditions.ts";

/** What a first sync asks of the apiserver: no write that the next one makes obsolete (engine.md §4, §5, §7). */

const stage = operatorInEach();

describe("objects that are applied together", () => {
  it("are written as often as what must be recorded, and when, asks for", async () => {
    putShop(stage.theatre, { branches: 1, functions: 3, secrets: 2, perSecret: 1 });
    stage.operator.look();
    await stage.operator.advanceUntil(() => unready(stage.theatre).length === 0);
    expect(Object.fromEntries(stage.theatre.kubernetes.written)).toEqual({
      // finalizer before, annotation after its creation; intent, identity, Ready
      "PATCH projects": 2,
      "PATCH projects/status": 3,
      // the same, and the intent for the default branch
      "PATCH branches": 2,
      "PATCH branches/status": 4,
      // finalizer before, annotation after the deployment of each; claim, what was deployed unless it is looked at at once, Ready
      "PATCH edgefunctions": 6,
      "PATCH edgefunctions/status": 8,
      // claim, then finalizer and annotation together before the names are set, Ready; of each
      "PATCH secrets": 2,
      "PATCH secrets/status": 4,
      // the key ring and the password of the project
      "POST secrets": 2,
    });
  });
});

describe("an object whose parent is not there", () => {
  const reasonOfReady = (): string | undefined => {
    const status: unknown = stage.theatre.kubernetes.get("edgefunctions", NAMESPACE, "lonely")?.["status"];
    const { conditions = [] } = (status ?? {}) as { readonly conditions?: Parameters<typeof findCondition>[0] };
    return findCondition(conditions, "Ready")?.reason;
  };

  beforeEach(() => {
    stage.theatre.kubernetes.put("edgefunctions", {
      apiVersion: "baas.dev/v1alpha1",
      kind: "EdgeFunction",
      metadata: { name: "lonely", namespace: NAMESPACE },
      spec: { projectRef: { name: "shop" }, source: { inline: { files: { "index.ts": "1" } } } },
    });
    stage.operator.look();
  });

  it("says so when that has not changed for five seconds", async () => {
    await stage.operator.advance(4900);
    expect(stage.theatre.kubernetes.writes).toBe(0);
    await stage.operator.advance(200);
    expect(reasonOfReady()).toBe("ReferenceNotFound");
  });

  it("goes on at once when it comes", async () => {
    putShop(stage.theatre, { branches: 0, functions: 0, secrets: 0 });
    stage.operator.look();
    await stage.operator.advance(4000);
    expect(reasonOfReady()).toBe("Available");
  });
});
