import { describe, expect, it } from "vitest";
import { silentLogger } from "../base/log.ts";
import { openStores } from "./operator-stores.ts";

const VALUE = Buffer.from("hunter2").toString("base64");

/** Whatever an answer to a write of the operator's own brings, since that goes into the store as well. */
const secret = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "database", namespace: "team", uid: "uid", resourceVersion: "7" },
  data: { password: VALUE },
  stringData: { password: VALUE },
};

describe("the operator's stores", () => {
  it("keep nothing of Secrets, ConfigMaps and namespaces but metadata", () => {
    const { set, coreSecrets, configMaps, namespaces } = openStores(silentLogger);
    // What the watches ask for.
    expect([coreSecrets, configMaps, namespaces].map(({ metadataOnly }) => metadataOnly)).toEqual([true, true, true]);
    coreSecrets.source().replace([], "1");
    set.written(coreSecrets.type, secret, false);
    expect(coreSecrets.get("team", "database")).toEqual({
      apiVersion: "v1",
      kind: "Secret",
      metadata: secret.metadata,
    });
  });
});
