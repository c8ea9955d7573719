import type { z } from "zod";
import {
  BUNDLE_MEDIA_TYPE,
  type bulkFunctionSchema,
  type EdgeFunction,
  type functions,
} from "../../api/contract/functions.ts";
import { visibleProject } from "../access.ts";
import { badRequest, conflict, notFound } from "../failure.ts";
import { customReply, type Reply } from "../http/answer.ts";
import {
  bundleBytes,
  bundleOf,
  foreignBundle,
  type DeployedSettings,
  newFunction,
  withBundle,
  withSettings,
} from "./function-record.ts";
import type { BundleRecord, FunctionRecord } from "./function-state.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import type { World } from "../state/world.ts";
import { deploy } from "./deploy.ts";
import { storeFunctions } from "./function-store.ts";
import type { HandlerRequest, SectionHandlers } from "../handlers/handler.ts";

/**
 * src/emulator/functions: edge functions, what was uploaded of them, and the secrets of their environment. Never here: a function that runs.
 */

type CreateRequest = HandlerRequest<(typeof functions)["create"]>;
type UpdateRequest = HandlerRequest<(typeof functions)["update"]>;
type BulkItem = z.output<typeof bulkFunctionSchema>;

export function functionsHandlers(world: World): SectionHandlers<"functions"> {
  return {
    list: ({ params, caller }) =>
      [...world.functions.of(visibleProject(world, caller, params.ref).ref).values()].map((known) =>
        functionOutput(known),
      ),
    bulkUpdate: ({ params, body, caller }) => bulkUpdate(world, visibleProject(world, caller, params.ref), body),
    create: (request) => create(world, visibleProject(world, request.caller, request.params.ref), request),
    deploy: async (request) => {
      const project = visibleProject(world, request.caller, request.params.ref);
      return functionOutput(await deploy(world, project, request));
    },
    get: ({ params, caller }) =>
      functionOutput(functionOf(world, visibleProject(world, caller, params.ref), params.function_slug)),
    update: (request) => update(world, visibleProject(world, request.caller, request.params.ref), request),
    delete: ({ params, caller }) => {
      const project = visibleProject(world, caller, params.ref);
      const { slug } = functionOf(world, project, params.function_slug);
      world.functions.delete(project.ref, slug);
      return undefined;
    },
    getBody: ({ params, caller, accept }) =>
      body(functionOf(world, visibleProject(world, caller, params.ref), params.function_slug), accept),
  };
}

/** @throws ApiFailure 404 */
function functionOf(world: World, project: ProjectRecord, slug: string): FunctionRecord {
  const known = world.functions.get(project.ref, slug);
  if (known === undefined) throw notFound("Function");
  return known;
}

/**
 * "creates or replaces; idempotent; version must be bumped manually" (endpoints.md); others stay as they are. @throws ApiFailure 400 where a slug is
 * named twice, of which no document says what is meant, or an id of another function; 402 as storeFunctions says
 */
function bulkUpdate(world: World, project: ProjectRecord, items: readonly BulkItem[]): { functions: EdgeFunction[] } {
  const twice = items.findIndex(({ slug }, at) => items.slice(0, at).some((before) => before.slug === slug));
  const again = items[twice];
  if (again !== undefined) throw badRequest(`${twice}.slug: ${again.slug} is named twice`);
  refuseForeignIds(world, project, items);
  const nowMs = world.clock.now();
  const changed = items.map((item) => bulkItem(world.functions.get(project.ref, item.slug), item, nowMs));
  storeFunctions(world, project.ref, changed);
  return { functions: changed.map((one) => functionOutput(one)) };
}

/**
 * An item names its function by the slug; a function that is there keeps its id, whatever the item says.
 *
 * @throws ApiFailure 400 for a new one with an id that another function has, or that a new one before it gets: two would share it
 */
function refuseForeignIds(world: World, project: ProjectRecord, items: readonly BulkItem[]): void {
  const known = world.functions.of(project.ref);
  const slugs = new Map([...known.values()].map(({ id, slug }) => [id, slug]));
  for (const [at, { id, slug }] of items.entries()) {
    if (known.has(slug)) continue;
    const whose = slugs.get(id);
    if (whose !== undefined) throw badRequest(`${at}.id: ${id} is that of ${whose}`);
    slugs.set(id, slug);
  }
}

/**
 * What an item does not say is as in a new function, since it "replaces". What a function is and what was uploaded stay: its id, when it was
 * made, the bundle with its hash.
 */
function bulkItem(known: FunctionRecord | undefined, item: BulkItem, nowMs: number): FunctionRecord {
  const { status, version } = item;
  const fresh = newFunction(item.slug, nowMs);
  const { id, createdAtMs, bundle, staticPatterns } = known ?? { ...fresh, id: item.id };
  return {
    ...withSettings(fresh, { ...settingsOf(item), importMap: item.import_map ?? fresh.importMap, staticPatterns }),
    id,
    bundle,
    status,
    version,
    createdAtMs: item.created_at ?? createdAtMs,
  };
}

interface WireSettings {
  readonly name?: string | undefined;
  readonly verify_jwt?: boolean | undefined;
  readonly import_map?: boolean | undefined;
  readonly entrypoint_path?: string | undefined;
  readonly import_map_path?: string | undefined;
  readonly ezbr_sha256?: string | undefined;
}

function settingsOf(said: WireSettings): DeployedSettings {
  return {
    name: said.name,
    verifyJwt: said.verify_jwt,
    importMap: said.import_map,
    entrypointPath: said.entrypoint_path,
    importMapPath: said.import_map_path,
    declaredSha256: said.ezbr_sha256,
  };
}

/** The old create, in both of its forms (facts.md §2). */
function create(world: World, project: ProjectRecord, { query, body: sent }: CreateRequest): EdgeFunction {
  const raw = sent instanceof Uint8Array;
  const said = raw ? query : { ...query, ...sent };
  if (said.slug === undefined) throw badRequest("slug: expected string, received undefined");
  if (!/^[A-Za-z]/.test(said.slug)) throw badRequest("slug: expected a letter first");
  if (world.functions.get(project.ref, said.slug) !== undefined) throw conflict("Duplicated function slug");
  const nowMs = world.clock.now();
  const bundle = raw ? foreignBundle(sent, said.entrypoint_path) : sourceBundle(sent.body);
  const made = withSettings(withBundle(newFunction(said.slug, nowMs), bundle, nowMs), settingsOf(said));
  storeFunctions(world, project.ref, [made]);
  return functionOutput(made);
}

/** The old change: settings, and another bundle where one is sent. */
function update(world: World, project: ProjectRecord, { params, query, body: sent }: UpdateRequest): EdgeFunction {
  const known = functionOf(world, project, params.function_slug);
  if (query.slug !== undefined && query.slug !== known.slug) throw badRequest("slug: a function cannot be renamed");
  const raw = sent instanceof Uint8Array;
  const said = raw ? query : { ...query, ...sent };
  const nowMs = world.clock.now();
  const bundle = raw ? foreignBundle(sent, said.entrypoint_path) : optionalSource(sent.body);
  const uploaded = bundle === undefined ? { ...known, updatedAtMs: nowMs } : withBundle(known, bundle, nowMs);
  const changed = withSettings(uploaded, settingsOf(said));
  storeFunctions(world, project.ref, [changed]);
  return functionOutput(changed);
}

function sourceBundle(source: string): BundleRecord {
  return bundleOf([{ path: "index.ts", content: Buffer.from(source) }], "index.ts");
}

function optionalSource(source: string | undefined): BundleRecord | undefined {
  return source === undefined ? undefined : sourceBundle(source);
}

/** "multipart/form-data when asked with that Accept" (facts.md §2), the bundle as it is otherwise. */
function body(known: FunctionRecord, accept: string): Reply<(typeof functions)["getBody"]> {
  const { bundle } = known;
  if (bundle === undefined) throw notFound("Function body");
  if (!accept.includes("multipart/form-data")) return customReply(BUNDLE_MEDIA_TYPE, bundleBytes(bundle.files));
  return { metadata: { deno2_entrypoint_path: bundle.entrypointPath ?? null }, files: bundle.files };
}

function functionOutput(known: FunctionRecord): EdgeFunction {
  return {
    id: known.id,
    slug: known.slug,
    name: known.name,
    status: known.status,
    version: known.version,
    created_at: known.createdAtMs,
    updated_at: known.updatedAtMs,
    verify_jwt: known.verifyJwt,
    import_map: known.importMap,
    ...(known.entrypointPath === undefined ? {} : { entrypoint_path: known.entrypointPath }),
    ...(known.importMapPath === undefined ? {} : { import_map_path: known.importMapPath }),
    ...sha256Output(known),
  };
}

function sha256Output({ bundle, declaredSha256 }: FunctionRecord): { ezbr_sha256?: string } {
  const sha256 = declaredSha256 ?? bundle?.sha256;
  return sha256 === undefined ? {} : { ezbr_sha256: sha256 };
}
