import type { Store } from "../kube/store.ts";
import type { KubeObject } from "../resources/meta.ts";
import type { Environment, FunctionObject, SecretObject } from "./environment.ts";
import { awaitsRedeployment, isChanging } from "./shared/revisions.ts";
import { PARENT_INDEX, parentKey, REF_INDEX } from "./indexes.ts";
import { isReadyNow, keyOf } from "./watching.ts";

/** How functions learn that the environment which they were deployed with is another one now (ADR 19). */

/** Wakes the functions beside a Secret object when it has changed the environment, and when those that waited for it need do so no more. */
export function wireRedeployments(environment: Environment, secretStore: Store): void {
  const { secrets } = environment.objects;
  const read = (object: KubeObject): SecretObject | undefined => {
    const parsed = secrets.parse(object);
    return parsed.ok ? parsed.object : undefined;
  };
  const wake = (object: KubeObject): void => {
    const secret = read(object);
    if (secret?.spec.redeployOnSecretChange === true) wakeOutdated(environment, secret);
  };
  secretStore.addHandler({
    added: wake,
    updated: (previous, object) => {
      const [before, now] = [read(previous), read(object)];
      if (now === undefined) return;
      const changed = before?.status.environment?.revision !== now.status.environment?.revision;
      const rests = before !== undefined && isChanging(environment, before) && !isChanging(environment, now);
      if (changed || rests) wake(object);
    },
    deleted: wake,
  });
}

function wakeOutdated(environment: Environment, { metadata, spec, status: { ref } }: SecretObject): void {
  const { functions } = environment.objects;
  const beside = new Map<string, FunctionObject>();
  const found = [
    ...functions.byIndex(PARENT_INDEX, parentKey(metadata.namespace ?? "", spec)),
    ...(ref === undefined ? [] : functions.byIndex(REF_INDEX, ref)),
  ];
  for (const object of found) beside.set(object.metadata.uid, object);
  for (const object of beside.values()) {
    if (!awaitsRedeployment(environment, object)) continue;
    const raw = functions.raw(object.metadata.namespace ?? "", object.metadata.name);
    if (raw === undefined) continue;
    environment.enqueue(keyOf(raw), { lane: "change", wasReady: isReadyNow(raw) });
  }
}

/** Whether a function was to be deployed again before anybody watched. */
export function missedRedeployment(environment: Environment, object: KubeObject): boolean {
  if (object.kind !== "EdgeFunction") return false;
  const parsed = environment.objects.functions.parse(object);
  return parsed.ok && awaitsRedeployment(environment, parsed.object);
}
