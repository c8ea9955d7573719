import { createHash } from "node:crypto";
import { badRequest } from "../failure.ts";
import type { BundleRecord, FunctionRecord, StoredFile } from "./function-state.ts";
import { newId } from "../state/ids.ts";

/** What an upload or a bulk update says of a function; undefined: keep what it was (facts.md §6.7). */
export interface DeployedSettings {
  readonly name?: string | undefined;
  readonly verifyJwt?: boolean | undefined;
  readonly importMap?: boolean | undefined;
  readonly entrypointPath?: string | undefined;
  readonly importMapPath?: string | undefined;
  readonly staticPatterns?: readonly string[] | undefined;
  readonly declaredSha256?: string | undefined;
}

/** Files as one bundle; its hash depends on their content and names, not on the order they came in. */
export function bundleOf(files: readonly StoredFile[], entrypointPath: string | undefined): BundleRecord {
  const byPath = new Map(files.map((file) => [file.path, file])); // of two files with one path the later one stays
  const inOrder = [...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return { files: inOrder, entrypointPath, sha256: createHash("sha256").update(bundleBytes(inOrder)).digest("hex") };
}

/** A bundle that somebody else made, kept as it came. */
export function foreignBundle(bytes: Uint8Array, entrypointPath: string | undefined): BundleRecord {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { files: [{ path: FOREIGN_PATH, content: bytes }], entrypointPath, sha256 };
}

const FOREIGN_PATH = "bundle.eszip";

/** The bundle as bytes, for callers that ask for no multipart: each file after a line with its name and length. */
export function bundleBytes(files: readonly StoredFile[]): Uint8Array {
  const [only, second] = files;
  if (only?.path === FOREIGN_PATH && second === undefined) return only.content;
  return Buffer.concat(
    files.flatMap(({ path, content }) => [Buffer.from(`${JSON.stringify(path)} ${content.length}\n`), content]),
  );
}

/** A function that was never deployed: version 0, so that its first deploy is version 1. */
export function newFunction(slug: string, nowMs: number): FunctionRecord {
  return {
    id: newId(),
    slug,
    name: slug,
    status: "ACTIVE",
    version: 0,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    verifyJwt: true,
    importMap: false,
    entrypointPath: undefined,
    importMapPath: undefined,
    staticPatterns: [],
    bundle: undefined,
    declaredSha256: undefined,
  };
}

/** The function with what is said, and what is not said as it was. */
export function withSettings(known: FunctionRecord, said: DeployedSettings): FunctionRecord {
  const importMapPath = said.importMapPath ?? known.importMapPath;
  return {
    ...known,
    name: said.name ?? known.name,
    verifyJwt: said.verifyJwt ?? known.verifyJwt,
    importMap: said.importMap ?? (said.importMapPath === undefined ? known.importMap : true),
    entrypointPath: said.entrypointPath ?? known.entrypointPath,
    importMapPath,
    staticPatterns: said.staticPatterns ?? known.staticPatterns,
    declaredSha256: said.declaredSha256 ?? known.declaredSha256,
  };
}

/** The function with another bundle, of which nobody said a hash, and the next version. @throws ApiFailure as nextVersion does */
export function withBundle(known: FunctionRecord, bundle: BundleRecord, nowMs: number): FunctionRecord {
  return { ...known, bundle, declaredSha256: undefined, version: nextVersion(known), updatedAtMs: nowMs };
}

/** @throws ApiFailure 400 where one more would be no other number, and nobody could tell the deploy by it */
export function nextVersion({ slug, version }: Pick<FunctionRecord, "slug" | "version">): number {
  if (version < Number.MAX_SAFE_INTEGER) return version + 1;
  throw badRequest(
    `The function ${slug} has the version ${version}, the last one there is: give it a lower one by the bulk update, then deploy`,
  );
}
