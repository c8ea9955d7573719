import { CONFIG_GONE, USUAL_ERRORS, noQuery } from "./fields.ts";
import { allOf } from "./operation.ts";

/** What the operations have in common that belong to the auth configuration of a project, as its identity providers and other issuers. */

const common = { limitScope: "project", stability: "stable", query: noQuery } as const;

export const readsAuthConfig = {
  ...common,
  scopes: ["auth:read"],
  permissions: allOf("auth_config_read"),
  errors: [...CONFIG_GONE, ...USUAL_ERRORS],
  retry: "read",
} as const;

export const writesAuthConfig = { ...common, scopes: ["auth:write"], permissions: allOf("auth_config_write") } as const;
