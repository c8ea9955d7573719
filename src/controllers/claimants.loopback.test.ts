import { beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE } from "../../test/support/controllers/life.ts";
import { unready } from "../../test/support/controllers/shop.ts";
import { operatorInEach } from "../../test/support/controllers/operator-in-each.ts";
import { projectKind } from "../resources/project/kind.ts";
import { claimants } from "./edge-function/claimants.ts";
import { findCondition } from "./shared/conditions.ts";

/** Who claims what of a place is found by the place, however its objects name it (engine.md §4). */

const stage = operatorInEach();

beforeEach(async () => {
  for (const name of ["shop", "other"]) put("projects", name, { organization: "acme" });
  await settle();
});

const kindOf = { projects: "Project", edgefunctions: "EdgeFunction", secrets: "Secret" } as const;

function put(plural: keyof typeof kindOf, name: string, spec: object, more: object = {}): void {
  const metadata = { name, namespace: NAMESPACE };
  stage.theatre.kubernetes.put(plural, {
    apiVersion: "baas.dev/v1alpha1",
    kind: kindOf[plural],
    metadata,
    spec,
    ...more,
  });
}

async function settle(): Promise<void> {
  stage.operator.look();
  await stage.operator.advanceUntil(() => unready(stage.theatre).length === 0);
}

function refOf(name: string): string {
  const { ref } = projectKind.parseStatus(stage.theatre.kubernetes.get("projects", NAMESPACE, name));
  if (ref === undefined) throw new Error(`${name} has no ref`);
  return ref;
}

describe("who claims a function", () => {
  it("names the place as Project or by its ref, or is recorded in it, whatever its parent is now", () => {
    const source = { inline: { files: { "index.ts": "1" } } };
    const session = stage.operator.environment.sessions.get(`Connection/${NAMESPACE}/default`);
    if (session === undefined) throw new Error("no session");
    const { account } = session;
    const ref = refOf("shop");
    const slug = "hello";
    put("edgefunctions", "by-name", { projectRef: { name: "shop" }, slug, source });
    put("edgefunctions", "by-ref", { projectRef: { ref }, slug, source });
    put("edgefunctions", "another-slug", { projectRef: { name: "shop" }, slug: "bye", source });
    put("edgefunctions", "elsewhere", { projectRef: { name: "other" }, slug, source });
    const connection = { kind: "Connection", name: "default", identity: account };
    const uid = "of-recorded";
    stage.theatre.kubernetes.put("edgefunctions", {
      apiVersion: "baas.dev/v1alpha1",
      kind: "EdgeFunction",
      metadata: { name: "recorded", namespace: NAMESPACE, uid },
      spec: { projectRef: { name: "gone" }, slug, source },
      status: { observedGeneration: 0, conditions: [], ref, slug, recordedFor: uid, connection },
    });
    stage.operator.look();
    const found = claimants(stage.operator.environment, slug, { ref, account });
    expect(found.map(({ metadata }) => metadata.name).toSorted()).toEqual(["by-name", "by-ref", "recorded"]);
  });
});

describe("who has a secret of a project", () => {
  const values = { secretRef: { name: "values" } };

  it.each([
    { what: "cannot be read", meddle: () => put("projects", "shop", { organization: "acme", templateUrl: "none" }) },
    { what: "is gone", meddle: () => stage.theatre.kubernetes.delete("projects", NAMESPACE, "shop", 0) },
  ])("has it while the Project $what", async ({ meddle }) => {
    const metadata = { name: "values", namespace: NAMESPACE };
    stage.theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, stringData: { A: "1" } });
    put("secrets", "first", { projectRef: { name: "shop" }, from: [values] });
    await settle();
    const ref = refOf("shop");
    meddle();
    stage.operator.look();
    await stage.operator.advance(10_000);
    put("secrets", "second", { projectRef: { ref }, adoptionPolicy: "IfNameMatches", from: [values] });
    stage.operator.look();
    await stage.operator.advance(10_000);
    const status: unknown = stage.theatre.kubernetes.get("secrets", NAMESPACE, "second")?.["status"];
    expect(status).toMatchObject({
      conditions: expect.arrayContaining([expect.objectContaining({ type: "Ready", reason: "Conflict" })]),
    });
  });
});

describe("what a Secret object declares elsewhere", () => {
  it("is another one's where the first has its record", async () => {
    const metadata = { name: "values", namespace: NAMESPACE };
    const stringData = { A: "1", B: "2" };
    stage.theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, stringData });
    const from = (...keys: string[]) => [{ secretRef: { name: "values" }, keys: keys.map((key) => ({ key })) }];
    put("secrets", "first", { projectRef: { name: "shop" }, from: from("A") });
    await settle();
    const ref = refOf("shop");
    stage.theatre.kubernetes.delete("projects", NAMESPACE, "shop", 0);
    put("secrets", "first", { projectRef: { name: "shop" }, from: from("A", "B") });
    stage.operator.look();
    await stage.operator.advance(10_000);
    const younger = { name: "second", namespace: NAMESPACE, creationTimestamp: "2026-01-02T00:00:00Z" };
    put("secrets", "second", { projectRef: { ref }, from: from("B") }, { metadata: younger });
    stage.operator.look();
    await stage.operator.advance(10_000);
    const status: unknown = stage.theatre.kubernetes.get("secrets", NAMESPACE, "second")?.["status"];
    expect(status).toMatchObject({ names: ["B"], ref });
  });
});

describe("a name that a Secret lets go of", () => {
  it("is another object's at once, which was told that it was not its own", async () => {
    const metadata = { name: "values", namespace: NAMESPACE };
    stage.theatre.kubernetes.put("secrets", {
      apiVersion: "v1",
      kind: "Secret",
      metadata,
      stringData: { A: "1", B: "2" },
    });
    const from = (...keys: string[]): object => ({
      projectRef: { name: "shop" },
      from: [{ secretRef: { name: "values" }, keys: keys.map((key) => ({ key })) }],
    });
    put("secrets", "first", from("A", "B"));
    await settle();
    put("secrets", "second", from("B"));
    stage.operator.look();
    await stage.operator.advance(10_000);
    expect(readyOf("second")).toBe("Conflict");
    put("secrets", "first", from("A"));
    stage.operator.look();
    await stage.operator.advance(10_000);
    expect(readyOf("second")).toBe("Available");
  });

  function readyOf(name: string): string | undefined {
    const status: unknown = stage.theatre.kubernetes.get("secrets", NAMESPACE, name)?.["status"];
    const { conditions = [] } = (status ?? {}) as { readonly conditions?: Parameters<typeof findCondition>[0] };
    return findCondition(conditions, "Ready")?.reason;
  }
});
