import { describe, expect, it } from "vitest";
import type { ResourceType } from "../resources/meta.ts";
import { collectionPath, objectPath, withQuery } from "./resource-path.ts";

const secrets: ResourceType = { group: "", version: "v1", kind: "Secret", plural: "secrets", namespaced: true };
const namespaces: ResourceType = {
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  namespaced: false,
};
const projects: ResourceType = {
  group: "baas.dev",
  version: "v1alpha1",
  kind: "Project",
  plural: "projects",
  namespaced: true,
};

describe("paths", () => {
  it.each([
    [collectionPath(secrets), "/api/v1/secrets", "the core group has a root of its own"],
    [collectionPath(secrets, "shop"), "/api/v1/namespaces/shop/secrets", "in one namespace"],
    [collectionPath(projects, ""), "/apis/baas.dev/v1alpha1/projects", "an empty namespace is all of them"],
    [objectPath(namespaces, { namespace: "", name: "shop" }), "/api/v1/namespaces/shop", "cluster-scoped"],
    [
      objectPath(namespaces, { namespace: "odd", name: "shop" }),
      "/api/v1/namespaces/shop",
      "a namespace is not used there",
    ],
    [
      objectPath(projects, { namespace: "shop", name: "db" }, "status"),
      "/apis/baas.dev/v1alpha1/namespaces/shop/projects/db/status",
      "a subresource",
    ],
    [
      objectPath(secrets, { namespace: "a/b", name: "../c?d" }),
      "/api/v1/namespaces/a%2Fb/secrets/..%2Fc%3Fd",
      "names cannot break out of the path",
    ],
  ])("%s is %s: %s", (path, expected) => {
    expect(path).toBe(expected);
  });

  it.each([
    [{ namespace: "shop", name: "" }, "an empty name would be the collection"],
    [{ namespace: "", name: "db" }, "a namespaced kind needs a namespace"],
  ])("refuses %o: %s", (id) => {
    expect(() => objectPath(secrets, id)).toThrow(TypeError);
  });

  it("leaves undefined query parameters out", () => {
    expect(withQuery("/x", { watch: true, limit: undefined, labelSelector: "a=b,c" })).toBe(
      "/x?watch=true&labelSelector=a%3Db%2Cc",
    );
    expect(withQuery("/x", { limit: undefined })).toBe("/x");
  });
});
