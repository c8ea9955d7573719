import { expect, it } from "vitest";
import { connectionOf } from "../../../test/support/controllers/connection.ts";
import { storesWith, testEnvironment } from "../../../test/support/controllers/environment.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { isRecordedIn } from "./same-place.ts";

const REF = "abcdefghijklmnopqrst";
const HERE = "https://here.example.com";
const FAR = "https://far.example.com";

const metadata = (name: string) => ({ name, namespace: "ns", uid: `uid-${name}`, resourceVersion: "1", generation: 1 });

const connection: KubeObject = {
  apiVersion: "baas.dev/v1alpha1",
  kind: "Connection",
  metadata: metadata("default"),
  spec: { baseUrl: FAR, token: { secretRef: { name: "token" } } },
  status: {},
};

it.each([
  { on: HERE, leads: FAR, counts: true, why: "it was recorded here" },
  { on: FAR, leads: FAR, counts: false, why: "a clone of the platform has accounts of the same id, and it acts there" },
  { on: FAR, leads: HERE, counts: true, why: "the platform moved here" },
  { on: FAR, leads: undefined, counts: true, why: "nobody knows where it acts: the platform may have moved" },
  { on: FAR, leads: HERE, identity: "another", counts: false, why: "it was recorded elsewhere, for another account" },
  { on: undefined, leads: FAR, counts: true, why: "where it was recorded nobody knows" },
])("who has a record has something in a place: $counts, since $why", ({ on, leads, identity, counts }) => {
  const environment = testEnvironment({ clock: new ManualClock(), stores: storesWith([connection]) });
  if (leads !== undefined) environment.sessions.set(connectionOf("ns", { server: leads }));
  const used = { identity: identity ?? "account", server: on };
  const child = {
    metadata: metadata("fn"),
    spec: { projectRef: { ref: REF } },
    status: { ref: REF, recordedFor: "uid-fn", connection: used },
  };
  expect(isRecordedIn(environment, child, { ref: REF, account: "account", server: HERE })).toBe(counts);
});
