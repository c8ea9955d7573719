import { expect, it } from "vitest";
import { connectionId, connectionName } from "./connection-id.ts";

it.each([
  { kind: "Connection", namespace: "shop-ns", name: "default", id: "Connection/shop-ns/default" },
  { kind: "ClusterConnection", namespace: "", name: "default", id: "ClusterConnection//default" },
] as const)("$id names the $kind $name and nothing else", ({ kind, namespace, name, id }) => {
  expect(connectionId(kind, namespace, name)).toBe(id);
  expect(connectionName(id)).toEqual({ kind, namespace, name });
});

it("leaves out the namespace that a ClusterConnection is used from", () => {
  expect(connectionId("ClusterConnection", "shop-ns", "default")).toBe("ClusterConnection//default");
});
