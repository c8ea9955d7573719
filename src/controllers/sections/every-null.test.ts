import { describe, expect, it } from "vitest";
import { z } from "zod";
import { wordForNull } from "../../../test/support/sections/declared.ts";
import type { AuthField } from "../../api/contract/auth-config-field.ts";
import { authConfigFields } from "../../api/contract/auth-config-fields.ts";
import { operations } from "../../api/contract/contract.ts";
import { AUTOMATIC } from "../../resources/settings/automatic.ts";
import { settingsOf } from "../../resources/settings/setting.ts";
import { projectSettingsFields } from "../../resources/settings/settings.ts";
import { sections } from "./sections.ts";

/** That whatever a request of a section takes as null can be declared so, or has a reason here: what is taken out of the spec is left as it is. */

const FIELDS: Readonly<Record<string, AuthField>> = authConfigFields;

/** Fields that no word unsets, and why. */
const UNWORDED: Readonly<Record<string, string>> = {
  external_apple_client_id: "there is no provider without it: providers.apple.enabled: false is out of use",
  smtp_admin_email: "of a mail server, which is out of use without a host: smtp.host: ''",
  smtp_port: "as smtp_admin_email",
};

/** Why null of the field says nothing that cannot be said otherwise, or nothing that could be compared. */
function reasonOf(wire: string): string | undefined {
  const field = FIELDS[wire];
  if (field === undefined) return undefined;
  if (field.type === "boolean") return "null is false";
  if (field.secret === true) return "a Secret has a value: what uses it is switched off";
  return field.default === null ? UNWORDED[wire] : "the answer has the platform's own value in the place of null";
}

/** Dotted paths of what a body may carry as null. */
function nullsOf(schema: unknown, prefix = ""): readonly string[] {
  if (schema instanceof z.ZodOptional) return nullsOf(schema.unwrap(), prefix);
  if (schema instanceof z.ZodNullable) return [prefix, ...nullsOf(schema.unwrap(), prefix)];
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((one) => nullsOf(one, prefix));
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries<unknown>(schema.shape).flatMap(([name, member]) =>
    nullsOf(member, prefix === "" ? name : `${prefix}.${name}`),
  );
}

const rows = settingsOf(z.object(projectSettingsFields));

const nulls = sections.flatMap(({ name, operations: ids }) =>
  operations
    .filter(({ id }) => ids.includes(id))
    .flatMap(({ body }) => (body?.encoding === "json" ? nullsOf(body.schema) : []))
    .map((wire) => ({ wire, row: rows.find((one) => one.wire === wire && one.path.startsWith(`${name}.`)) })),
);

/** The word for null of each field that has one. */
const words = new Map(
  nulls.flatMap(({ wire, row }) => {
    const word = row === undefined ? undefined : wordForNull(row);
    return word === undefined ? [] : [[wire, word] as const];
  }),
);

describe("null of a request", () => {
  it("is a word of the spec, or has a reason in this file", () => {
    expect(nulls.length).toBeGreaterThan(200);
    expect(nulls.filter(({ wire }) => !words.has(wire) && reasonOf(wire) === undefined)).toEqual([]);
  });

  it("has a reason only where there is no word", () => {
    expect(Object.keys(UNWORDED).filter((wire) => words.has(wire))).toEqual([]);
  });

  it("is Automatic where the platform chooses, None of a choice, and an empty text of a moment", () => {
    expect(Object.fromEntries(words)).toMatchObject({
      db_pool: AUTOMATIC,
      default_pool_size: AUTOMATIC,
      security_captcha_provider: "None",
      sms_test_otp_valid_until: "",
    });
  });

  it("is the same as null of an answer, and as no value that somebody gave it", () => {
    const told = nulls.flatMap(({ row }) => {
      if (row === undefined || !words.has(row.wire)) return [];
      const word = words.get(row.wire);
      const somebodys = word === AUTOMATIC ? 17 : "a";
      const wanted = row.encode(word);
      return row.isSame(wanted, null) && !row.isSame(wanted, somebodys) ? [] : [row.path];
    });
    expect(told).toEqual([]);
  });
});
