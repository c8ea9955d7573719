import { z } from "zod";
import {
  FUNCTION_STATUSES,
  USUAL_ERRORS_500,
  noQuery,
  openEnum,
  projectParams,
  queryBoolean,
  refSchema,
  response,
} from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Edge functions". */

/** Media type of a raw bundle in the old create and patch forms (facts.md §2). */
export const BUNDLE_MEDIA_TYPE = "application/vnd.denoland.eszip";

export const functionSchema = response({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  status: openEnum(FUNCTION_STATUSES),
  version: z.number().int(),
  created_at: z.number().int().optional(),
  updated_at: z.number().int().optional(),
  verify_jwt: z.boolean().optional(),
  import_map: z.boolean().optional(),
  entrypoint_path: z.string().nullish(),
  import_map_path: z.string().nullish(),
  ezbr_sha256: z.string().nullish(),
});
export type EdgeFunction = z.output<typeof functionSchema>;

export const newFunctionSlug = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]*$/, "a function slug starts with a letter and has letters, digits, _ and - only");
const functionSlug = z.string().regex(/^[A-Za-z0-9_-]+$/, "a function slug has letters, digits, _ and - only");

const deployMetadataSchema = z.strictObject({
  entrypoint_path: z.string().min(1),
  import_map_path: z.string().optional(),
  static_patterns: z.array(z.string()).optional(),
  verify_jwt: z.boolean().optional(),
  name: z.string().optional(),
});
export type DeployMetadata = z.output<typeof deployMetadataSchema>;

export const bulkFunctionSchema = z.strictObject({
  id: z.string(),
  slug: newFunctionSlug,
  name: z.string(),
  status: z.enum(FUNCTION_STATUSES),
  /** whatever is read of one: no document says a bound, or that it counts from 0 (behaviour.md, "Versioning") */
  version: z.number().int(),
  created_at: z.number().int().optional(),
  verify_jwt: z.boolean().optional(),
  import_map: z.boolean().optional(),
  entrypoint_path: z.string().optional(),
  import_map_path: z.string().optional(),
  ezbr_sha256: z.string().optional(),
});

/** Settings of the old create and patch forms, which travel in the query beside a raw bundle. */
const oldFormQuery = z.strictObject({
  slug: functionSlug.optional(),
  name: z.string().optional(),
  verify_jwt: queryBoolean.optional(),
  import_map: queryBoolean.optional(),
  entrypoint_path: z.string().optional(),
  import_map_path: z.string().optional(),
  ezbr_sha256: z.string().optional(),
});

const functionParams = z.strictObject({ ref: refSchema, function_slug: functionSlug });
const common = { limitScope: "project", stability: "stable" } as const;
const write = { scopes: ["edge_functions:write"], permissions: allOf("edge_functions_write") } as const;
const read = { scopes: ["edge_functions:read"], permissions: allOf("edge_functions_read") } as const;

export const functions = {
  list: operation({
    ...common,
    ...read,
    id: "functions.list",
    summary: "List the functions of a project",
    method: "GET",
    path: "/v1/projects/{ref}/functions",
    params: projectParams,
    query: noQuery,
    success: { kind: "json", status: 200, schema: z.array(functionSchema) },
    errors: [404, ...USUAL_ERRORS_500],
    retry: "read",
  }),
  bulkUpdate: operation({
    ...common,
    ...write,
    id: "functions.bulkUpdate",
    summary: "Create or replace functions in bulk; the version must be raised by the caller",
    method: "PUT",
    path: "/v1/projects/{ref}/functions",
    params: projectParams,
    query: noQuery,
    body: { encoding: "json", schema: z.array(bulkFunctionSchema) },
    success: { kind: "json", status: 200, schema: response({ functions: z.array(functionSchema) }) },
    errors: [400, 402, 404, ...USUAL_ERRORS_500],
    retry: "idempotent",
  }),
  create: operation({
    ...common,
    ...write,
    deprecated: true,
    id: "functions.create",
    summary: "Create a function from one bundle or one file",
    method: "POST",
    path: "/v1/projects/{ref}/functions",
    params: projectParams,
    query: oldFormQuery.extend({ slug: newFunctionSlug.optional() }),
    body: {
      encoding: "bundle-or-json",
      mediaType: BUNDLE_MEDIA_TYPE,
      schema: z.strictObject({
        slug: newFunctionSlug,
        name: z.string(),
        body: z.string(),
        verify_jwt: z.boolean().optional(),
      }),
    },
    success: { kind: "json", status: 201, schema: functionSchema },
    errors: [400, 402, 404, 409, ...USUAL_ERRORS_500],
    retry: "once",
  }),
  deploy: operation({
    ...common,
    ...write,
    id: "functions.deploy",
    summary: "Upload the files of a function; creates it when it does not exist",
    method: "POST",
    path: "/v1/projects/{ref}/functions/deploy",
    params: projectParams,
    query: z.strictObject({ slug: newFunctionSlug.optional(), bundleOnly: queryBoolean.optional() }),
    body: { encoding: "multipart", metadata: deployMetadataSchema },
    success: { kind: "json", status: 201, schema: functionSchema },
    errors: [400, 402, 404, 409, ...USUAL_ERRORS_500],
    retry: "once",
  }),
  get: operation({
    ...common,
    ...read,
    id: "functions.get",
    summary: "Read a function",
    method: "GET",
    path: "/v1/projects/{ref}/functions/{function_slug}",
    params: functionParams,
    query: noQuery,
    success: { kind: "json", status: 200, schema: functionSchema },
    errors: [404, ...USUAL_ERRORS_500],
    retry: "read",
  }),
  update: operation({
    ...common,
    ...write,
    id: "functions.update",
    summary: "Change a function's settings or bundle",
    method: "PATCH",
    path: "/v1/projects/{ref}/functions/{function_slug}",
    params: functionParams,
    query: oldFormQuery,
    body: {
      encoding: "bundle-or-json",
      mediaType: BUNDLE_MEDIA_TYPE,
      schema: z.strictObject({
        name: z.string().optional(),
        body: z.string().optional(),
        verify_jwt: z.boolean().optional(),
      }),
    },
    success: { kind: "json", status: 200, schema: functionSchema },
    errors: [400, 404, ...USUAL_ERRORS_500],
    retry: "once",
  }),
  delete: operation({
    ...common,
    ...write,
    id: "functions.delete",
    summary: "Delete a function",
    method: "DELETE",
    path: "/v1/projects/{ref}/functions/{function_slug}",
    params: functionParams,
    query: noQuery,
    success: { kind: "empty", status: 200, body: { message: "ok" } },
    errors: [404, ...USUAL_ERRORS_500],
    retry: "idempotent",
  }),
  getBody: operation({
    ...common,
    ...read,
    id: "functions.getBody",
    summary: "Read a function's files",
    method: "GET",
    path: "/v1/projects/{ref}/functions/{function_slug}/body",
    params: functionParams,
    query: noQuery,
    success: { kind: "multipart", status: 200, metadata: z.looseObject({}), bundleMediaType: BUNDLE_MEDIA_TYPE },
    errors: [404, ...USUAL_ERRORS_500],
    retry: "read",
  }),
} as const;
