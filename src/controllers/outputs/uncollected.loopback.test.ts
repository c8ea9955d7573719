import { describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { operatorInEach } from "../../../test/support/controllers/operator-in-each.ts";
import { findCondition, kubeTime } from "../shared/conditions.ts";
import { branchKind } from "../../resources/branch/kind.ts";
import type { Condition, KubeObject } from "../../resources/meta.ts";
import { projectKind } from "../../resources/project/kind.ts";

/** What is made anew under the name of something that was deleted a moment ago meets its outputs, which the cluster's garbage collector has still to take. */

/** Less than any look but the one that it waits for, milliseconds. */
const SOON_MS = 20_000;
const PASSWORD = "shop-database-password";

const stage = operatorInEach();

const OUTPUTS = {
  writeConnectionSecretToRef: { name: "out" },
  writeConnectionConfigMapToRef: { name: "out" },
  deletionPolicy: "Delete",
};

interface Row {
  readonly of: typeof projectKind | typeof branchKind;
  readonly name: string;
  readonly spec: object;
}

const project: Row = { of: projectKind, name: "shop", spec: { organization: "acme", ...OUTPUTS } };
const branch: Row = { of: branchKind, name: "preview", spec: { projectRef: { name: "shop" }, ...OUTPUTS } };

const pluralOf = ({ of }: Row): string => of.type.plural;

function objectOf(row: Row): KubeObject | undefined {
  return stage.theatre.kubernetes.get(pluralOf(row), NAMESPACE, row.name);
}

function conditionOf(row: Row, type: string): Condition | undefined {
  return findCondition(row.of.parseStatus(objectOf(row)).conditions, type);
}

function put({ of, name, spec }: Row): void {
  const { kubernetes, clock } = stage.theatre;
  const metadata = { name, namespace: NAMESPACE, creationTimestamp: kubeTime(clock.now()) };
  kubernetes.put(of.type.plural, { apiVersion: "baas.dev/v1alpha1", kind: of.type.kind, metadata, spec });
  stage.operator.look();
}

const isReady = (row: Row): boolean => conditionOf(row, "Ready")?.status === "True";

async function applied(row: Row): Promise<void> {
  put(row);
  await stage.operator.advanceUntil(() => isReady(row));
}

/** Deletes it, and makes another one of its name before the garbage collector has seen that it is gone. */
async function madeAnew(row: Row): Promise<void> {
  stage.theatre.kubernetes.delete(pluralOf(row), NAMESPACE, row.name);
  stage.operator.look();
  await stage.operator.advanceUntil(() => objectOf(row) === undefined);
  put(row);
}

/** As the garbage collector does. */
function collect(plural: string, name: string): void {
  stage.theatre.kubernetes.delete(plural, NAMESPACE, name);
  stage.operator.look();
}

const both = (): readonly (KubeObject | undefined)[] =>
  ["secrets", "configmaps"].map((plural) => stage.theatre.kubernetes.get(plural, NAMESPACE, "out"));

async function standing(row: Row): Promise<void> {
  if (row === branch) await applied({ ...project, spec: { organization: "acme" } });
  await applied(row);
}

async function waits(row: Row): Promise<void> {
  await stage.operator.advanceUntil(() => conditionOf(row, "Reconciling")?.reason === "AwaitingCollection", 600_000);
}

describe.each([
  { kind: "Project", row: project },
  { kind: "Branch", row: branch },
])("outputs of the $kind that was there before", ({ kind, row }) => {
  it("are waited for until they are collected, are never written, and are made again then", async () => {
    await standing(row);
    const before = both();
    await madeAnew(row);
    if (row === project) collect("secrets", PASSWORD);
    await waits(row);
    expect(conditionOf(row, "Reconciling")).toMatchObject({ status: "True", reason: "AwaitingCollection" });
    const told = (what: string): string =>
      `the ${what} out is the former ${kind} ${row.name}'s, which is gone: waiting until the cluster's garbage collector has taken it`;
    expect(conditionOf(row, "Ready")?.message).toBe([told("Secret"), told("ConfigMap")].join("; "));
    expect(conditionOf(row, "Stalled")).toBeUndefined();
    await stage.operator.advance(60_000);
    expect(both()).toEqual(before);
    collect("secrets", "out");
    collect("configmaps", "out");
    await stage.operator.advance(SOON_MS);
    expect(isReady(row)).toBe(true);
    const uid = objectOf(row)?.metadata.uid;
    expect(both()).toMatchObject([
      { metadata: { ownerReferences: [{ uid }] } },
      { metadata: { ownerReferences: [{ uid }] } },
    ]);
  });

  it("that nobody collects are told of once that takes minutes, are not written either, and waited for all the same", async () => {
    await standing(row);
    await madeAnew(row);
    if (row === project) collect("secrets", PASSWORD);
    collect("secrets", "out");
    const [, before] = both();
    await stage.operator.advanceUntil(() => conditionOf(row, "Stalled")?.status === "True", 600_000);
    expect(conditionOf(row, "Stalled")).toMatchObject({
      reason: "ConfigMapNotOwned",
      message:
        `the ConfigMap out is the former ${kind} ${row.name}'s, which is gone, and has not been collected within 5 minutes: ` +
        "the cluster's garbage collector (kube-controller-manager) does not seem to run; see to that, or delete the ConfigMap",
    });
    expect(both()[1]).toEqual(before);
    collect("configmaps", "out");
    await stage.operator.advance(SOON_MS);
    expect(isReady(row)).toBe(true);
  });

  it("that a finalizer holds are told of once that takes minutes, and looked at no more often than anything is", async () => {
    await standing(row);
    const { kubernetes, clock, emulator } = stage.theatre;
    await madeAnew(row);
    if (row === project) collect("secrets", PASSWORD);
    collect("configmaps", "out");
    const held = kubernetes.get("secrets", NAMESPACE, "out");
    if (held === undefined) throw new Error("it is not there");
    const going = { deletionTimestamp: kubeTime(clock.now()), finalizers: ["example.org/hold"] };
    kubernetes.put("secrets", { ...held, metadata: { ...held.metadata, ...going } });
    stage.operator.look();
    await waits(row);
    await stage.operator.advanceUntil(() => conditionOf(row, "Stalled")?.status === "True", 600_000);
    expect(conditionOf(row, "Stalled")).toMatchObject({
      reason: "SecretNotOwned",
      message: `the Secret out is the former ${kind} ${row.name}'s, which is gone, and is being deleted for more than 5 minutes: see to its finalizers (example.org/hold)`,
    });
    const { last } = await emulator.control.log.read({});
    await stage.operator.advance(3_600_000);
    const { entries } = await emulator.control.log.read({ after: last });
    // Six drift checks of one object, and of its parent.
    expect(entries.length).toBeLessThan(100);
  });

  it("are somebody else's where they belong to another object as well", async () => {
    await standing(row);
    const { kubernetes } = stage.theatre;
    const [{ metadata: { ownerReferences = [] } } = { metadata: {} }] = both();
    const another = { apiVersion: "v1", kind: "ConfigMap", name: "theirs", uid: "theirs" };
    kubernetes.put("secrets", {
      metadata: { name: "out", namespace: NAMESPACE, ownerReferences: [...ownerReferences, another] },
    });
    await madeAnew(row);
    if (row === project) collect("secrets", PASSWORD);
    collect("configmaps", "out");
    await stage.operator.advanceUntil(() => conditionOf(row, "Stalled")?.status === "True", 240_000);
    expect(conditionOf(row, "Stalled")).toMatchObject({ reason: "SecretNotOwned" });
    expect(conditionOf(row, "Stalled")?.message).toContain("the Secret out exists");
  });
});

describe("the Secret of the generated password of the Project that was there before", () => {
  it("is used for no other project, which would lose it to the garbage collector", async () => {
    const spec = { organization: "acme", deletionPolicy: "Delete" };
    const row = { ...project, spec };
    const { kubernetes, emulator } = stage.theatre;
    await applied(row);
    const before = kubernetes.get("secrets", NAMESPACE, PASSWORD);
    await madeAnew(row);
    await waits(row);
    const { projects } = await emulator.control.state.read({});
    expect(projects.filter(({ status }) => status !== "REMOVED")).toEqual([]);
    expect(kubernetes.get("secrets", NAMESPACE, PASSWORD)).toEqual(before);
    collect("secrets", PASSWORD);
    await stage.operator.advance(SOON_MS);
    expect(isReady(row)).toBe(true);
    const uid = objectOf(row)?.metadata.uid;
    expect(kubernetes.get("secrets", NAMESPACE, PASSWORD)?.metadata.ownerReferences).toMatchObject([{ uid }]);
  });
});
