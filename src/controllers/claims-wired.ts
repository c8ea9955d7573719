import type { Store } from "../kube/store.ts";
import type { KubeObject } from "../resources/meta.ts";
import type { Environment } from "./environment.ts";
import { NAME_INDEX, PARENT_INDEX, parentKey, REF_INDEX } from "./indexes.ts";
import { storeOf } from "./watched-stores.ts";
import { wakeWaiting } from "./watching.ts";

/** When an owner goes, who lost to it may have its turn. */
export function wireClaims(environment: Environment, stores: readonly Store[]): void {
  const { projects, branches, functions, secrets } = environment.objects;
  const onDeleted = (kind: string, deleted: (object: KubeObject) => void): void => {
    storeOf(stores, kind).addHandler({ added: () => undefined, updated: () => undefined, deleted });
  };
  onDeleted("Project", (object) => {
    const parsed = projects.parse(object);
    if (!parsed.ok) return;
    const { metadata, spec, status } = parsed.object;
    const name = `${spec.organization}/${spec.name ?? metadata.name}`;
    for (const ref of [status.ref, spec.ref].filter((value) => value !== undefined)) {
      wakeWaiting(projects.reader.byIndex(REF_INDEX, ref), environment.enqueue);
    }
    wakeWaiting(projects.reader.byIndex(NAME_INDEX, name), environment.enqueue);
  });
  onDeleted("Branch", (object) => {
    const parsed = branches.parse(object);
    if (!parsed.ok) return;
    const { spec, status } = parsed.object;
    for (const name of [status.name, spec.name ?? object.metadata.name].filter((value) => value !== undefined)) {
      wakeWaiting(branches.reader.byIndex(NAME_INDEX, name), environment.enqueue);
    }
  });
  onDeleted("EdgeFunction", (object) => {
    const parsed = functions.parse(object);
    if (!parsed.ok) return;
    const slug = parsed.object.spec.slug ?? object.metadata.name;
    wakeWaiting(functions.reader.byIndex(NAME_INDEX, slug), environment.enqueue);
  });
  const wakeSiblings = (object: KubeObject): void => {
    const parsed = secrets.parse(object);
    if (!parsed.ok) return;
    const parent = parentKey(object.metadata.namespace ?? "", parsed.object.spec);
    wakeWaiting(secrets.reader.byIndex(PARENT_INDEX, parent), environment.enqueue);
  };
  const namesOf = (object: KubeObject): readonly string[] => secrets.kind.parseStatus(object).names ?? [];
  storeOf(stores, "Secret").addHandler({
    added: () => undefined,
    // An object may let go of a name without going itself.
    updated: (before, now) => {
      const left = new Set(namesOf(now));
      if (namesOf(before).some((name) => !left.has(name))) wakeSiblings(now);
    },
    deleted: wakeSiblings,
  });
}
