import { describe, expect, it } from "vitest";
import { NAMESPACE } from "../../test/support/controllers/life.ts";
import { operatorInEach } from "../../test/support/controllers/operator-in-each.ts";
import { branchKind } from "../resources/branch/kind.ts";
import { projectKind } from "../resources/project/kind.ts";
import { findCondition } from "./shared/conditions.ts";

/** What is told of a name whom somebody else has come before, while that one makes it and after. */

const stage = operatorInEach();
const projectRef = { name: "shop" };

function ready(of: typeof projectKind | typeof branchKind, name: string): ReturnType<typeof findCondition> {
  const object = stage.theatre.kubernetes.get(of.type.plural, NAMESPACE, name);
  return findCondition(of.parseStatus(object).conditions, "Ready");
}

function put({ type }: typeof projectKind | typeof branchKind, name: string, spec: object, minute = 0): void {
  const creationTimestamp = `2026-01-01T00:0${minute}:00Z`;
  const metadata = { name, namespace: NAMESPACE, creationTimestamp };
  stage.theatre.kubernetes.put(type.plural, { apiVersion: "baas.dev/v1alpha1", kind: type.kind, metadata, spec });
}

describe.each([
  { kind: "Project", of: projectKind, spec: { organization: "acme", name: "both" } },
  { kind: "Branch", of: branchKind, spec: { projectRef, name: "both" } },
])("of two objects of kind $kind with one name that are applied together", ({ kind, of, spec }) => {
  it("the later one is told whose it is once the first one has made it, without a look of its own", async () => {
    put(projectKind, "shop", { organization: "acme" });
    stage.operator.look();
    await stage.operator.advanceUntil(() => ready(projectKind, "shop")?.status === "True");
    put(of, "a", spec, 1);
    put(of, "b", spec, 2);
    stage.operator.look();
    await stage.operator.advanceUntil(() => ready(of, "a")?.status === "True" && ready(of, "b")?.reason === "Conflict");
    await stage.operator.advance(5000);
    expect(ready(of, "b")?.message).toContain(`belongs to ${kind} a in namespace ${NAMESPACE}, and only one object`);
  });
});
