import { z } from "zod";
import { apiGroup, apiVersion } from "./annotations.ts";
import type { ObjectMeta, ResourceType } from "./meta.ts";
import { objectMetaSchema } from "./meta.ts";
import { type Issue, readDecisive, readSpec, type RefusedSections, type SectionAt } from "./read-spec.ts";
import type { CelValidation, Rule } from "./rules.ts";
import { celValidation } from "./rules.ts";

/** A value as read from the apiserver: shared with the store, so that nobody may change it. */
export type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value;

/** An object of a kind of ours, read and checked. */
export interface TypedObject<Spec, Status> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: DeepReadonly<Spec>;
  readonly status: DeepReadonly<Status>;
  /** what of the spec is wrong and left out of it, by section; absent where nothing is */
  readonly refused?: RefusedSections;
  /** of an object under deletion: what is wrong of its spec, of which then only what says how that is to be was read; absent where it was read whole */
  readonly unread?: string;
}

export type ParseResult<Spec, Status> =
  | { readonly ok: true; readonly object: TypedObject<Spec, Status> }
  | {
      readonly ok: false;
      readonly issues: readonly Issue[];
      /** The issues in one line, for a condition. Holds no values of the object. */
      readonly message: string;
    };

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "boolean" | "date";
  readonly jsonPath: string;
  readonly description: string;
  /** 1 shows it only with `-o wide`. */
  readonly priority?: 1;
}

/** The part of a kind that does not depend on its spec and status: enough for the CRD and for registries of kinds. */
export interface AnyKind {
  readonly type: ResourceType;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly spec: z.ZodObject;
  readonly status: z.ZodObject;
  /** Rules over the whole object. */
  readonly validations: readonly CelValidation[];
  readonly printerColumns: readonly PrinterColumn[];
  readonly selectableFields: readonly string[];
}

/** A kind of ours as data. */
export interface KindDefinition<Spec, Status> extends AnyKind {
  /** Reads an object of this kind. Unknown fields are left out, and so are sections that are wrong and fields of the status that do not fit. */
  parse(object: unknown): ParseResult<Spec, Status>;
  /** The status alone: what deletion needs when the spec cannot be read. */
  parseStatus(object: unknown): DeepReadonly<Status>;
  /** Reads an object under deletion: one that cannot be read whole, by what says how its deletion is to be. */
  parseDeleted(object: unknown): ParseResult<Spec, Status>;
}

interface KindOptions<Spec extends z.ZodObject, Status extends z.ZodObject> {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  /** The text of `kubectl explain` for the kind. */
  readonly description: string;
  readonly spec: Spec;
  readonly status: Status;
  /** Rules over the whole object: those that need metadata.name or the status. */
  readonly rules?: readonly Rule<{ readonly metadata: ObjectMeta; readonly spec: z.output<Spec> }>[];
  /** Columns between Ready and Reason, which come first, and Age, which comes last. */
  readonly printerColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly string[];
  /** the section that a member of the spec belongs to, where the kind has sections */
  readonly sectionAt?: SectionAt;
  /** for members that every spec must have and that say nothing of an object's deletion: what is read for them where the spec cannot be read whole */
  readonly standIns?: Readonly<Record<string, unknown>>;
}

const readyColumns: readonly PrinterColumn[] = [
  {
    name: "Ready",
    type: "string",
    jsonPath: '.status.conditions[?(@.type=="Ready")].status',
    description: "Whether the remote side is as declared.",
  },
  {
    name: "Reason",
    type: "string",
    jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
    description: "Why it is Ready or not.",
  },
];

const closingColumns: readonly PrinterColumn[] = [
  {
    name: "Age",
    type: "date",
    jsonPath: ".metadata.creationTimestamp",
    description: "Time since the object was created.",
  },
  {
    name: "Message",
    type: "string",
    jsonPath: '.status.conditions[?(@.type=="Ready")].message',
    description: "What is the matter and what to do.",
    priority: 1,
  },
];

function toIssues(error: z.ZodError): readonly Issue[] {
  return error.issues.map(({ path, message }) => ({ path: path.map(String).join("."), message }));
}

interface Failure {
  readonly ok: false;
  readonly issues: readonly Issue[];
  readonly message: string;
}

function failure(issues: readonly Issue[]): Failure {
  return {
    ok: false,
    issues,
    message: issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; "),
  };
}

const statusHolder = z.looseObject({ status: z.looseObject({}).optional() });

/** Reads a status field by field, so that one that another version of the operator wrote differently does not hide the recorded identity. */
export function readStatus<Status extends z.ZodObject>(
  schema: Status,
  object: unknown,
): DeepReadonly<z.output<Status>> {
  const holder = statusHolder.safeParse(object);
  const given: Readonly<Record<string, unknown>> = holder.success ? (holder.data.status ?? {}) : {};
  const fitting: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    const value = given[name];
    if (value !== undefined && z.safeParse(field, value).success) fitting[name] = value;
  }
  // Every field of a status is optional or has a default, so that whatever fits field by field parses as a whole.
  return schema.parse(fitting) as DeepReadonly<z.output<Status>>;
}

/** What an object of a kind is, whatever it says. */
function envelopeOf<Kind extends string>(kind: Kind) {
  return z.looseObject({
    apiVersion: z.string(),
    kind: z.literal(kind),
    metadata: objectMetaSchema,
    spec: z.unknown(),
  });
}

/** Reads the objects of a kind. */
function readerOf<Spec extends z.ZodObject, Status extends z.ZodObject>({
  kind,
  spec,
  status,
  rules = [],
  sectionAt = () => undefined,
  standIns = {},
}: KindOptions<Spec, Status>): Pick<KindDefinition<z.output<Spec>, z.output<Status>>, "parse" | "parseDeleted"> {
  const envelope = envelopeOf(kind);

  const typed = (
    object: unknown,
    { apiVersion: givenVersion, metadata }: z.output<typeof envelope>,
    read: z.output<Spec>,
  ): TypedObject<z.output<Spec>, z.output<Status>> => ({
    apiVersion: givenVersion,
    kind,
    metadata,
    spec: read as DeepReadonly<z.output<Spec>>,
    status: readStatus(status, object),
  });

  const parse = (object: unknown): ParseResult<z.output<Spec>, z.output<Status>> => {
    const outer = envelope.safeParse(object);
    if (!outer.success) return failure(toIssues(outer.error));
    const { metadata } = outer.data;
    const inner = readSpec(spec, outer.data.spec, sectionAt);
    if (!inner.ok) return failure(inner.issues);
    const broken = rules.filter(({ holds }) => holds !== undefined && !holds({ metadata, spec: inner.spec }));
    if (broken.length > 0) {
      return failure(broken.map(({ fieldPath = "", message }) => ({ path: fieldPath.replace(/^\./, ""), message })));
    }
    const refused = inner.refused.size === 0 ? {} : { refused: inner.refused };
    return { ok: true, object: { ...typed(object, outer.data, inner.spec), ...refused } };
  };

  /** Rules over the whole object say how a thing is made, and nothing of its end. */
  const parseDeleted = (object: unknown): ParseResult<z.output<Spec>, z.output<Status>> => {
    const read = parse(object);
    const outer = envelope.safeParse(object);
    if (read.ok || !outer.success) return read;
    const decisive = readDecisive(spec, outer.data.spec, standIns);
    if (decisive === undefined) return read;
    return { ok: true, object: { ...typed(object, outer.data, decisive), unread: read.message } };
  };

  return { parse, parseDeleted };
}

/** Defines a kind of the group baas.dev from its schemas. */
export function defineKind<Spec extends z.ZodObject, Status extends z.ZodObject>(
  options: KindOptions<Spec, Status>,
): KindDefinition<z.output<Spec>, z.output<Status>> {
  const { kind, plural, scope, spec, status, rules = [], printerColumns = [], selectableFields = [] } = options;
  return {
    type: { group: apiGroup, version: apiVersion, kind, plural, namespaced: scope === "Namespaced" },
    singular: kind.toLowerCase(),
    shortNames: options.shortNames,
    description: options.description,
    spec,
    status,
    validations: rules.map((rule) => celValidation(rule)),
    printerColumns: [...readyColumns, ...printerColumns, ...closingColumns],
    selectableFields,
    parseStatus: (object) => readStatus(status, object),
    ...readerOf(options),
  };
}
