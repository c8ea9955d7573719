import { isRecord } from "../../base/is-record.ts";
import { type SettingRow, type Wire, valueAt } from "../../resources/settings/setting.ts";
import type { SectionChange } from "./section.ts";

/** A field that differs, with the value that a request carries. */
export interface FieldChange extends SectionChange {
  /** dotted path in the endpoint's JSON */
  readonly wire: string;
  readonly value: Wire;
}

/** What is known of a declared secret. */
export interface SecretKnown {
  /** the Secret holds something else than was last sent */
  readonly isChanged: boolean;
  /** the platform answers something else in its place than it did after it was sent */
  readonly isTampered: boolean;
}

export interface FieldPlanInput {
  /** path of the section in the spec, as `spec.auth` */
  readonly prefix: string;
  /** the declared settings */
  readonly rows: readonly SettingRow[];
  readonly declared: unknown;
  /** what declares a setting, where that is another member of the section, by the setting's path */
  readonly declaredBy?: ReadonlyMap<string, string> | undefined;
  /** the texts of secrets and documents, by path */
  readonly texts: ReadonlyMap<string, string>;
  readonly secrets: ReadonlyMap<string, SecretKnown>;
  /** the endpoint's answer */
  readonly observed: unknown;
}

/** The settings of a section that are declared. Pure. */
export function declaredRows(rows: readonly SettingRow[], declared: unknown): readonly SettingRow[] {
  return declared === undefined ? [] : rows.filter(({ path }) => valueAt(declared, path) !== undefined);
}

/** The declared fields that differ, each with what is to be sent for it: nothing else is compared or sent (engine.md §6). Pure. */
export function planFields(input: FieldPlanInput): readonly FieldChange[] {
  return input.rows.flatMap((row) => {
    const { path, wire, source } = row;
    const field = `${input.prefix}.${input.declaredBy?.get(path) ?? path}`;
    const value = wantedValue(row, input);
    if (source === "secret") return secretChange({ field, wire, value }, input.secrets.get(path));
    const observed = valueAt(input.observed, wire);
    if (row.isSame(value, observed)) return [];
    const difference = JSON.stringify([observed ?? null, value]);
    return [{ field, wire, value, cause: "declared" as const, difference }];
  });
}

type Wanted = Pick<FieldPlanInput, "rows" | "declared" | "texts">;

function wantedValue(row: SettingRow, { declared, texts }: Omit<Wanted, "rows">): Wire {
  return row.encode(row.source === "spec" ? valueAt(declared, row.path) : texts.get(row.path));
}

/** What a request would carry for each declared field, by its name in the endpoint's JSON. Pure. */
export function wantedValues(wanted: Wanted): ReadonlyMap<string, Wire> {
  return new Map(wanted.rows.map((row) => [row.wire, wantedValue(row, wanted)]));
}

/** Never with its value: what differs is told by what was sent. */
function secretChange(
  at: Pick<FieldChange, "field" | "wire" | "value">,
  known: SecretKnown | undefined,
): readonly FieldChange[] {
  if (known?.isChanged === true) return [{ ...at, cause: "edit", difference: "", remembered: true }];
  return known?.isTampered === true ? [{ ...at, cause: "declared", difference: "" }] : [];
}

/** A JSON object with values at dotted paths. Pure. */
export function bodyOf(changes: readonly Pick<FieldChange, "wire" | "value">[]): Readonly<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const { wire, value } of changes) {
    const names = wire.split(".");
    const last = names.pop() ?? wire;
    let at = body;
    for (const name of names) {
      const next: Record<string, unknown> = {};
      const there = (at[name] ??= next);
      at = isRecord(there) ? there : next;
    }
    at[last] = value;
  }
  return body;
}
