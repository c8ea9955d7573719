import { z } from "zod";
import type { AuthField } from "./auth-config-field.ts";
import { type AuthConfigFields, authConfigRows } from "./auth-config-fields.ts";
import { CONFIG_GONE, USUAL_ERRORS_500, noQuery, openEnum, projectParams, secret, untold } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Auth configuration". Both schemas, and their types, follow from the table of fields. */

type AuthValueSchema<F extends AuthField, EnumSchema> = F["type"] extends "boolean"
  ? z.ZodBoolean
  : F["type"] extends "integer" | "number"
    ? z.ZodNumber
    : F["type"] extends "enum"
      ? EnumSchema
      : z.ZodString;

type EnumOf<F extends AuthField> = F extends { values: readonly (infer V extends string)[] }
  ? z.ZodEnum<{ [K in V]: K }>
  : never;

type AnswerField<F extends AuthField> = F["nullable"] extends "always" | "answer"
  ? z.ZodNullable<AuthValueSchema<F, z.ZodString>>
  : AuthValueSchema<F, z.ZodString>;

type RequestField<F extends AuthField> = F["nullable"] extends "always" | "request"
  ? z.ZodOptional<z.ZodNullable<AuthValueSchema<F, EnumOf<F>>>>
  : z.ZodOptional<AuthValueSchema<F, EnumOf<F>>>;

type AnswerShape = { readonly [K in keyof AuthConfigFields]: AnswerField<AuthConfigFields[K]> };
type AuthRequestShape = {
  readonly [
    K in keyof AuthConfigFields as AuthConfigFields[K] extends { responseOnly: true } ? never : K
  ]: RequestField<AuthConfigFields[K]>;
};

/** All fields are always there (facts.md §3). */
export const authConfigSchema = z.looseObject(
  Object.fromEntries(authConfigRows.map(([name, field]) => [name, answerField(field)])) as AnswerShape, // by the same table
);
export type AuthConfig = z.output<typeof authConfigSchema>;

/** Any subset of the fields; null unsets one. */
export const authConfigUpdateSchema = z.strictObject(
  Object.fromEntries(
    authConfigRows.flatMap(([name, field]) => (field.responseOnly === true ? [] : [[name, requestField(field)]])),
  ) as AuthRequestShape, // by the same table
);
export type AuthConfigUpdate = z.output<typeof authConfigUpdateSchema>;

function answerField(field: AuthField): z.ZodType {
  const value = tolerant(field);
  return field.nullable === "always" || field.nullable === "answer" ? value.nullable() : value;
}

function tolerant(field: AuthField): z.ZodType {
  switch (field.type) {
    case "boolean":
      return z.boolean();
    case "integer":
      return z.number().int();
    case "number":
      return z.number();
    case "enum":
      return openEnum(field.values ?? []);
    case "string":
    case "date-time":
      return z.string();
    default:
      return field.type satisfies never;
  }
}

function requestField(field: AuthField): z.ZodType {
  const value = marked(field, strict(field));
  return field.nullable === "always" || field.nullable === "request" ? value.nullable().optional() : value.optional();
}

function marked(field: AuthField, schema: z.ZodType): z.ZodType {
  if (field.secret === true) return secret(schema);
  return field.untold === true ? untold(schema) : schema;
}

function strict(field: AuthField): z.ZodType {
  switch (field.type) {
    case "boolean":
      return z.boolean();
    case "integer":
      return withinRange(z.number().int(), field);
    case "number":
      return withinRange(z.number(), field);
    case "enum":
      return z.enum(field.values ?? []);
    case "date-time":
      return z.iso.datetime({ offset: true, error: "expected a time such as 2026-01-31T12:00:00Z" });
    case "string":
      return textSchema(field);
    default:
      return field.type satisfies never;
  }
}

function withinRange(schema: z.ZodNumber, { min, max }: AuthField): z.ZodNumber {
  const fromMin = min === undefined ? schema : schema.min(min);
  return max === undefined ? fromMin : fromMin.max(max);
}

function textSchema({ format, pattern }: AuthField): z.ZodType {
  if (format === "email") return z.email("expected an e-mail address");
  const words = pattern === undefined ? "expected a string" : `expected ${pattern.says}`;
  const schema = z.string({ error: words });
  return pattern === undefined ? schema : schema.regex(pattern.regex, words);
}

const common = { limitScope: "project", stability: "stable" } as const;

export const authConfig = {
  get: operation({
    ...common,
    id: "authConfig.get",
    summary: "Read the auth configuration of a project",
    method: "GET",
    path: "/v1/projects/{ref}/config/auth",
    params: projectParams,
    query: noQuery,
    success: { kind: "json", status: 200, schema: authConfigSchema },
    errors: [...CONFIG_GONE, ...USUAL_ERRORS_500],
    scopes: ["auth:read"],
    permissions: allOf("auth_config_read"),
    retry: "read",
  }),
  update: operation({
    ...common,
    id: "authConfig.update",
    summary: "Change fields of the auth configuration; the others stay as they are",
    method: "PATCH",
    path: "/v1/projects/{ref}/config/auth",
    params: projectParams,
    query: noQuery,
    body: { encoding: "json", schema: authConfigUpdateSchema },
    success: { kind: "json", status: 200, schema: authConfigSchema },
    errors: [400, 402, 404, ...USUAL_ERRORS_500],
    scopes: ["auth:write"],
    permissions: allOf("auth_config_write", "project_admin_write"),
    retry: "once",
  }),
} as const;
