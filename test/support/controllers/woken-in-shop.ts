import { ManualClock } from "../../../src/base/manual-clock.ts";
import { wire } from "../../../src/controllers/wiring.ts";
import type { StoreSource } from "../../../src/kube/store-source.ts";
import type { KubeObject } from "../../../src/resources/meta.ts";
import { keyToString } from "../../../src/runtime/key.ts";
import { storesWith, testEnvironment } from "./environment.ts";

/** test/support/controllers: who is asked to run when something happens to the Project `shop`. */

export const READY = { type: "Ready", status: "True", reason: "Available", message: "", observedGeneration: 1 };

/** An object of ours that is Ready. */
export function object(kind: string, name: string, spec: object, status: object): KubeObject {
  const conditions = [{ ...READY, lastTransitionTime: "2026-01-01T00:00:00Z" }];
  return {
    apiVersion: "baas.dev/v1alpha1",
    kind,
    metadata: { name, namespace: "ns", uid: `${kind} ${name}`, resourceVersion: "1", generation: 1 },
    spec,
    status: { observedGeneration: 1, recordedFor: `${kind} ${name}`, conditions, ...status },
  };
}

/** Refs of projects. */
export const [OLD, NEW] = ["oldoldoldoldoldoldol", "newnewnewnewnewnewne"];

/** The Project that children live in, as that ref. */
export const shop = (ref: string): KubeObject => object("Project", "shop", { organization: "acme" }, { ref });

/** References of children to it. */
export const IN_SHOP = { projectRef: { name: "shop" } };
/** Files of a function. */
export const SOURCE = { inline: { files: { "index.ts": "1" } } };
/** A child of each kind, Ready and never looking for drift, of the project OLD. */
export const CHILDREN = [
  {
    plural: "branches",
    child: object("Branch", "preview", { ...IN_SHOP, driftPolicy: "Ignore" }, { ref: "b", parentRef: OLD }),
  },
  {
    plural: "edgefunctions",
    child: object("EdgeFunction", "hello", { ...IN_SHOP, source: SOURCE, driftPolicy: "Ignore" }, { ref: OLD }),
  },
  {
    plural: "secrets",
    child: object(
      "Secret",
      "env",
      { ...IN_SHOP, from: [{ secretRef: { name: "v" } }], driftPolicy: "Ignore" },
      { ref: OLD },
    ),
  },
];

export function nameOf({ kind, metadata }: KubeObject): string {
  return keyToString({ kind, namespace: "ns", name: metadata.name });
}

export function version({ metadata, ...rest }: KubeObject, resourceVersion: string, more: object = {}): KubeObject {
  return { ...rest, metadata: { ...metadata, ...more, resourceVersion } };
}

/** Who is asked to run when the Project `shop` is another version. */
export function wokenByVersions(
  children: KubeObject | readonly KubeObject[],
  before: KubeObject,
  now: KubeObject,
): readonly string[] {
  const beside = Array.isArray(children) ? children : [children];
  return runsInShop(beside, (shops) => shops.upsert(now), before).map(({ name }) => name);
}

/** Who is asked to run by each version of the Project `shop` after the first. */
export function wokenByHistory(
  children: readonly KubeObject[],
  [first, ...others]: readonly [KubeObject, ...(readonly KubeObject[])],
): readonly (readonly string[])[] {
  const asked: string[][] = [];
  runsInShop(
    children,
    (shops, names) => {
      for (const [index, one] of others.entries()) {
        const before = names().length;
        shops.upsert(version(one, `${index + 2}`, one.metadata));
        asked.push(names().slice(before));
      }
    },
    first,
  );
  return asked;
}

/** Who is asked to run when something happens to the Project, each as often as it is asked. */
export function wokenInShop(objects: readonly KubeObject[], act: (shops: StoreSource) => void): readonly string[] {
  return runsInShop(objects, act).map(({ name }) => name);
}

/** What is asked of all but Projects when something happens to that one, which stood for OLD. */
export function runsInShop(
  objects: readonly KubeObject[],
  act: (shops: StoreSource, asked: () => string[]) => void,
  project = shop(OLD),
): readonly { readonly name: string; readonly lane: string }[] {
  const asked: { name: string; lane: string }[] = [];
  const stores = storesWith([project, ...objects]);
  const environment = testEnvironment({
    clock: new ManualClock(),
    stores,
    onEnqueue: (key, { lane }) => void (key.kind !== "Project" && asked.push({ name: keyToString(key), lane })),
  });
  wire(environment, stores);
  asked.length = 0;
  const projects = stores.ours.find(({ type }) => type.kind === "Project");
  if (projects === undefined) throw new Error("there is no store of Projects");
  act(projects.source(), () => asked.map(({ name }) => name));
  return asked;
}
