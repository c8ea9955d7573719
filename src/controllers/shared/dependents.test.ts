import { describe, expect, it } from "vitest";
import { storesWith, testEnvironment } from "../../../test/support/controllers/environment.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import type { KubeObject } from "../../resources/meta.ts";
import type { Environment } from "../environment.ts";
import { hasDependents, mayShareServer } from "./dependents.ts";

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
    const meets = asking.filter((other) => shop && other && mayShareServer(environment, shop, other));
    expect(meets.map((other) => other?.metadata.name)).toEqual([server]);
  });
});
