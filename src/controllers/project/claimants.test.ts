import { describe, expect, it } from "vitest";
import { connectionOf } from "../../../test/support/controllers/connection.ts";
import { storesWith, testEnvironment } from "../../../test/support/controllers/environment.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { annotations } from "../../resources/annotations.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { isOwner } from "../shared/claims.ts";
import { claimants, takersOf } from "./claimants.ts";

/** Whose claims on one ref meet: those of one server, however the connections write it, and of one that nobody knows (ADR 4). */

const REF = "abcdefghijklmnopqrst";

function connection(name: string, baseUrl: string): KubeObject {
  const spec = { baseUrl, token: { secretRef: { name: "token" } } };
  const metadata = { name, namespace: "ns", uid: `uid-${name}`, resourceVersion: "1", generation: 1 };
  return { apiVersion: "baas.dev/v1alpha1", kind: "Connection", metadata, spec, status: {} };
}

function project(name: string, through: string, status: object = {}): KubeObject {
  const spec = { organization: "acme", ref: REF, connectionRef: { kind: "Connection", name: through } };
  const metadata = { name, namespace: "ns", uid: `uid-${name}`, resourceVersion: "1", generation: 1 };
  return { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata, spec, status };
}

/** What is recorded of a Project `other` that was reached through a connection. */
function recorded(through: string, server?: string): object {
  const used = { kind: "Connection", name: through, identity: "somebody" };
  return { ref: REF, recordedFor: "uid-other", connection: server === undefined ? used : { ...used, server } };
}

/** A Project `other` that asks for the ref in a spec that cannot be read. */
function unread(status: object): KubeObject {
  const asking = project("other", "same", status);
  return { ...asking, spec: { ref: REF } };
}

const HERE = "https://here.example.com";
const FAR = "https://far.example.com";

const rows = [
  { other: project("other", "same"), meets: true, why: "its connection names the server in the same words" },
  { other: project("other", "slash"), meets: true, why: "a slash at the end makes no other server" },
  { other: project("other", "port"), meets: true, why: "nor do capitals and a port that goes without saying" },
  { other: project("other", "path"), meets: false, why: "behind a path there is another one" },
  { other: project("other", "far"), meets: false, why: "another host is another one" },
  { other: project("other", "gone"), meets: false, why: "who has nothing, and no connection, makes nothing either" },
  { other: project("other", "gone", recorded("gone", HERE)), meets: true, why: "it was recorded there" },
  { other: project("other", "gone", recorded("gone")), meets: true, why: "where it was recorded nobody knows" },
  { other: project("other", "gone", recorded("gone", FAR)), meets: false, why: "it was recorded elsewhere" },
  {
    other: project("other", "far", recorded("far", HERE)),
    meets: true,
    why: "its connection was pointed elsewhere since",
  },
  { other: unread(recorded("same", HERE)), meets: true, why: "it cannot be read and was recorded there" },
  { other: unread(recorded("gone", FAR)), meets: false, why: "it cannot be read and was recorded elsewhere" },
  {
    other: unread({ ...recorded("same", HERE), recordedFor: "uid-another" }),
    meets: false,
    why: "it cannot be read, and nothing is recorded for it",
  },
  { other: project("other", "same", recorded("same", FAR)), meets: true, why: "the platform may have moved here" },
];

it.each(rows)("a claim meets another one: $meets, since $why", ({ other, meets }) => {
  const ours = project("ours", "same");
  const stores = storesWith([
    connection("same", HERE),
    connection("slash", `${HERE}/`),
    connection("port", "https://HERE.example.com:443"),
    connection("path", `${HERE}/gateway`),
    connection("far", FAR),
    ours,
    other,
  ]);
  const environment = testEnvironment({ clock: new ManualClock(), stores });
  const object = environment.objects.projects.get("ns", "ours");
  if (object === undefined) throw new Error("it cannot be read");
  const names = claimants({ environment }, object, { ref: REF }).map(({ metadata }) => metadata.name);
  expect(names.toSorted()).toEqual(meets ? ["other", "ours"] : ["ours"]);
});

it("whoever does not know where its own project is meets all that may have it", () => {
  const used = { kind: "Connection", name: "gone", identity: "me" };
  const ours = project("ours", "gone", { ref: REF, recordedFor: "uid-ours", connection: used });
  const others = [project("other", "same", recorded("same", HERE))];
  const environment = testEnvironment({
    clock: new ManualClock(),
    stores: storesWith([connection("same", HERE), ours, ...others]),
  });
  const object = environment.objects.projects.get("ns", "ours");
  if (object === undefined) throw new Error("it cannot be read");
  expect(claimants({ environment }, object, { ref: REF })).toHaveLength(2);
});

it.each([
  { what: "a typed annotation", status: { ...recorded("same", HERE), ref: "tsrqponmlkjihgfedcba" }, notes: REF },
  { what: "the ref that its spec names", status: { ...recorded("same", HERE), ref: "tsrqponmlkjihgfedcba" } },
  { what: "its record", status: recorded("same", HERE), isRecord: true },
])("who has something else has no record by $what", ({ status, notes, isRecord = false }) => {
  const made = project("other", "same", status);
  const noted = { ref: notes, identity: "somebody", object: "ns/other", cluster: "c" };
  const marked = notes === undefined ? {} : { annotations: { [annotations.ref]: JSON.stringify(noted) } };
  const spec =
    notes === undefined ? made["spec"] : { organization: "acme", connectionRef: { kind: "Connection", name: "same" } };
  const other: KubeObject = { ...made, metadata: { ...made.metadata, ...marked }, spec };
  const stores = storesWith([connection("same", HERE), project("ours", "same"), other]);
  const environment = testEnvironment({ clock: new ManualClock(), stores });
  const object = environment.objects.projects.get("ns", "ours");
  if (object === undefined) throw new Error("it cannot be read");
  const [found] = claimants({ environment }, object, { ref: REF }).filter(({ metadata }) => metadata.name === "other");
  expect(found?.status.recordedFor).toBe(isRecord ? "uid-other" : undefined);
});

describe("what one Project has elsewhere, and another one here", () => {
  const ends = (status: object, through: string, here?: string): readonly (readonly [string, boolean])[] => {
    const taker = project("taker", through, { ...status, recordedFor: "uid-taker" });
    const older = { ...taker, metadata: { ...taker.metadata, creationTimestamp: "2025-01-01T00:00:00Z" } };
    const made = project("other", "same", recorded("same", HERE));
    const other = { ...made, metadata: { ...made.metadata, creationTimestamp: "2026-01-01T00:00:00Z" } };
    const stores = storesWith([connection("same", HERE), connection("far", FAR), other, older]);
    const environment = testEnvironment({ clock: new ManualClock(), stores });
    return ["other", "taker"].map((name) => {
      const object = environment.objects.projects.get("ns", name);
      if (object === undefined) throw new Error("it cannot be read");
      return [name, isOwner(object, claimants({ environment }, object, { ref: REF, here: here ?? HERE }))];
    });
  };

  it("is the other's, however old the first one is, when that is led here by its connection", () => {
    expect(ends(recorded("same", FAR), "same")).toEqual([
      ["other", true],
      ["taker", false],
    ]);
  });

  it("is the other's when that goes over to a connection that leads here", () => {
    expect(ends(recorded("far", FAR), "same")).toEqual([
      ["other", true],
      ["taker", false],
    ]);
  });
});

describe("who asks for a ref holds up who may take it over", () => {
  const asking = project("other", "same");
  const deleting = { ...asking.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };
  const elsewhere = { ...(project("other", "same")["spec"] as object), organization: "globex" };

  it.each([
    { other: asking, allowedRefs: [REF], holds: true, why: "its connection allows it" },
    { other: asking, allowedRefs: undefined, holds: true, why: "its connection allows all" },
    { other: asking, allowedRefs: ["another"], holds: false, why: "its connection does not allow it" },
    {
      other: { ...asking, spec: elsewhere },
      allowedRefs: [REF],
      holds: false,
      why: "it declares another organization",
    },
    { other: project("other", "slash"), allowedRefs: [], holds: true, why: "its connection does not work now" },
    { other: project("other", "same", recorded("same", HERE)), allowedRefs: [], holds: true, why: "it is on record" },
    { other: { ...asking, metadata: deleting }, allowedRefs: [], holds: true, why: "it is being deleted" },
    { other: unread(recorded("same", HERE)), allowedRefs: [], holds: true, why: "it cannot be read, and has it" },
  ])("$holds, where $why", ({ other, allowedRefs, holds }) => {
    const stores = storesWith([
      connection("same", HERE),
      connection("slash", `${HERE}/`),
      project("ours", "same"),
      other,
    ]);
    const environment = testEnvironment({ clock: new ManualClock(), stores });
    environment.sessions.set(connectionOf("ns", { id: "Connection/ns/same", name: "same", allowedRefs }));
    const object = environment.objects.projects.get("ns", "ours");
    if (object === undefined) throw new Error("it cannot be read");
    const names = takersOf({ environment }, object, { ref: REF, here: HERE }).map(({ metadata }) => metadata.name);
    expect(names.toSorted()).toEqual(holds ? ["other", "ours"] : ["ours"]);
  });
});
