import { z } from "zod";
import {
  PAID_PLANS,
  USUAL_ERRORS_500,
  noQuery,
  openEnum,
  projectParams,
  refSchema,
  response,
  secret,
} from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Log drains of the catalogue section "Analytics": where a project's logs are sent. */

export const LOG_DRAIN_BACKENDS = [
  "postgres",
  "bigquery",
  "clickhouse",
  "webhook",
  "datadog",
  "loki",
  "sentry",
  "s3",
  "axiom",
  "last9",
  "otlp",
  "syslog",
] as const;
export type LogDrainBackend = (typeof LOG_DRAIN_BACKENDS)[number];

const text = z.string().min(1);
const secretText = secret(z.string().min(1));
/** Secrets travel in headers: none of the values is ever shown. */
const headers = z.record(z.string(), secret(z.string()));
const port = z.number().int().min(1).max(65_535);

/**
 * The configuration of each backend: these keys and no others (facts.md §2, log drain v2). What a backend cannot do without is required;
 * the facts name the keys only. Of clickhouse they name none, so that its form is open: values by name, all of them treated as secret.
 */
export const LOG_DRAIN_CONFIGS = {
  postgres: z.strictObject({
    /** may hold a password */
    url: secretText.optional(),
    schema: text.optional(),
    username: text.optional(),
    password: secretText.optional(),
    port: port.optional(),
    hostname: text.optional(),
  }),
  bigquery: z.strictObject({ project_id: text, dataset_id: text }),
  clickhouse: z.record(z.string(), secret(z.union([z.string(), z.number(), z.boolean()]))),
  webhook: z.strictObject({
    url: z.url(),
    http: z.enum(["http1", "http2"]).optional(),
    gzip: z.boolean().optional(),
    headers: headers.optional(),
  }),
  datadog: z.strictObject({ api_key: secretText, region: text }),
  loki: z.strictObject({
    url: z.url(),
    username: text.optional(),
    password: secretText.optional(),
    headers: headers.optional(),
  }),
  sentry: z.strictObject({ dsn: secretText }),
  s3: z.strictObject({
    s3_bucket: text,
    storage_region: text,
    access_key_id: text,
    secret_access_key: secretText,
    batch_timeout: z.number().int().min(1).optional(),
  }),
  axiom: z.strictObject({ domain: text, api_token: secretText, dataset_name: text }),
  last9: z.strictObject({ region: text, username: text, password: secretText }),
  otlp: z.strictObject({
    endpoint: z.url(),
    protocol: text.optional(),
    gzip: z.boolean().optional(),
    headers: headers.optional(),
  }),
  syslog: z.strictObject({
    host: text,
    port,
    tls: z.boolean().optional(),
    structured_data: text.optional(),
    cipher_key: secretText.optional(),
    ca_cert: text.optional(),
    client_cert: text.optional(),
    client_key: secretText.optional(),
  }),
} as const satisfies Readonly<Record<LogDrainBackend, z.ZodType>>;

/** Attributes of a new drain: a configuration of the form that its backend has. */
const added = <B extends LogDrainBackend>(backend: B) =>
  z.strictObject({
    name: text,
    description: z.string().optional(),
    backend_type: z.literal(backend),
    config: LOG_DRAIN_CONFIGS[backend],
  });

/** Attributes of a change: "on PUT only backend_type required" (facts.md §2). */
const changed = <B extends LogDrainBackend>(backend: B) =>
  z.strictObject({
    name: text.optional(),
    description: z.string().optional(),
    backend_type: z.literal(backend),
    config: LOG_DRAIN_CONFIGS[backend].optional(),
  });

const noSuchBackend = { error: `expected an object whose backend_type is one of ${LOG_DRAIN_BACKENDS.join(", ")}` };

const newAttributes = z.discriminatedUnion(
  "backend_type",
  [
    added("postgres"),
    added("bigquery"),
    added("clickhouse"),
    added("webhook"),
    added("datadog"),
    added("loki"),
    added("sentry"),
    added("s3"),
    added("axiom"),
    added("last9"),
    added("otlp"),
    added("syslog"),
  ],
  noSuchBackend,
);
export type NewLogDrain = z.output<typeof newAttributes>;

const changedAttributes = z.discriminatedUnion(
  "backend_type",
  [
    changed("postgres"),
    changed("bigquery"),
    changed("clickhouse"),
    changed("webhook"),
    changed("datadog"),
    changed("loki"),
    changed("sentry"),
    changed("s3"),
    changed("axiom"),
    changed("last9"),
    changed("otlp"),
    changed("syslog"),
  ],
  noSuchBackend,
);
export type LogDrainChange = z.output<typeof changedAttributes>;

const ofLogDrain = <S extends z.ZodType>(attributes: S) =>
  z.strictObject({ data: z.strictObject({ type: z.literal("log_drain"), attributes }) });

/** Secrets of `config` come back as the literal `REDACTED`; sending that back stores it (facts.md §2). */
export const logDrainSchema = response({
  type: z.string(),
  id: z.string(),
  attributes: response({
    name: z.string(),
    description: z.string().nullish(),
    config: z.looseObject({}),
    backend_type: openEnum(LOG_DRAIN_BACKENDS),
  }),
});
export type LogDrain = z.output<typeof logDrainSchema>;

const common = { limitScope: "project", stability: "stable" } as const;
const write = { scopes: ["analytics_config:write"], permissions: allOf("analytics_config_write") } as const;
const drainParams = z.strictObject({ ref: refSchema, id: z.uuid("a log drain's id is a uuid") });
const oneDrain = { kind: "json", schema: response({ data: logDrainSchema }) } as const;

export const logDrains = {
  create: operation({
    ...common,
    ...write,
    id: "logDrains.create",
    summary: "Create a log drain",
    method: "POST",
    path: "/v2/projects/{ref}/analytics/log-drains",
    params: projectParams,
    query: noQuery,
    body: { encoding: "json", schema: ofLogDrain(newAttributes) },
    success: { ...oneDrain, status: 201 },
    errors: [400, 402, 404, ...USUAL_ERRORS_500],
    plans: PAID_PLANS,
    retry: "once",
  }),
  list: operation({
    ...common,
    id: "logDrains.list",
    summary: "List the log drains of a project",
    method: "GET",
    path: "/v2/projects/{ref}/analytics/log-drains",
    params: projectParams,
    query: noQuery,
    success: { kind: "json", status: 200, schema: response({ data: z.array(logDrainSchema) }) },
    errors: [404, ...USUAL_ERRORS_500],
    scopes: ["analytics_config:read"],
    permissions: allOf("analytics_config_read"),
    retry: "read",
  }),
  update: operation({
    ...common,
    ...write,
    id: "logDrains.update",
    summary: "Change a log drain; what is not sent stays, a configuration replaces the one before",
    method: "PUT",
    path: "/v2/projects/{ref}/analytics/log-drains/{id}",
    params: drainParams,
    query: noQuery,
    body: { encoding: "json", schema: ofLogDrain(changedAttributes) },
    success: { ...oneDrain, status: 200 },
    errors: [400, 404, ...USUAL_ERRORS_500],
    retry: "idempotent",
  }),
  delete: operation({
    ...common,
    ...write,
    id: "logDrains.delete",
    summary: "Delete a log drain",
    method: "DELETE",
    path: "/v2/projects/{ref}/analytics/log-drains/{id}",
    params: drainParams,
    query: noQuery,
    success: { kind: "empty", status: 204 },
    errors: [400, 404, ...USUAL_ERRORS_500],
    retry: "idempotent",
  }),
} as const;
