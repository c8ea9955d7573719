import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE, unready } from "../../../test/support/controllers/shop.ts";
import { WholeOperator } from "../../../test/support/controllers/whole-operator.ts";
import { recordingMeter } from "../../../test/support/kube-server/recording-meter.ts";
import { RELEASES_NAME } from "./releases.ts";

/** engine.md §5: that the ConfigMap takes no line about what stays holds no deletion past its bound, and is told. */

const MINUTE_MS = 60_000;
const OVER_QUOTA = { status: 403, reason: "Forbidden", message: "exceeded quota: count/configmaps=10" };

let theatre: Theatre;
let operator: WholeOperator;
let meter: ReturnType<typeof recordingMeter>;

beforeEach(async () => {
  meter = recordingMeter();
  theatre = await openTheatre(AT_ONCE, { meter });
  operator = await WholeOperator.start(theatre);
});

afterEach(async () => {
  await operator[Symbol.asyncDispose]();
  await theatre[Symbol.asyncDispose]();
});

async function apply(deletionPolicy: "Delete" | "Retain"): Promise<void> {
  theatre.kubernetes.put("projects", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: { name: "shop", namespace: NAMESPACE },
    spec: { organization: "acme", deletionPolicy, deletionTimeout: "15m" },
  });
  operator.look();
  await operator.advanceUntil(() => unready(theatre).length === 0);
}

/** Deletes the Project, and with `ending` its namespace, and lets some minutes pass. */
async function remove(minutes: number, { ending = true } = {}): Promise<void> {
  const { kubernetes, clock } = theatre;
  if (ending) {
    kubernetes.put("namespaces", { metadata: { name: NAMESPACE, finalizers: ["kubernetes"] } });
    kubernetes.delete("namespaces", "", NAMESPACE, clock.now());
  }
  kubernetes.delete("projects", NAMESPACE, "shop", clock.now());
  operator.look();
  await pass(minutes);
}

async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await operator.advance(MINUTE_MS);
    operator.look();
  }
}

const shop = () => theatre.kubernetes.get("projects", NAMESPACE, "shop");

function conditions(): Readonly<Record<string, unknown>> {
  const { conditions: all = [] } = (shop()?.["status"] ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
  return Object.fromEntries(all.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

const warnings = (reason: string) =>
  operator.events.filter((event) => event.type === "Warning" && event.reason === reason);

const unlisted = () => meter.counted("baas_release_failures_total", { kind: "Project" });

describe("while the ConfigMap takes no line", () => {
  it("a Project that is kept says that it is being deleted, and goes at the bound", async () => {
    await apply("Retain");
    theatre.kubernetes.refuseWrites("configmaps", OVER_QUOTA);
    await remove(10);
    expect(conditions()).toMatchObject({ Ready: "Unknown DeletionBlocked", Reconciling: "True DeletionBlocked" });
    expect(JSON.stringify(shop()?.["status"])).toContain("exceeded quota");
    expect(warnings("DeletionBlocked").map(({ regarding }) => regarding.kind)).toContain("Namespace");
    expect(unlisted()).toBeGreaterThan(0);
    await pass(6);
    expect(shop()).toBeUndefined();
    const note = expect.stringMatching(/stays: .*spec\.ref: .*; .*exceeded quota/u) as unknown;
    expect(warnings("Retained")).toMatchObject([{ regarding: { kind: "Namespace" }, note }]);
  });

  it("a Project that is let go at the bound goes then", async () => {
    await apply("Delete");
    theatre.kubernetes.refuseWrites("configmaps", OVER_QUOTA);
    const fault = { kind: "status", status: 400 } as const;
    await theatre.emulator.control.faults.add({ operation: "projects.delete", count: null, fault });
    await remove(16);
    expect(shop()).toBeUndefined();
    const note = expect.stringContaining("exceeded quota") as unknown;
    expect(warnings("Released")).toMatchObject([{ regarding: { kind: "Namespace" }, note }]);
    expect(meter.counted("baas_released_total", { kind: "Project", cause: "DeletionTimeout" })).toBe(1);
  });

  it("a Project that is kept in a namespace that stays goes at the bound, too", async () => {
    await apply("Retain");
    theatre.kubernetes.refuseWrites("configmaps", { status: 422, reason: "Invalid", message: "field is immutable" });
    await remove(16, { ending: false });
    expect(shop()).toBeUndefined();
    expect(warnings("Retained")).toMatchObject([{ regarding: { kind: "Namespace" } }]);
  });

  it("a line is written as soon as it is taken again, and nothing more is told then", async () => {
    await apply("Retain");
    theatre.kubernetes.refuseWrites("configmaps", OVER_QUOTA);
    await remove(5);
    theatre.kubernetes.refuseWrites("configmaps", undefined);
    await pass(1);
    expect(shop()).toBeUndefined();
    expect(
      Object.keys(theatre.kubernetes.get("configmaps", "baas-system", RELEASES_NAME)?.["data"] ?? {}),
    ).toHaveLength(1);
    expect(warnings("Retained")).toEqual([]);
  });
});

it("where the operator's own namespace is being deleted, which takes no ConfigMap ever again, nothing waits for it", async () => {
  await apply("Retain");
  const details = {
    causes: [{ reason: "NamespaceTerminating", message: "namespace baas-system is being terminated" }],
  };
  const message = "unable to create new content in namespace baas-system because it is being terminated";
  theatre.kubernetes.refuseWrites("configmaps", { status: 403, reason: "Forbidden", message, details });
  await remove(1);
  expect(shop()).toBeUndefined();
  expect(warnings("Retained")).toHaveLength(1);
});

it("a deletion that the apiserver itself keeps from ending leaves no object that says that it is Ready", async () => {
  await apply("Retain");
  const { kubernetes } = theatre;
  kubernetes.refuseWrites("projects", { status: 403, reason: "Forbidden", message: "denied by a webhook" });
  await remove(1, { ending: false });
  expect(conditions()).toMatchObject({ Ready: "Unknown KubernetesError", Reconciling: "True KubernetesError" });
  kubernetes.refuseWrites("projects", undefined);
  await pass(10);
  expect(shop()).toBeUndefined();
});
