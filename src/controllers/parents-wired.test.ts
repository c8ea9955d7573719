import { describe, expect, it } from "vitest";
import { storesWith, testEnvironment } from "../../test/support/controllers/environment.ts";
import { ManualClock } from "../base/manual-clock.ts";
import type { KubeObject } from "../resources/meta.ts";
import { keyToString } from "../runtime/key.ts";
import { wire } from "./wiring.ts";

const READY = { type: "Ready", status: "True", reason: "Available", message: "", observedGeneration: 1 };

function object(kind: string, name: string, spec: object, status: object): KubeObject {
  const conditions = [{ ...READY, lastTransitionTime: "2026-01-01T00:00:00Z" }];
  return {
    apiVersion: "baas.dev/v1alpha1",
    kind,
    metadata: { name, namespace: "ns", uid: `${kind} ${name}`, resourceVersion: "1", generation: 1 },
    spec,
    status: { observedGeneration: 1, recordedFor: `${kind} ${name}`, conditions, ...status },
  };
}

const [OLD, NEW] = ["oldoldoldoldoldoldol", "newnewnewnewnewnewne"];
const inShop = { projectRef: { name: "shop" } };
const source = { inline: { files: { "index.ts": "1" } } };
const shop = (ref: string): KubeObject => object("Project", "shop", { organization: "acme" }, { ref });

const children = [
  {
    plural: "branches",
    child: object("Branch", "preview", { ...inShop, driftPolicy: "Ignore" }, { ref: "b", parentRef: OLD }),
  },
  {
    plural: "edgefunctions",
    child: object("EdgeFunction", "hello", { ...inShop, source, driftPolicy: "Ignore" }, { ref: OLD }),
  },
  {
    plural: "secrets",
    child: object(
      "Secret",
      "env",
      { ...inShop, from: [{ secretRef: { name: "v" } }], driftPolicy: "Ignore" },
      { ref: OLD },
    ),
  },
];

describe("a Ready child that never looks for drift", () => {
  it.each(children)("looks when its parent stands for another place: $child.kind", ({ child }) => {
    expect(wokenBy(child, NEW)).toEqual(["change"]);
  });

  it.each(children)("is left alone by a parent that stands for the same place: $child.kind", ({ child }) => {
    expect(wokenBy(child, OLD)).toEqual([]);
  });

  it.each(children)("looks after a start where the other place came meanwhile: $child.kind", ({ plural, child }) => {
    expect(lanesAtStart(plural, child, shop(NEW))).toContain("change");
    expect(lanesAtStart(plural, child, shop(OLD))).not.toContain("change");
  });
});

/** Lanes in which a child is asked to run when its Project, which stood for OLD, stands for that ref. */
function wokenBy(child: KubeObject, ref: string): readonly string[] {
  const asked: string[] = [];
  const stores = storesWith([shop(OLD), child]);
  const environment = testEnvironment({
    clock: new ManualClock(),
    stores,
    onEnqueue: (key, { lane }) => void (keyToString(key).startsWith(child.kind) && asked.push(lane)),
  });
  wire(environment, stores);
  asked.length = 0;
  const { metadata, ...rest } = shop(ref);
  const project = stores.ours.find(({ type }) => type.kind === "Project");
  project?.source().upsert({ ...rest, metadata: { ...metadata, resourceVersion: "2" } });
  return asked;
}

/** Lanes in which a child is asked to run when a start shows it, the Project being there. */
function lanesAtStart(plural: string, child: KubeObject, project: KubeObject): readonly string[] {
  const asked: string[] = [];
  const stores = storesWith([project]);
  const environment = testEnvironment({
    clock: new ManualClock(),
    stores,
    onEnqueue: (key, { lane }) => void (keyToString(key).startsWith(child.kind) && asked.push(lane)),
  });
  wire(environment, stores);
  asked.length = 0;
  stores.ours
    .find(({ type }) => type.plural === plural)
    ?.source()
    .upsert(child);
  return asked;
}
