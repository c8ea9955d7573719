import { z } from "zod";
import { INSTANCE_SIZES, REGIONS, SMART_GROUPS, noParams, openEnum, response, slugSchema } from "./fields.ts";
import { NO_PERMISSIONS, operation } from "./operation.ts";

/** Catalogue section "Projects": where a project may be created. */

export const CONTINENTS = ["NA", "SA", "EU", "AF", "AS", "OC", "AN"] as const;

const smartGroupSchema = response({ name: z.string(), code: openEnum(SMART_GROUPS), type: z.string() });
const specificRegionSchema = response({
  name: z.string(),
  code: openEnum(REGIONS),
  type: z.string(),
  provider: z.string(),
  /** why the region cannot be chosen; absent or null where it can */
  status: openEnum(["capacity", "other"]).nullish(),
});

export const availableRegionsSchema = response({
  recommendations: response({ smartGroup: smartGroupSchema, specific: z.array(specificRegionSchema) }),
  all: response({ smartGroup: z.array(smartGroupSchema), specific: z.array(specificRegionSchema) }),
});
export type AvailableRegions = z.output<typeof availableRegionsSchema>;

export const availableRegions = operation({
  id: "projects.availableRegions",
  summary: "List the regions in which an organization may create a project",
  method: "GET",
  path: "/v1/projects/available-regions",
  params: noParams,
  query: z.strictObject({
    organization_slug: slugSchema,
    continent: z.enum(CONTINENTS).optional(),
    /** default: the smallest */
    desired_instance_size: z.enum(INSTANCE_SIZES).optional(),
  }),
  success: { kind: "json", status: 200, schema: availableRegionsSchema },
  errors: [400, 401, 403, 429],
  scopes: ["organizations:read"],
  permissions: NO_PERMISSIONS,
  limitScope: "identity",
  stability: "beta",
  retry: "read",
});
