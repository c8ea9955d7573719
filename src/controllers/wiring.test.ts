import { describe, expect, it } from "vitest";
import { storesWith, testEnvironment } from "../../test/support/controllers/environment.ts";
import { ManualClock } from "../base/manual-clock.ts";
import type { KubeObject } from "../resources/meta.ts";
import { keyToString } from "../runtime/key.ts";
import { wire } from "./wiring.ts";

const connection: KubeObject = {
  apiVersion: "baas.dev/v1alpha1",
  kind: "Connection",
  metadata: { name: "default", namespace: "ns", uid: "c", resourceVersion: "1", generation: 1 },
  spec: { baseUrl: "https://api.example.com", token: { secretRef: { name: "token" } } },
};

function secret(name: string, resourceVersion: string): KubeObject {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "ns", uid: name, resourceVersion } };
}

describe("the Secret that a Connection names", () => {
  it.each([
    { what: "another version of it", name: "token", asks: ["change"] },
    { what: "of another Secret", name: "other", asks: [] },
  ])("has its Connection looked at at once, so that a new token is picked up: $what", ({ name, asks }) => {
    const asked: string[] = [];
    const stores = storesWith([connection, secret(name, "2")]);
    const environment = testEnvironment({
      clock: new ManualClock(),
      stores,
      onEnqueue: (key, { lane }) => void (keyToString(key).includes("Connection") && asked.push(lane)),
    });
    wire(environment, stores);
    asked.length = 0;
    stores.coreSecrets.source().upsert(secret(name, "3"));
    expect(asked).toEqual(asks);
  });
});
