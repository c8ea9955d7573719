import type { functions } from "../../api/contract/functions.ts";
import { newFunctionSlug } from "../../api/contract/functions.ts";
import { badRequest, conflict, notFound } from "../failure.ts";
import { bundleOf, newFunction, nextVersion, withBundle, withSettings } from "./function-record.ts";
import type { BundleFailure, BundleFailureOrder } from "./bundle-failure-state.ts";
import type { BundleRecord, FunctionRecord } from "./function-state.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import { stayingProject } from "../state/presence.ts";
import { lasts } from "../state/settings.ts";
import { newId } from "../state/ids.ts";
import { orderedFailure, takeFailure } from "../state/ordered-failures.ts";
import type { World } from "../state/world.ts";
import { storeFunctions } from "./function-store.ts";
import type { HandlerRequest } from "../handlers/handler.ts";

type DeployRequest = HandlerRequest<(typeof functions)["deploy"]>;

/**
 * One deploy: bundles for a while, in which a second one into the same project is refused, then stores (facts.md §2 and §6.7).
 *
 * @returns the function as the deploy leaves it. With `bundleOnly` the answer shows the metadata sent, for the caller to put into the
 * bulk update, while what is stored keeps the old metadata beside the new bundle and version.
 */
export async function deploy(world: World, project: ProjectRecord, request: DeployRequest): Promise<FunctionRecord> {
  const slug = slugOf(request);
  if (world.deploying.has(project.ref)) {
    throw conflict(`A deployment already exists in project ${project.ref}; wait until it is done`);
  }
  world.deploying.add(project.ref);
  try {
    await bundling(world);
    return store(world, project.ref, slug, request);
  } finally {
    world.deploying.delete(project.ref);
  }
}

/** Takes its time. @throws ApiFailure 400 when that is more than the service allows (facts.md §5, function deploy) */
async function bundling(world: World): Promise<void> {
  const [neededMs, allowedMs] = [lasts(world.settings, "bundleMs"), lasts(world.settings, "bundleTimeoutMs")];
  const ms = Math.min(neededMs, allowedMs);
  if (ms > 0) await world.atWork.park(ms);
  if (neededMs > allowedMs) throw failed("bundle generation timed out");
}

function slugOf({ query, body }: DeployRequest): string {
  if (query.slug !== undefined) return query.slug;
  const byName = newFunctionSlug.safeParse(body.metadata.name);
  if (!byName.success) {
    throw badRequest("slug: expected a query parameter, or a name that can stand for it, received undefined");
  }
  return byName.data;
}

function store(world: World, ref: string, slug: string, { query, body }: DeployRequest): FunctionRecord {
  const nowMs = world.clock.now();
  const known = world.functions.get(ref, slug) ?? newFunction(slug, nowMs);
  // before an ordered failure is used up
  if (stayingProject(world, ref) === undefined) throw notFound("Project");
  nextVersion(known);
  const { metadata } = body;
  const bundle = bundled(world, ref, slug, body);
  const uploaded = withBundle(known, bundle, nowMs);
  const complete = withSettings(uploaded, {
    name: metadata.name,
    verifyJwt: metadata.verify_jwt,
    entrypointPath: metadata.entrypoint_path,
    importMapPath: metadata.import_map_path,
    staticPatterns: metadata.static_patterns,
  });
  storeFunctions(world, ref, [query.bundleOnly === true ? uploaded : complete]);
  return complete;
}

/** @throws ApiFailure 400 when the files cannot make a bundle, or a test said that they shall not */
function bundled(world: World, ref: string, slug: string, { metadata, files }: DeployRequest["body"]): BundleRecord {
  const { entrypoint_path: entrypoint, import_map_path: importMap } = metadata;
  const missing = missingFile(files, { entrypoint, importMap });
  if (missing !== undefined) throw failed(missing);
  const ordered = takeBundleFailure(world, ref, slug);
  if (ordered !== undefined) throw failed(ordered.message);
  return bundleOf(files, entrypoint);
}

/** Why files cannot make a bundle, in words; undefined: they can. */
export function missingFile(
  files: readonly { readonly path: string }[],
  { entrypoint, importMap }: { readonly entrypoint: string; readonly importMap: string | undefined },
): string | undefined {
  const paths = new Set(files.map(({ path }) => normal(path)));
  if (paths.size === 0) return "no file was uploaded";
  if (!paths.has(normal(entrypoint))) return `entrypoint_path ${quoted(entrypoint)} is not among the files`;
  if (importMap === undefined || paths.has(normal(importMap))) return undefined;
  return `import_map_path ${quoted(importMap)} is not among the files`;
}

function failed(reason: string): Error {
  return badRequest(`Failed to bundle the function (reason: ${reason})`);
}

/** Clients write a path plain, from `./`, or as a file URL. */
function normal(path: string): string {
  return path.replace(/^file:\/\//, "").replace(/^(\.?\/)+/, "");
}

function quoted(path: string): string {
  return `'${path.slice(0, 120)}'`;
}

export function orderBundleFailure(world: World, order: BundleFailureOrder): void {
  const id = newId();
  world.bundleFailures.set(id, orderedFailure(id, order));
}

/** The failure that was ordered for a deploy of this function. */
export function takeBundleFailure(world: World, ref: string, slug: string): BundleFailure | undefined {
  return takeFailure(world.bundleFailures, (one) => one.slug === slug && (one.ref ?? ref) === ref);
}
