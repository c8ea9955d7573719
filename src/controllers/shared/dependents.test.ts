import { describe, expect, it } from "vitest";
import { storesWith, testEnvironment } from "../../../test/support/controllers/environment.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { finalizers } from "../../resources/annotations.ts";
import type { KubeObject } from "../../resources/meta.ts";
import type { Environment } from "../environment.ts";
import { dependentsOf, hasDependents, mayShareServer } from "./dependents.ts";

function object(kind: string, name: string, parts: { readonly spec: object; readonly status?: object }): KubeObject {
  const metadata = { name, namespace: "ns", uid: `uid-${name}`, resourceVersion: "1", generation: 1 };
  return { apiVersion: "baas.dev/v1alpha1", kind, metadata, status: {}, ...parts };
}

function connection(name: string): KubeObject {
  const spec = { baseUrl: `https://${name}.example.com`, token: { secretRef: { name: "token" } } };
  return object("Connection", name, { spec });
}

function project(name: string, asked: string, status: object): KubeObject {
  const spec = { organization: "acme", connectionRef: { kind: "Connection", name: asked } };
  return object("Project", name, { spec, status });
}

/** A Project that asks for one connection and reached its project through another. */
function environmentWith(asked: string, status: object, others: readonly KubeObject[] = []): Environment {
  const connections = ["old", "new", "default"].map(connection);
  const stores = storesWith([...connections, project("shop", asked, status), ...others]);
  return testEnvironment({ clock: new ManualClock(), stores });
}

const throughOld = { connection: { kind: "Connection", name: "old", identity: "me" } };

describe("an object that goes over from one connection to another", () => {
  it("depends on both: neither is deleted under it, and the new one is guarded before anything is made through it", () => {
    const environment = environmentWith("new", throughOld);
    const depends = ["old", "new", "default"].map((name) => hasDependents(environment, `Connection/ns/${name}`, "ns"));
    expect(depends).toEqual([true, true, false]);
  });

  it.each([
    { why: "nothing is recorded yet, so that it is made where the spec says", status: throughOld, server: "new" },
    {
      why: "what is recorded lies where it was reached",
      status: { ...throughOld, recordedFor: "uid-shop" },
      server: "old",
    },
    { why: "the record is another object's", status: { ...throughOld, recordedFor: "uid-other" }, server: "new" },
  ])("claims on the platform $server alone, when $why", ({ status, server }) => {
    const others = ["old", "new"].map((name) => project(name, name, {}));
    const environment = environmentWith("new", status, others);
    const [shop, ...asking] = ["shop", "old", "new"].map((name) => environment.objects.projects.get("ns", name));
    const meets = asking.filter(
      (other) => shop && other && mayShareServer(environment, { object: shop, here: undefined }, other),
    );
    expect(meets.map((other) => other?.metadata.name)).toEqual([server]);
  });
});

describe("an object that cannot be read whole", () => {
  const recorded = { ...throughOld, recordedFor: "uid-shop" };
  const wrong = { templateUrl: "none" };

  /** @returns the connections that it depends on */
  function neededBy(spec: object, status: object, held: readonly string[] = [finalizers.remote]): readonly string[] {
    const connectionRef = { kind: "Connection", name: "new" };
    const whole = object("Project", "shop", { spec: { organization: "acme", connectionRef, ...spec }, status });
    const doomed = { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [...held] };
    const shop = { ...whole, metadata: { ...whole.metadata, ...doomed } };
    const stores = storesWith([...["old", "new", "default"].map(connection), shop]);
    const environment = testEnvironment({ clock: new ManualClock(), stores });
    return ["old", "new", "default"].filter((name) => {
      const id = `Connection/ns/${name}`;
      expect(dependentsOf(environment, id, "ns")).toHaveLength(hasDependents(environment, id, "ns") ? 1 : 0);
      return hasDependents(environment, id, "ns");
    });
  }

  it("depends on what its deletion needs, where that can be read", () => {
    expect(neededBy({ ...wrong, deletionPolicy: "Delete" }, recorded)).toEqual(["old", "new"]);
  });

  it.each([
    { why: "it says no policy that can be read", spec: { deletionPolicy: "Remove" } },
    { why: "nobody knows what it asks for", spec: { connectionRef: "new", deletionPolicy: "Delete" } },
  ])("depends on what it was reached through, where $why", ({ spec }) => {
    expect(neededBy(spec, recorded)).toEqual(["old"]);
  });

  it("may depend on any, where nothing tells through which it was reached", () => {
    expect(neededBy({ connectionRef: "new" }, {})).toEqual(["old", "new", "default"]);
  });

  it("depends on none, where it has nothing remotely", () => {
    expect(neededBy({ connectionRef: "new" }, {}, [])).toEqual([]);
  });
});
