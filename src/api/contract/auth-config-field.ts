import type { Plan } from "./operation.ts";

/**
 * What one field of AuthConfig is, as data, and the rows that many fields share. The rows themselves stand by group in
 * auth-config-fields-*.ts, the whole table in auth-config-fields.ts; schemas and types follow from it in auth-config.ts.
 */
export interface AuthField {
  /** `date-time`: ISO 8601 text; `enum`: text of `values` */
  readonly type: "boolean" | "integer" | "number" | "string" | "enum" | "date-time";
  /**
   * Where null may stand (facts.md §2 and §3).
   * - `always`: in requests, where it unsets the field, and in answers
   * - `request`: in requests alone; an answer says the default instead
   * - `answer`: in answers alone, of a field that no request may carry
   * - `never`: nowhere
   */
  readonly nullable: "always" | "request" | "answer" | "never";
  /** what a fresh project answers (facts.md §4); what `null` brings back */
  readonly default: string | number | boolean | null;
  /** all that an `enum` may be, known today */
  readonly values?: readonly string[];
  /** smallest and largest number */
  readonly min?: number;
  readonly max?: number;
  /** what text must look like, and how to say so */
  readonly pattern?: { readonly regex: RegExp; readonly says: string };
  readonly format?: "email";
  /** read back as a digest, never as it was written (facts.md §6.3) */
  readonly secret?: true;
  /** answered as it was written, and told by neither a log nor a refusal */
  readonly untold?: true;
  /** "(resp)" in the catalogue: part of answers, refused in requests */
  readonly responseOnly?: true;
  /**
   * Texts that mean the same to the service, which answers one of them.
   * - `list`: items between commas, without blanks around them and without empty items
   * - `name`: letters in lower case, as in names of hosts
   */
  readonly normal?: "list" | "name";
  /** plans on which a request may carry it; absent: all (facts.md §5, "plan-gated hook fields") */
  readonly plans?: readonly Plan[];
}

/** Rows by field name. */
export type AuthFields = Readonly<Record<string, AuthField>>;

/** Largest value of the service's integers (facts.md §2, "rate limits 1–2147483647"). */
export const INT4_MAX = 2_147_483_647;

const unset = { nullable: "always", default: null } as const;

/** "*_enabled are false" (facts.md §3) */
export const OFF = { type: "boolean", nullable: "always", default: false } as const satisfies AuthField;
export const TEXT = { type: "string", ...unset } as const satisfies AuthField;
export const LIST = { type: "string", normal: "list", ...unset } as const satisfies AuthField;
export const NAME = { type: "string", normal: "name", ...unset } as const satisfies AuthField;
export const SECRET = { type: "string", secret: true, ...unset } as const satisfies AuthField;

/** Text that is never absent on a fresh project. */
export const text = (initial: string) => ({ type: "string", nullable: "always", default: initial }) as const;

/** A whole number from 0 up, or within a range. */
export const integer = (initial: number, range: { readonly min?: number; readonly max?: number } = {}) =>
  ({ type: "integer", nullable: "always", default: initial, min: 0, max: INT4_MAX, ...range }) as const;

/** Rows named `<prefix><name><suffix>` for every name and suffix: "For each" of the catalogue. */
export type Each<Prefix extends string, Name extends string, Rows extends AuthFields> = {
  readonly [K in `${Prefix}${Name}${keyof Rows & string}`]: {
    [Suffix in keyof Rows & string]: K extends `${Prefix}${Name}${Suffix}` ? Rows[Suffix] : never;
  }[keyof Rows & string];
};

/** @param rows by suffix */
export function each<const Prefix extends string, const Name extends string, const Rows extends AuthFields>(
  prefix: Prefix,
  names: readonly Name[],
  rows: Rows,
): Each<Prefix, Name, Rows> {
  const made = names.flatMap((name) =>
    Object.entries(rows).map(([suffix, row]) => [`${prefix}${name}${suffix}`, row] as const),
  );
  return Object.fromEntries(made) as Each<Prefix, Name, Rows>; // the names are those of the type, made by the same rule
}
