import type { z } from "zod";
import { actionRunSchema } from "../contract/actions.ts";
import { addonsSchema } from "../contract/addons.ts";
import { lintSchema } from "../contract/advisors.ts";
import { logQueryResultSchema } from "../contract/analytics.ts";
import { apiKeySchema } from "../contract/api-keys.ts";
import { authConfigSchema, authConfigUpdateSchema } from "../contract/auth-config.ts";
import { backupScheduleSchema, backupsSchema } from "../contract/backups.ts";
import { branchConfigSchema, branchSchema } from "../contract/branches.ts";
import { customHostnameSchema } from "../contract/custom-hostname.ts";
import { diskSchema } from "../contract/disk.ts";
import { messageSchema } from "../contract/fields.ts";
import { functionSchema } from "../contract/functions.ts";
import { jitRoleSchema, jitUserSchema, newJitRoleSchema } from "../contract/jit.ts";
import { logDrainSchema } from "../contract/log-drains.ts";
import { migrationSchema } from "../contract/migrations.ts";
import { networkRestrictionsSchema } from "../contract/network-restrictions.ts";
import { tokenResponseSchema } from "../contract/oauth.ts";
import { memberSchema, memberV1Schema, roleSchema } from "../contract/organization-members.ts";
import { orgProjectItemSchema, organizationSummarySchema, profileSchema } from "../contract/organizations.ts";
import { postgresConfigSchema } from "../contract/postgres-config.ts";
import { projectDetailSchema, projectRefSchema, projectSchema } from "../contract/projects.ts";
import { secretSchema } from "../contract/secrets.ts";
import { signingKeySchema } from "../contract/signing-keys.ts";
import { snippetSchema, snippetSummarySchema } from "../contract/snippets.ts";
import { sslEnforcementSchema } from "../contract/ssl-enforcement.ts";
import { ssoProviderSchema } from "../contract/sso-providers.ts";
import { bucketSchema, storageConfigSchema } from "../contract/storage.ts";
import { thirdPartyAuthSchema } from "../contract/third-party-auth.ts";

/**
 * Shapes that have a name of their own in the document, by the names of behaviour.md where it has one. A shape that is not here stands where
 * it is used.
 */
export const shapes: Readonly<Record<string, z.ZodType>> = {
  ActionRun: actionRunSchema,
  Addons: addonsSchema,
  ApiKey: apiKeySchema,
  AuthConfig: authConfigSchema,
  AuthConfigUpdate: authConfigUpdateSchema,
  BackupSchedule: backupScheduleSchema,
  Backups: backupsSchema,
  Branch: branchSchema,
  BranchConfig: branchConfigSchema,
  Bucket: bucketSchema,
  CustomHostname: customHostnameSchema,
  Disk: diskSchema,
  Function: functionSchema,
  JitRole: jitRoleSchema,
  JitRoleGrant: newJitRoleSchema,
  JitUser: jitUserSchema,
  Lint: lintSchema,
  LogDrain: logDrainSchema,
  LogQueryResult: logQueryResultSchema,
  MemberV1: memberV1Schema,
  MemberV2: memberSchema,
  Message: messageSchema,
  Migration: migrationSchema,
  NetworkRestrictions: networkRestrictionsSchema,
  OrgProjectItem: orgProjectItemSchema,
  OrganizationSummary: organizationSummarySchema,
  PostgresConfig: postgresConfigSchema,
  Profile: profileSchema,
  Project: projectSchema,
  ProjectDetail: projectDetailSchema,
  ProjectRef: projectRefSchema,
  RoleV2: roleSchema,
  Secret: secretSchema,
  SigningKey: signingKeySchema,
  Snippet: snippetSchema,
  SnippetSummary: snippetSummarySchema,
  SslEnforcement: sslEnforcementSchema,
  SsoProvider: ssoProviderSchema,
  StorageConfig: storageConfigSchema,
  ThirdPartyAuth: thirdPartyAuthSchema,
  TokenResponse: tokenResponseSchema,
};
