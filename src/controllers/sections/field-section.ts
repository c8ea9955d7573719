import type { z } from "zod";
import { settingsOf, type SettingRow, valueAt, type Wire } from "../../resources/settings/setting.ts";
import type { SectionEntry } from "../../resources/settings/status.ts";
import { calling, unexpected } from "../shared/failures.ts";
import { bodyOf, declaredRows, type FieldChange, planFields, wantedValues } from "./field-plan.ts";
import { compareSecrets, type Inputs, markOf, readInputs, referencesIn, rememberSent } from "./inputs.ts";
import { digestOf } from "./memory.ts";
import { namedFields } from "./named-fields.ts";
import { isRefusal, withNeeds, withPlans } from "./refusal.ts";
import { requestBody } from "./request-body.ts";
import {
  type Section,
  type SectionAt,
  type SectionLook,
  type SectionProgress,
  type Sections,
  type SentFields,
  SETTLED,
} from "./section.ts";

/** Sections whose endpoint is read as one JSON object and takes any subset of its fields: all that they need is their settings. */

/** What of a section its settings do not tell. */
export interface FieldSection<Answer, Body> {
  readonly name: string;
  readonly about: string;
  readonly operations: readonly string[];
  /** as Section has it */
  readonly lacks?: string;
  readonly needs?: string;
  /** words for messages, as `the realtime settings` */
  readonly title: string;
  readonly settings: z.ZodObject;
  declared(spec: Sections): unknown;
  /** what declares a setting, where that is another member of the section, by the setting's path; default: nothing does */
  declaredBy?(spec: Sections): ReadonlyMap<string, string>;
  read(at: SectionAt): Promise<Answer>;
  /** the request's schema, by which a body is checked before it is sent */
  readonly body: z.ZodType<Body>;
  /** @returns the answer, where it tells what there is then: else it is read */
  write(at: SectionAt, body: Body): Promise<Answer | undefined>;
  /**
   * the answer as it is to be compared, where the service answers fields otherwise than it takes them; default: as it is. Pure.
   *
   * @param wanted what a request would carry for each declared field, by its name in the endpoint's JSON
   */
  compared?(answer: Answer, wanted: ReadonlyMap<string, Wire>): unknown;
  /** plans that a field needs for a value, by its name in the endpoint's JSON and what a request carries for it; default: none needs any */
  plans?(wire: string, value: Wire | undefined): readonly string[] | undefined;
  /** the add-on that a field needs, by its name in the endpoint's JSON; default: none needs any */
  addon?(wire: string): string | undefined;
  /**
   * A body with what the endpoint asks for beside the fields that are due, as it is; default: nothing.
   *
   * @param read tells how it is right before the write: asked only where something is missing
   */
  complete?(
    body: Readonly<Record<string, unknown>>,
    read: () => Promise<Answer>,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** what is not in force yet, as an answer tells; default: all is */
  progress?(answer: Answer): SectionProgress;
  /** a change of the field restarts the database; default: none does */
  restarts?(change: FieldChange): boolean;
}

interface Found<Answer> {
  readonly at: SectionAt;
  readonly rows: readonly SettingRow[];
  readonly declared: unknown;
  readonly declaredBy: ReadonlyMap<string, string> | undefined;
  readonly inputs: Inputs;
  readonly answer: Answer;
  readonly entry: SectionEntry | undefined;
}

/** @param options what of it its settings do not tell */
export function fieldSection<Answer, Body>(options: FieldSection<Answer, Body>): Section {
  const { name, about, operations, lacks, needs, settings } = options;
  const rows = settingsOf(settings);
  const referring = rows.filter(({ source }) => source !== "spec");
  return {
    name,
    about,
    operations,
    ...(lacks === undefined ? {} : { lacks }),
    ...(needs === undefined ? {} : { needs }),
    declared: (spec) => options.declared(spec),
    references: (spec) => {
      const declared = options.declared(spec);
      return referencesIn(declaredRows(referring, declared), declared);
    },
    madeOf: async (at, spec, marking) => {
      const declared = options.declared(spec);
      const inputs = await readInputs(at, declaredRows(referring, declared), declared);
      return markOf(at, inputs, { ...marking, fieldOf: fieldsBy(options, options.declaredBy?.(spec)) });
    },
    look: async (at, spec, entry) => {
      const declared = options.declared(spec);
      const mine = declaredRows(rows, declared);
      const inputs = await readInputs(at, mine, declared);
      const answer = await calling(`read ${options.title}`, () => options.read(at));
      // Whatever is declared: an answer without any field of the section is one of something else.
      if (rows.every(({ wire }) => valueAt(answer, wire) === undefined)) {
        throw unexpected(`read ${options.title}`, "the answer has none of them");
      }
      const declaredBy = options.declaredBy?.(spec);
      return lookAt(options, { at, rows: mine, declared, declaredBy, inputs, answer, entry });
    },
  };
}

/** What a setting is called in the spec, by its path in the section. */
function fieldsBy(
  { name }: Pick<FieldSection<unknown, unknown>, "name">,
  declaredBy: ReadonlyMap<string, string> | undefined,
): (path: string) => string {
  return (path) => `spec.${name}.${declaredBy?.get(path) ?? path}`;
}

async function lookAt<Answer, Body>(
  options: FieldSection<Answer, Body>,
  found: Found<Answer>,
  remembered?: SentFields,
): Promise<SectionLook> {
  const { at, rows, declared, declaredBy, inputs, answer, entry } = found;
  const prefix = `spec.${options.name}`;
  const { secrets, texts } = inputs;
  const values = wantedValues({ rows, declared, texts });
  const observed = options.compared?.(answer, values) ?? answer;
  const base = remembered === undefined ? entry : { ...(entry ?? newEntry(options.name)), secrets: [...remembered] };
  const { known, kept } = await compareSecrets({ at, prefix, rows, secrets, observed: answer, entry: base });
  const changes = planFields({ prefix, rows, declared, declaredBy, texts, secrets: known, observed });
  const fieldOf = fieldsBy(options, declaredBy);
  const fields = rows.map(({ path, wire }) => ({ field: fieldOf(path), wire }));
  const byField = new Map(changes.map((change) => [change.field, change]));
  return {
    changes,
    progress: options.progress?.(answer) ?? SETTLED,
    ...(options.progress === undefined || fields.length === 0 ? {} : { awaited: fields.map(({ field }) => field) }),
    madeOf: (marking) => markOf(at, inputs, { ...marking, fieldOf }),
    ...(secrets.size === 0 ? {} : { secrets: kept }),
    ...(inputs.documents.length === 0 ? {} : { documents: inputs.documents }),
    ...gatesOfFields(options, { rows, values }, (field) => byField.get(field)?.wire ?? ""),
    named: (words) => namedFields({ prefix, declared: fields }, words),
    ...(options.restarts === undefined ? {} : { standing: standingOf(rows, observed) }),
    restarts: (due) =>
      due.some(({ field }) => {
        const change = byField.get(field);
        return change !== undefined && (options.restarts?.(change) ?? false);
      }),
    write: async (due, { send }) => {
      const making = due.flatMap(({ field }) => byField.get(field) ?? []);
      const wanted = bodyOf(making);
      const readAgain = (): Promise<Answer> => calling(`read ${options.title}`, () => options.read(at));
      const whole = await options.complete?.(wanted, readAgain);
      const body = requestBody(options.body, whole ?? wanted, making);
      const told = await writing(options, { at, making }, () => send((call) => options.write({ ...at, call }, body)));
      const next = told ?? (await calling(`read ${options.title} after a change`, () => options.read(at)));
      const written = new Set(making.map(({ field }) => field));
      const sent = await rememberSent({ at, prefix, rows, secrets, kept, written, observed: next });
      return lookAt(options, { ...found, answer: next }, sent);
    },
  };
}

/** What there is of what is declared. */
function standingOf(rows: readonly SettingRow[], observed: unknown): string {
  return digestOf(rows.map(({ wire }) => valueAt(observed, wire) ?? null));
}

/** What the fields of a section hang on: the plans that have them, or an add-on. */
function gatesOfFields<Answer, Body>(
  options: FieldSection<Answer, Body>,
  { rows, values }: { readonly rows: readonly SettingRow[]; readonly values: ReadonlyMap<string, Wire> },
  wireOf: (field: string) => string,
): Pick<SectionLook, "hangsOn" | "gate"> {
  const gate = (wire: string): string | undefined =>
    options.plans?.(wire, values.get(wire))?.join() ?? options.addon?.(wire);
  const [first, ...gates] = new Set(rows.map(({ wire }) => gate(wire)));
  return {
    ...(first === undefined || gates.length > 0 ? {} : { hangsOn: first }),
    // Where all hang on one, nothing is left to be written or looked at without them.
    ...(rows.length === 0 || (first !== undefined && gates.length === 0)
      ? {}
      : { gate: (field) => gate(wireOf(field)) }),
  };
}

/** @throws as `calling` does; of what a plan does not allow, with the plans that the fields need */
async function writing<Answer, Body>(
  options: FieldSection<Answer, Body>,
  { at, making }: { readonly at: SectionAt; readonly making: readonly FieldChange[] },
  write: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  try {
    return await calling(`change ${options.title}`, write);
  } catch (error) {
    const gated = making.flatMap(({ field, wire, value }) => {
      const plans = options.plans?.(wire, value);
      return plans === undefined ? [] : [{ field, plans }];
    });
    const plan = gated.length > 0 && isRefusal(error) ? await organizationPlan(at) : undefined;
    const planned = withPlans(error, { fields: gated.map(({ field }) => field), plans: gated[0]?.plans, plan });
    const wanting = making.flatMap(({ field, wire }) => {
      const addon = options.addon?.(wire);
      return addon === undefined ? [] : [{ field, addon }];
    });
    if (wanting.length === 0 || !isRefusal(error)) throw planned;
    const selected = await selectedTypes(at);
    const [first] = wanting.flatMap(({ field, addon }) =>
      selected.has(addon) ? [] : [{ field, needs: `the add-on ${addon}, which is selected on the platform` }],
    );
    throw first === undefined ? planned : withNeeds(planned, first);
  }
}

/** Plan of the organization; undefined where that cannot be told, which whoever notes the refusal is told as well. */
async function organizationPlan({ plan }: SectionAt): Promise<string | undefined> {
  try {
    return (await plan()) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Types of the add-ons that are selected; none where that cannot be told, which whoever notes the refusal is told as well. */
async function selectedTypes({ addons }: SectionAt): Promise<ReadonlySet<string>> {
  try {
    return new Set((await addons.get()).selected_addons.map(({ type }) => type));
  } catch {
    return new Set();
  }
}

function newEntry(name: string): SectionEntry {
  return { name, state: "Applying" };
}
