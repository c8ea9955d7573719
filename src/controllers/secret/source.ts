import type { DeepReadonly } from "../../resources/kind.ts";
import type { SecretSpec } from "../../resources/secret/spec.ts";
import type { SecretStatus } from "../../resources/secret/status.ts";
import { readSecret } from "../shared/core-objects.ts";
import type { CoreSecret } from "../shared/core-types.ts";
import type { Marked } from "../shared/key-ring.ts";
import { sameJson } from "../shared/merge-patch.ts";
import type { SecretRun } from "./context.ts";
import { type WantedSecret, wantedSecrets } from "./names.ts";

export type SourceVersions = NonNullable<DeepReadonly<SecretStatus>["sources"]>;

/** What is declared, and the versions of the Kubernetes Secrets that it was read from. */
export interface SecretSource {
  readonly wanted: readonly WantedSecret[];
  readonly versions: SourceVersions;
  /** tells these values from those that were set last */
  readonly marked: Marked;
}

/**
 * Reads the Kubernetes Secrets that the spec names, each once; their values live as long as the run.
 *
 * @throws as `wantedSecrets`
 */
export async function readSource(
  run: SecretRun,
  { from }: DeepReadonly<SecretSpec>,
  reservedPrefix: string,
): Promise<SecretSource> {
  const { namespace } = run.key;
  const names = [...new Set(from.map((entry) => entry.secretRef.name))].toSorted();
  const loaded = new Map<string, CoreSecret>();
  for (const name of names) {
    const secret = await readSecret(run.environment.kube, { namespace, name }, run.signal);
    if (secret !== undefined) loaded.set(name, secret);
  }
  const wanted = wantedSecrets(from, loaded, reservedPrefix);
  const versions = [...loaded].map(([name, { metadata }]) => {
    const { uid, resourceVersion } = metadata;
    return { name, uid, resourceVersion };
  });
  const values = wanted.map(({ name, value }) => [name, value]).toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  const { valuesMark } = run.status.current;
  const marked = await run.environment.keyRing.mark(JSON.stringify(values), valuesMark, run.signal);
  return { wanted, versions, marked };
}

/**
 * Whether the values are others than those that were set last. Where there is no mark, other versions tell; where its key is gone nothing does, and what
 * differs is left to the drift policy: it may be what somebody set by hand.
 */
export function isEdited({ sources, valuesMark }: DeepReadonly<SecretStatus>, source: SecretSource): boolean {
  if (sameJson(sources, source.versions)) return false;
  return valuesMark === undefined || source.marked.told === "changed";
}
