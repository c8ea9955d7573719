import { type ConstraintRow, REF, text, UUID } from "./row.ts";

/** Functions, secrets, branches, lists, and what has a form of its own. */
export const FORMS: readonly ConstraintRow[] = [
  {
    words: "{name ≤256 chars, must not start with the reserved prefix",
    id: "secrets.create",
    part: "body",
    takes: [[{ name: text(256), value: text(24_576) }], Array.from({ length: 100 }, () => ({ name: "A", value: "" }))],
    refuses: [
      [{ name: text(257), value: "" }],
      [{ name: "A", value: text(24_577) }],
      [{ name: "A" }],
      Array.from({ length: 101 }, () => ({ name: "A", value: "" })),
    ],
  },
  {
    words: "DELETE takes array of names",
    id: "secrets.delete",
    part: "body",
    takes: [["A", "B"]],
    refuses: [{ names: ["A"] }, [{ name: "A" }]],
  },
  {
    words: "(JSON: entrypoint_path required; import_map_path, static_patterns[], verify_jwt, name optional)",
    id: "functions.deploy",
    part: "body",
    takes: [
      { entrypoint_path: "a.ts" },
      { entrypoint_path: "a.ts", import_map_path: "b", static_patterns: ["c"], verify_jwt: false, name: "d" },
    ],
    refuses: [{ name: "a" }, { entrypoint_path: "a.ts", static_patterns: "c" }, { entrypoint_path: "a.ts", other: 1 }],
  },
  {
    words: "required id, slug, name, status, version; optional created_at, verify_jwt, import_map, entrypoint_path",
    id: "functions.bulkUpdate",
    part: "body",
    takes: [
      [{ id: "x", slug: "a", name: "A", status: "ACTIVE", version: 1 }],
      [
        {
          ...{ id: "x", slug: "a", name: "A", status: "THROTTLED", version: 1, created_at: 1, verify_jwt: true },
          ...{ import_map: true, entrypoint_path: "a", import_map_path: "b", ezbr_sha256: "c" },
        },
      ],
    ],
    refuses: ["id", "slug", "name", "status", "version"].map((left) => [
      { id: "x", slug: "a", name: "A", status: "ACTIVE", version: 1, [left]: undefined },
    ]),
  },
  {
    words: "only branch_name (≥1) required; `secrets` = map name→string; notify_url a URI",
    id: "branches.create",
    part: "body",
    takes: [{ branch_name: "a" }, { branch_name: "a", secrets: { A: "1" }, notify_url: "https://example.test/hook" }],
    refuses: [
      {},
      { branch_name: "" },
      { branch_name: "a", secrets: [{ name: "A", value: "1" }] },
      { branch_name: "a", secrets: { A: 1 } },
      { branch_name: "a", notify_url: "hook" },
    ],
  },
  {
    words: "version `^\\d+$`, query ≥1 char",
    id: "migrations.get",
    part: "params",
    beside: { ref: REF },
    field: "version",
    takes: ["1", "20260131120000"],
    refuses: ["", "a", "1.0", "-1"],
  },
  {
    words: "version `^\\d+$`, query ≥1 char",
    id: "migrations.apply",
    part: "body",
    field: "query",
    takes: [";"],
    refuses: ["", undefined],
  },
  {
    words:
      "{data:{type:'log_drain', attributes:{name, backend_type, config, description?}}}; on PUT only backend_type required",
    id: "logDrains.create",
    part: "body",
    field: "data",
    takes: [{ type: "log_drain", attributes: { name: "a", backend_type: "sentry", config: { dsn: "x" } } }],
    refuses: [
      { type: "log_drain", attributes: { backend_type: "sentry", config: { dsn: "x" } } },
      { type: "log_drain", attributes: { name: "a", backend_type: "sentry" } },
      { type: "drain", attributes: { name: "a", backend_type: "sentry", config: { dsn: "x" } } },
    ],
  },
  {
    words: "on PUT only backend_type required",
    id: "logDrains.update",
    part: "body",
    field: "data",
    takes: [{ type: "log_drain", attributes: { backend_type: "sentry" } }],
    refuses: [{ type: "log_drain", attributes: { name: "a" } }],
  },
  {
    words: "{data:{type:'project_transfer_input', attributes:{target_organization_slug}}}",
    id: "transfers.create",
    part: "body",
    field: "data",
    takes: [{ type: "project_transfer_input", attributes: { target_organization_slug: "acme" } }],
    refuses: [{ type: "project_transfer_input", attributes: {} }, { target_organization_slug: "acme" }],
  },
  {
    words: "page[size] 1–100, page[after]/page[before] uuid cursors",
    id: "organizations.listMembers",
    part: "query",
    field: "page",
    takes: [{ size: 1 }, { size: 100 }, { after: UUID }, { before: UUID }],
    refuses: [{ size: 0 }, { size: 101 }, { after: "1" }, { before: "1" }],
  },
  {
    words: "sort name_asc(default)/name_desc/created_asc/created_desc; limit 1–100 default 100; offset ≥0 default 0",
    id: "organizations.listProjects",
    part: "query",
    takes: [
      { sort: "name_asc", limit: 1, offset: 0 },
      { sort: "name_desc", limit: 100 },
      { sort: "created_asc" },
      { sort: "created_desc" },
    ],
    refuses: [{ sort: "size" }, { limit: 0 }, { limit: 101 }, { offset: -1 }],
  },
  {
    words: "| actions list | offset ≥0, limit ≥10 |",
    id: "actions.list",
    part: "query",
    takes: [{ offset: 0, limit: 10 }],
    refuses: [{ offset: -1 }, { limit: 9 }],
  },
  {
    words: "{type: specific, code: region} or {type: smartGroup, code: americas/emea/apac}",
    id: "projects.create",
    part: "body",
    beside: { db_pass: "secret", name: "a", organization_slug: "acme" },
    field: "region_selection",
    takes: [
      { type: "specific", code: "sa-east-1" },
      { type: "smartGroup", code: "apac" },
    ],
    refuses: [{ type: "specific", code: "apac" }, { type: "smartGroup", code: "sa-east-1" }, { code: "apac" }],
  },
  {
    words: "name_id_format 4 URNs (1.1 unspecified, 1.1 emailAddress, 2.0 transient, 2.0 persistent)",
    id: "ssoProviders.update",
    part: "body",
    field: "name_id_format",
    takes: ["1.1:nameid-format:unspecified", "1.1:nameid-format:emailAddress"]
      .concat("2.0:nameid-format:transient", "2.0:nameid-format:persistent")
      .map((end) => `urn:oasis:names:tc:SAML:${end}`),
    refuses: ["urn:oasis:names:tc:SAML:2.0:nameid-format:unspecified", "persistent"],
  },
  {
    words: "| SSO | type saml;",
    id: "ssoProviders.create",
    part: "body",
    beside: { metadata_url: "https://idp.test" },
    field: "type",
    takes: ["saml"],
    refuses: ["oidc", undefined],
  },
  {
    words: "`lint_type` param: sql",
    id: "advisors.security",
    part: "query",
    field: "lint_type",
    takes: ["sql", undefined],
    refuses: ["all"],
  },
];
