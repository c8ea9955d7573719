import { expect, it } from "vitest";
import { storesWith, testEnvironment } from "../../test/support/controllers/environment.ts";
import { ManualClock } from "../base/manual-clock.ts";
import type { KubeObject } from "../resources/meta.ts";
import { keyToString } from "../runtime/key.ts";
import { storeOf } from "./watched-stores.ts";
import { wire } from "./wiring.ts";

/** Who lost a name or ref to another object has its turn once that lets go of it, not ten minutes later (ADR 4). */

const REF = "abcdefghijklmnopqrst";
const conflict = {
  type: "Ready",
  status: "False",
  reason: "Conflict",
  message: "",
  observedGeneration: 1,
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

function object(kind: string, name: string, spec: object, status: object = {}): KubeObject {
  return {
    apiVersion: "baas.dev/v1alpha1",
    kind,
    metadata: { name, namespace: "ns", uid: name, resourceVersion: "1", generation: 1 },
    spec,
    status: { observedGeneration: 1, conditions: [conflict], ...status },
  };
}

function told(reason: string, { status, ...rest }: KubeObject): KubeObject {
  return { ...rest, status: { ...(status as object), conditions: [{ ...conflict, reason }] } };
}

/** Its first run has not come to its end, and perhaps recorded what it asked for. */
function unsaid({ status, ...rest }: KubeObject): KubeObject {
  return { ...rest, status: { ...(status as object), conditions: [] } };
}

/** What it says is of before the edit, but for what is recorded before a request. */
function edited(before: KubeObject): KubeObject {
  const { status, metadata, ...rest } = told("QuotaExceeded", before);
  return {
    ...rest,
    metadata: { ...metadata, generation: 2 },
    status: { ...(status as object), observedGeneration: 2 },
  };
}

const acme = { organization: "acme" };
const intent = { name: "acme/shop", uid: "owner", fingerprint: "f", time: "2026-01-01T00:00:00Z" };
const inShop = { projectRef: { name: "shop" } };
const loser = object("Project", "loser", { ...acme, name: "shop" });
const adopter = object("Project", "loser", { ...acme, ref: REF });
const branch = object("Branch", "loser", { ...inShop, name: "preview" });

it.each([
  { what: "is renamed", of: loser, before: [{ ...acme, name: "shop" }], now: [acme] },
  { what: "names another ref", of: adopter, before: [{ ...acme, ref: REF }], now: [acme] },
  {
    what: "goes over to another connection",
    of: adopter,
    before: [{ ...acme, ref: REF }],
    now: [{ ...acme, ref: REF, connectionRef: { kind: "Connection", name: "far" } }],
  },
  {
    what: "is renamed while the first run of another one is under way",
    of: unsaid(loser),
    before: [{ ...acme, name: "shop" }],
    now: [acme],
  },
  {
    what: "is renamed while an edit of another one is looked at",
    of: edited(loser),
    before: [{ ...acme, name: "shop" }],
    now: [acme],
  },
  { what: "has its answer", of: told("ConfirmingAbsence", loser), before: [acme, { intent }], now: [acme] },
  { what: "has its answer, by a name that is not free", of: loser, before: [acme, { intent }], now: [acme], wakes: 0 },
  {
    what: "lets go of a name that the platform refused as well",
    of: told("QuotaExceeded", loser),
    before: [{ ...acme, name: "shop" }],
    now: [acme],
    wakes: 0,
  },
  {
    what: "lets go of the name in the same project",
    of: object("Branch", "loser", { projectRef: { ref: REF }, name: "preview" }),
    before: [{ projectRef: { ref: REF }, name: "preview" }],
    now: [{ projectRef: { ref: REF } }],
  },
  {
    what: "lets go of the name in another project",
    of: object("Branch", "loser", { projectRef: { ref: REF }, name: "preview" }),
    before: [{ projectRef: { ref: "tsrqponmlkjihgfedcba" }, name: "preview" }],
    now: [{ projectRef: { ref: "tsrqponmlkjihgfedcba" } }],
    wakes: 0,
  },
  {
    what: "has another project",
    of: adopter,
    before: [acme, { ref: REF, recordedFor: "owner" }],
    now: [acme, { ref: "tsrqponmlkjihgfedcba", recordedFor: "owner" }],
  },
  {
    what: "has another branch",
    of: branch,
    before: [inShop, { name: "preview", recordedFor: "owner", parentRef: REF }],
    now: [inShop, { name: "owner", recordedFor: "owner", parentRef: REF }],
  },
  {
    what: "stays as it is",
    of: loser,
    before: [{ ...acme, name: "shop" }],
    now: [{ ...acme, name: "shop" }],
    wakes: 0,
  },
  {
    what: "is recorded as well",
    of: adopter,
    before: [{ ...acme, ref: REF }],
    now: [{ ...acme, ref: REF }, { ref: REF }],
    wakes: 0,
  },
])("an object that $what wakes who lost to it", ({ of, before, now, wakes = 1 }) => {
  const { kind } = of;
  const owner = ([spec = {}, status]: readonly object[], version: number): KubeObject => {
    const made = object(kind, "owner", spec, status);
    return { ...made, metadata: { ...made.metadata, resourceVersion: `${version}`, generation: version } };
  };
  const asked: string[] = [];
  const stores = storesWith([of, owner(before, 1)]);
  const environment = testEnvironment({
    clock: new ManualClock(),
    stores,
    onEnqueue: (key) => void asked.push(keyToString(key)),
  });
  wire(environment, stores);
  asked.length = 0;
  storeOf(stores.ours, kind).source().upsert(owner(now, 2));
  expect(asked.filter((key) => key === keyToString({ kind, namespace: "ns", name: "loser" }))).toHaveLength(wakes);
});
