import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { operationOf, type OperationId } from "./operation-id.ts";

const text = (name: string): string =>
  readFileSync(new URL(`../../../docs/contract/${name}.md`, import.meta.url), "utf8");
const DOCUMENTS = ["facts", "behaviour", "endpoints"].map(text).join("\n");

/** What the documents say of fields that are null, or not there. */
interface Row {
  readonly words: string;
  readonly ids: readonly OperationId[];
  /** the way to the object that has them, in an answer; default: the answer itself */
  readonly in?: string;
  readonly fields: readonly string[];
  readonly may: "be null" | "be missing";
}

const ROWS: readonly Row[] = [
  {
    words: "ApiKey: only `name` is certain.",
    ids: ["apiKeys.list"],
    in: "[]",
    fields: [
      "api_key",
      "id",
      "type",
      "prefix",
      "description",
      "hash",
      "secret_jwt_template",
      "inserted_at",
      "updated_at",
    ],
    may: "be missing",
  },
  { words: "Field is nullable", ids: ["apiKeys.create", "apiKeys.get"], fields: ["type"], may: "be null" },
  {
    words:
      "Branch optional: git_branch, pr_number, latest_check_run_id, notify_url, review_requested_at, deletion_scheduled_at, preview_project_status.",
    ids: ["branches.create", "branches.getByName", "branches.update"],
    fields: [
      "git_branch",
      "pr_number",
      "latest_check_run_id",
      "notify_url",
      "review_requested_at",
      "deletion_scheduled_at",
      "preview_project_status",
    ],
    may: "be missing",
  },
  {
    words: "BranchConfig: db_user/db_pass/jwt_secret optional (hidden without rights)",
    ids: ["branches.get"],
    fields: ["db_user", "db_pass", "jwt_secret"],
    may: "be missing",
  },
  {
    words: "Pooler default_pool_size, max_client_conn null by default.",
    ids: ["pooler.get"],
    in: "[]",
    fields: ["default_pool_size", "max_client_conn"],
    may: "be null",
  },
  {
    words: "NetworkRestrictions: old_config, updated_at, applied_at optional.",
    ids: ["networkRestrictions.get", "networkRestrictions.apply"],
    fields: ["old_config", "updated_at", "applied_at"],
    may: "be missing",
  },
  {
    words: "ThirdPartyAuth urls nullable.",
    ids: ["thirdPartyAuth.create", "thirdPartyAuth.get", "thirdPartyAuth.delete"],
    fields: ["oidc_issuer_url", "jwks_url"],
    may: "be null",
  },
  {
    words: "custom_jwks nullable, resolved_jwks nullable",
    ids: ["thirdPartyAuth.get"],
    fields: ["custom_jwks", "resolved_jwks"],
    may: "be null",
  },
  {
    words: "PostgresConfig: **only overrides** are returned",
    ids: ["postgresConfig.get", "postgresConfig.replace"],
    fields: ["max_connections", "work_mem", "statement_timeout"],
    may: "be missing",
  },
  {
    words: "db_pool 0–1000 (null when automatic)",
    ids: ["dataApi.get", "dataApi.update"],
    fields: ["db_pool"],
    may: "be null",
  },
  {
    words: "whole `databaseUpgradeStatus` may be null",
    ids: ["upgrades.status"],
    fields: ["databaseUpgradeStatus"],
    may: "be null",
  },
  { words: "public_jwk nullable", ids: ["signingKeys.get"], fields: ["public_jwk"], may: "be null" },
  { words: "git_config nullable", ids: ["actions.get"], fields: ["git_config"], may: "be null" },
  {
    words: "meta nullable",
    ids: ["addons.list"],
    in: "selected_addons.[].variant",
    fields: ["meta"],
    may: "be null",
  },
  {
    words: "invite_id nullable, expires_at nullable",
    ids: ["jit.list"],
    in: "items.[]",
    fields: ["invite_id", "expires_at"],
    may: "be null",
  },
];

function answerOf(id: OperationId): z.ZodType {
  const { success } = operationOf(id);
  if (success.kind !== "json") throw new RangeError(`${id} answers no JSON`);
  return success.schema;
}

/** A schema within another, whatever it is wrapped in. */
function within(schema: unknown, step: string): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return within(schema.unwrap(), step);
  if (step === "[]" && schema instanceof z.ZodArray) return schema.element;
  return schema instanceof z.ZodObject ? schema.shape[step] : undefined;
}

function takes(id: OperationId, steps: readonly string[], value: null | undefined): boolean {
  const field = steps.reduce(within, answerOf(id) as unknown);
  if (!(field instanceof z.ZodType)) throw new RangeError(`${id} answers no ${steps.join(".")}`);
  return field.safeParse(value).success;
}

const cases = ROWS.flatMap(({ ids, fields, in: place, ...row }) =>
  ids.flatMap((id) =>
    fields.map((field) => ({ ...row, id, steps: [...(place === undefined ? [] : place.split(".")), field] })),
  ),
);

describe("answers take what the documents say of nulls and of absent fields", () => {
  test.each(cases)("$id: $steps may $may", ({ words, id, steps, may }) => {
    expect(DOCUMENTS).toContain(words);
    expect(takes(id, steps, may === "be null" ? null : undefined)).toBe(true);
  });

  test.each([
    { words: "ApiKey: only `name` is certain.", id: "apiKeys.get", steps: ["name"] },
    { words: "db_port > 0", id: "branches.get", steps: ["db_port"] },
  ] as const)("$id: $steps is neither", ({ words, id, steps }) => {
    expect(DOCUMENTS).toContain(words);
    expect([takes(id, steps, null), takes(id, steps, undefined)]).toEqual([false, false]);
  });

  test("a branch's port is above 0", () => {
    const port = within(answerOf("branches.get"), "db_port");
    expect(port).toBeInstanceOf(z.ZodType);
    expect([0, 1].map((value) => z.instanceof(z.ZodType).parse(port).safeParse(value).success)).toEqual([false, true]);
  });
});
