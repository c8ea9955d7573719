import type { EdgeFunctionSpec } from "../../resources/edge-function/spec.ts";
import type { EdgeFunctionStatus } from "../../resources/edge-function/status.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import { readConfigMap } from "../shared/core-objects.ts";
import type { CoreConfigMap } from "../shared/core-types.ts";
import { terminal, waitingForObject } from "../shared/failures.ts";
import type { FunctionRun } from "./context.ts";
import { type SourceFile, sourceHash } from "./source-hash.ts";

type Spec = DeepReadonly<EdgeFunctionSpec>;
type FunctionStatus = DeepReadonly<EdgeFunctionStatus>;
type ConfigMapRef = NonNullable<Spec["source"]["configMapRef"]>;

/** The source that is to be deployed. */
export interface Source {
  readonly files: readonly SourceFile[];
  readonly hash: string;
  /** the ConfigMap that it was read from */
  readonly version: FunctionStatus["source"];
}

/**
 * The files that the spec names.
 *
 * @throws WaitingError ReferenceNotFound: no such ConfigMap, or no such key in it; TerminalError InvalidSpec: what the ConfigMap holds does
 *   not fit the spec. A change of the ConfigMap wakes the object either way
 */
export async function resolveSource(run: FunctionRun, spec: Spec): Promise<Source> {
  const { files, version } = await filesOf(run, spec.source);
  requireFile(files, spec, "entrypoint");
  requireFile(files, spec, "importMap");
  return { files, hash: sourceHash(files, spec), version };
}

async function filesOf(run: FunctionRun, { inline, configMapRef }: Spec["source"]): Promise<Omit<Source, "hash">> {
  if (inline !== undefined) {
    return { files: Object.entries(inline.files).map(([path, content]) => ({ path, content })), version: undefined };
  }
  if (configMapRef === undefined) throw terminal("InvalidSpec", "spec.source names neither files nor a ConfigMap");
  const { name } = configMapRef;
  const { namespace } = run.key;
  const configMap = await readConfigMap(run.environment.kube, { namespace, name }, run.signal);
  if (configMap === undefined) {
    throw waitingForObject("ReferenceNotFound", `there is no ConfigMap ${name} in namespace ${namespace}`);
  }
  const { uid, resourceVersion } = configMap.metadata;
  return { files: filesOfConfigMap(configMap, configMapRef), version: { name, uid, resourceVersion } };
}

/** The files of a ConfigMap, text and binary, under the paths that the reference gives them. @throws as `resolveSource` */
export function filesOfConfigMap(
  { data, binaryData }: Pick<CoreConfigMap, "data" | "binaryData">,
  { name, keys }: ConfigMapRef,
): readonly SourceFile[] {
  const contents = new Map<string, SourceFile["content"]>([...Object.entries(data), ...Object.entries(binaryData)]);
  const wanted: NonNullable<ConfigMapRef["keys"]> = keys ?? [...contents.keys()].map((key) => ({ key }));
  const byPath = new Map<string, SourceFile>();
  for (const { key, path = key } of wanted) {
    const content = contents.get(key);
    if (content === undefined) throw waitingForObject("ReferenceNotFound", `the ConfigMap ${name} has no key ${key}`);
    if (byPath.has(path)) {
      throw terminal(
        "InvalidSpec",
        `spec.source.configMapRef.keys: two keys give the path ${path}: change one of them`,
      );
    }
    byPath.set(path, { path, content });
  }
  return [...byPath.values()];
}

function requireFile(files: readonly SourceFile[], spec: Spec, field: "entrypoint" | "importMap"): void {
  const path = spec[field];
  if (path === undefined || files.some((file) => file.path === path)) return;
  const { configMapRef } = spec.source;
  const place = configMapRef === undefined ? "the source" : `the ConfigMap ${configMapRef.name}`;
  throw terminal("InvalidSpec", `spec.${field}: ${place} gives no file ${path}: add it, or name one that is there`);
}
