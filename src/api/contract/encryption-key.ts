import { z } from "zod";
import { USUAL_ERRORS_500, noQuery, projectParams, response, secret } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Secrets and API keys": the root key of the database's encryption extension. */

const rootKeySchema = response({ root_key: secret(z.string()) });

/** Reading needs the right to write: who knows the key can decrypt (endpoints.md, GET …/pgsodium). */
const common = { limitScope: "project", stability: "beta", permissions: allOf("project_admin_write") } as const;

export const encryptionKey = {
  get: operation({
    ...common,
    id: "encryptionKey.get",
    summary: "Read the encryption root key",
    method: "GET",
    path: "/v1/projects/{ref}/pgsodium",
    params: projectParams,
    query: noQuery,
    success: { kind: "json", status: 200, schema: rootKeySchema },
    errors: [404, ...USUAL_ERRORS_500],
    scopes: ["secrets:read"],
    retry: "read",
  }),
  update: operation({
    ...common,
    id: "encryptionKey.update",
    summary: "Replace the encryption root key; data encrypted with the old one can become unreadable",
    method: "PUT",
    path: "/v1/projects/{ref}/pgsodium",
    params: projectParams,
    query: noQuery,
    body: {
      encoding: "json",
      schema: z.strictObject({
        root_key: secret(
          z.string().regex(/^[0-9a-fA-F]{64}$/, "the root key needs 32 bytes written as hex (64 characters)"),
        ),
      }),
    },
    success: { kind: "json", status: 200, schema: rootKeySchema },
    errors: [400, 404, ...USUAL_ERRORS_500],
    scopes: ["secrets:write"],
    retry: "idempotent",
  }),
} as const;
