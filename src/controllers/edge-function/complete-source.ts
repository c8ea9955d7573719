import type { EdgeFunctionSpec } from "../../resources/edge-function/spec.ts";
import type { EdgeFunctionStatus } from "../../resources/edge-function/status.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import { terminal } from "../shared/failures.ts";
import { type SourceFile, sourceHash } from "./source-hash.ts";

/** From the files that a spec names to what is deployed: with the import map, and held to what the spec says of them. */

export type FunctionSpec = DeepReadonly<EdgeFunctionSpec>;

/** What a source was read from, as the status tells once it is in force. */
export type SourceOrigin = Pick<DeepReadonly<EdgeFunctionStatus>, "source" | "artifact">;

/** The source that is to be deployed. */
export interface DeploySource {
  readonly hash: string;
  /** of its files; undefined where they were not read, since they are those that were deployed */
  readonly paths: readonly string[] | undefined;
  /** path of the import map or deno.json that is in use; undefined: none */
  readonly importMap: string | undefined;
  readonly origin: Required<SourceOrigin>;
  /** read when they are uploaded, and not kept. @throws as reading the source does */
  readonly files: () => Promise<readonly SourceFile[]>;
}

/** Files with their import map. */
export interface CompleteFiles {
  readonly files: readonly SourceFile[];
  readonly importMap: string | undefined;
}

/** Where an import map that stands in the spec is put. */
const INLINE_IMPORT_MAP = "import_map.json";
const CONFIGS = ["deno.json", "deno.jsonc"] as const;

/**
 * The files and their import map: that of the spec, else the file that it names, else the configuration that Deno would find from the entrypoint
 * on upwards.
 *
 * @param place where the files are from, as "the ConfigMap files"
 * @throws TerminalError InvalidSpec: a file that the spec names is not among them, or one is in the place of the spec's import map
 */
export function complete(files: readonly SourceFile[], spec: FunctionSpec, place: string): CompleteFiles {
  const paths = new Set(files.map(({ path }) => path));
  const { entrypoint, importMap, inlineImportMap } = spec;
  requireFile(paths, { field: "entrypoint", path: entrypoint, place });
  if (inlineImportMap !== undefined) {
    if (paths.has(INLINE_IMPORT_MAP)) {
      const message = `spec.inlineImportMap: ${place} gives a file ${INLINE_IMPORT_MAP} already, where it is put: name that one in importMap instead`;
      throw terminal("InvalidSpec", message);
    }
    const content = importMapText(inlineImportMap);
    return { files: [...files, { path: INLINE_IMPORT_MAP, content }], importMap: INLINE_IMPORT_MAP };
  }
  if (importMap !== undefined) requireFile(paths, { field: "importMap", path: importMap, place });
  return { files, importMap: importMap ?? nearestConfig(paths, entrypoint) };
}

/** A source whose files were read. */
export function sourceOf(
  { files, importMap }: CompleteFiles,
  spec: FunctionSpec,
  origin: DeploySource["origin"],
): DeploySource {
  const { entrypoint, staticPatterns } = spec;
  return {
    hash: sourceHash(files, { entrypoint, importMap, staticPatterns }),
    paths: files.map(({ path }) => path),
    importMap,
    origin,
    files: () => Promise.resolve(files),
  };
}

interface NamedFile {
  readonly field: "entrypoint" | "importMap";
  readonly path: string;
  readonly place: string;
}

function requireFile(paths: ReadonlySet<string>, { field, path, place }: NamedFile): void {
  if (paths.has(path)) return;
  throw terminal("InvalidSpec", `spec.${field}: ${place} gives no file ${path}: add it, or name one that is there`);
}

/** The configuration in the folder of the entrypoint, or in the nearest one above it. */
export function nearestConfig(paths: ReadonlySet<string>, entrypoint: string): string | undefined {
  for (let folder = parentOf(entrypoint); ; folder = parentOf(folder)) {
    for (const config of CONFIGS) {
      const path = folder === "" ? config : `${folder}/${config}`;
      if (paths.has(path)) return path;
    }
    if (folder === "") return undefined;
  }
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** In one order, whatever order the members come in: the text is part of what is compared. */
function importMapText({ imports, scopes }: NonNullable<FunctionSpec["inlineImportMap"]>): string {
  const inScopes = scopes && Object.entries(scopes).map(([scope, given]) => [scope, inOrder(given)] as const);
  const map = {
    ...(imports === undefined ? {} : { imports: inOrder(imports) }),
    ...(inScopes === undefined ? {} : { scopes: inOrder(Object.fromEntries(inScopes)) }),
  };
  return `${JSON.stringify(map, null, 2)}\n`;
}

function inOrder<T>(given: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(given).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
