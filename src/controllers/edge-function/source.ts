import { readConfigMap } from "../shared/core-objects.ts";
import type { CoreConfigMap } from "../shared/core-types.ts";
import { terminal, waitingForObject } from "../shared/failures.ts";
import type { FunctionObject } from "../environment.ts";
import { artifactSource } from "./artifact-source.ts";
import { complete, type DeploySource, type SourceOrigin, sourceOf, type FunctionSpec } from "./complete-source.ts";
import type { FunctionRun } from "./context.ts";
import type { SourceFile } from "./source-hash.ts";

type ConfigMapRef = NonNullable<FunctionSpec["source"]["configMapRef"]>;

/**
 * The source that the spec names.
 *
 * @throws WaitingError ReferenceNotFound: no such ConfigMap, or no such key in it; TerminalError InvalidSpec: what the ConfigMap holds does
 *   not fit the spec. A change of the ConfigMap wakes the object either way. And as `artifactSource` does
 */
export async function resolveSource(run: FunctionRun, object: FunctionObject): Promise<DeploySource> {
  const { spec } = object;
  const { inline, configMapRef, artifactRef } = spec.source;
  if (artifactRef !== undefined) return artifactSource(run, object, artifactRef);
  if (inline !== undefined) {
    const files = Object.entries(inline.files).map(([path, content]) => ({ path, content }));
    return sourceOf(complete(files, spec, "the source"), spec, { source: undefined, artifact: undefined });
  }
  if (configMapRef === undefined) {
    throw terminal("InvalidSpec", "spec.source names neither files nor a ConfigMap nor a source of Flux");
  }
  const { files, source } = await configMapFiles(run, configMapRef);
  const place = `the ConfigMap ${configMapRef.name}`;
  return sourceOf(complete(files, spec, place), spec, { source, artifact: undefined });
}

interface DeclaredConfigMap {
  readonly files: readonly SourceFile[];
  readonly source: SourceOrigin["source"];
}

async function configMapFiles(
  { environment, key, signal }: FunctionRun,
  ref: ConfigMapRef,
): Promise<DeclaredConfigMap> {
  const { name } = ref;
  const { namespace } = key;
  const configMap = await readConfigMap(environment.kube, { namespace, name }, signal);
  if (configMap === undefined) {
    throw waitingForObject("ReferenceNotFound", `there is no ConfigMap ${name} in namespace ${namespace}`);
  }
  const { uid, resourceVersion } = configMap.metadata;
  return { files: filesOfConfigMap(configMap, ref), source: { name, uid, resourceVersion } };
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
