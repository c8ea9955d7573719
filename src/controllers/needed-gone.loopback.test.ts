import { beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE } from "../../test/support/controllers/life.ts";
import { unready } from "../../test/support/controllers/shop.ts";
import { operatorInEach } from "../../test/support/controllers/operator-in-each.ts";
import { projectKind } from "../resources/project/kind.ts";

/** What goes on being Ready says that it is as declared, which nothing is whose parent or connection has gone: it says so within seconds (engine.md §7). */

/** Far less than any drift check is away, milliseconds. */
const SOON_MS = 15_000;

const stage = operatorInEach();

beforeEach(async () => {
  put("projects", "Project", "shop", { organization: "acme", deletionPolicy: "Delete" });
  put("branches", "Branch", "preview", { projectRef });
  putUsers("in-shop", { projectRef });
  putUsers("in-preview", { branchRef: { name: "preview" } });
  stage.operator.look();
  await stage.operator.advanceUntil(() => unready(stage.theatre).length === 0);
  await stage.operator.advance(SOON_MS);
});

const projectRef = { name: "shop" };

function put(plural: string, kind: string, name: string, spec: object): void {
  const metadata = { name, namespace: NAMESPACE };
  stage.theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
}

/** A function and a Secret object in a place; they never look for drift. */
function putUsers(name: string, place: object): void {
  const metadata = { name: `values-${name}`, namespace: NAMESPACE };
  stage.theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, stringData: { RED: "value" } });
  const driftPolicy = "Ignore";
  const source = { inline: { files: { "index.ts": "1" } } };
  put("edgefunctions", "EdgeFunction", name, { ...place, driftPolicy, source });
  put("secrets", "Secret", name, { ...place, driftPolicy, from: [{ secretRef: { name: metadata.name } }] });
}

/** Ready of an object: its status and reason. */
function readyOf(plural: string, name: string): string {
  const { conditions } = projectKind.parseStatus(stage.theatre.kubernetes.get(plural, NAMESPACE, name));
  const ready = conditions.find(({ type }) => type === "Ready");
  return `${ready?.status ?? ""} ${ready?.reason ?? ""}`;
}

function readyOfUsers(name: string): readonly string[] {
  return ["edgefunctions", "secrets"].map((plural) => readyOf(plural, name));
}

describe("what lives in an object that has gone says so at once", () => {
  const away = "Unknown ReferenceNotFound";

  it("a Project: its branches, functions and secrets, and those of its branches", async () => {
    stage.theatre.kubernetes.delete("projects", NAMESPACE, "shop");
    stage.operator.look();
    await stage.operator.advance(SOON_MS);
    expect(stage.theatre.kubernetes.get("projects", NAMESPACE, "shop")).toBeUndefined();
    expect(readyOf("branches", "preview")).toBe(away);
    expect(readyOfUsers("in-shop")).toEqual([away, away]);
    expect(readyOfUsers("in-preview")).toEqual([away, away]);
  });

  it("a Branch: its functions and secrets, and nothing beside it", async () => {
    stage.theatre.kubernetes.delete("branches", NAMESPACE, "preview");
    stage.operator.look();
    await stage.operator.advance(SOON_MS);
    expect(readyOfUsers("in-preview")).toEqual([away, away]);
    expect(readyOfUsers("in-shop")).toEqual(["True Available", "True Available"]);
  });
});

it("a Project whose deletion does not come to its end: what lives in it says that it goes", async () => {
  await stage.theatre.emulator.control.faults.add({
    operation: "projects.delete",
    count: null,
    fault: { kind: "status", status: 500 },
  });
  stage.theatre.kubernetes.delete("projects", NAMESPACE, "shop");
  stage.operator.look();
  await stage.operator.advance(SOON_MS);
  expect(stage.theatre.kubernetes.get("projects", NAMESPACE, "shop")).toBeDefined();
  const going = "Unknown ReferenceNotReady";
  expect([readyOf("branches", "preview"), ...readyOfUsers("in-shop"), ...readyOfUsers("in-preview")]).toEqual([
    going,
    going,
    going,
    going,
    going,
  ]);
});

it("a Connection that was let go by hand: whoever used it says so", async () => {
  const connection = stage.theatre.kubernetes.get("connections", NAMESPACE, "default");
  if (connection === undefined) throw new Error("there is no connection");
  stage.theatre.kubernetes.put("connections", { ...connection, metadata: { ...connection.metadata, finalizers: [] } });
  stage.theatre.kubernetes.delete("connections", NAMESPACE, "default");
  stage.operator.look();
  await stage.operator.advance(SOON_MS);
  expect(stage.theatre.kubernetes.get("connections", NAMESPACE, "default")).toBeUndefined();
  const away = "Unknown ConnectionNotFound";
  expect(readyOf("projects", "shop")).toBe(away);
  expect(readyOf("branches", "preview")).toBe(away);
  expect([...readyOfUsers("in-shop"), ...readyOfUsers("in-preview")]).toEqual([away, away, away, away]);
});
