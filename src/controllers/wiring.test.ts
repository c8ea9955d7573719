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

const auth = {
  smtp: { password: { secretKeyRef: { name: "mail", key: "password" } } },
  mailer: { templates: { invite: { content: { configMapKeyRef: { name: "mails", key: "invite" } } } } },
};

const project: KubeObject = {
  apiVersion: "baas.dev/v1alpha1",
  kind: "Project",
  metadata: { name: "shop", namespace: "ns", uid: "p", resourceVersion: "1", generation: 1 },
  spec: { organization: "acme", auth },
};

const branch: KubeObject = {
  ...project,
  kind: "Branch",
  metadata: { ...project.metadata, uid: "b" },
  spec: { projectRef: { name: "shop" }, auth },
};

describe("what a section is made of", () => {
  it.each([
    { kind: "Secret", name: "mail", asks: ["Branch/ns/shop", "Project/ns/shop", "ReferencedSecret/ns/mail"] },
    { kind: "Secret", name: "other", asks: [] },
    { kind: "ConfigMap", name: "mails", asks: ["Branch/ns/shop", "Project/ns/shop", "ReferencedConfigMap/ns/mails"] },
    { kind: "ConfigMap", name: "other", asks: [] },
  ])("has its Project and Branch look at once when it is another version: $kind $name", ({ kind, name, asks }) => {
    const asked: string[] = [];
    const read = (resourceVersion: string): KubeObject => ({ ...secret(name, resourceVersion), kind });
    const stores = storesWith([project, branch, read("2")]);
    const environment = testEnvironment({
      clock: new ManualClock(),
      stores,
      onEnqueue: (key, { lane }) => void (lane === "change" && asked.push(keyToString(key))),
    });
    wire(environment, stores);
    asked.length = 0;
    (kind === "Secret" ? stores.coreSecrets : stores.configMaps).source().upsert(read("3"));
    expect([...new Set(asked)].toSorted()).toEqual(asks);
  });
});
