import { z } from "zod";
import { member } from "../json.ts";

/**
 * What a schema says of each place in a value that need not fit it. One walk for what is secret there and for what is declared: where the two
 * differed, a secret in a structure that nobody asked for was neither.
 */

export type Form = z.core.$ZodTypes;

/** A place in a value. It does not know where it is: of all places together that would take as much as the value is deep and wide, one times the other. */
export interface Place {
  readonly value: unknown;
  /** all that it may be, with what is wrapped around that, which may bear a mark; empty: nothing declares it */
  readonly forms: readonly Form[];
  /**
   * What it may have been meant as where the structure is not as declared, such as names for a list: enough to hide it, and never to show it, since
   * what somebody writes in a structure of his own may be anything.
   */
  readonly misplaced: readonly Form[];
  /** of a list */
  readonly isItem: boolean;
}

/** What is declared of a place, as a `Place` has it of its value. */
interface Declared {
  readonly fitting: readonly z.core.$ZodType[];
  readonly misplaced: readonly z.core.$ZodType[];
}

type Forms = Omit<Place, "value" | "isItem">;
const NOTHING: Forms = { forms: [], misplaced: [] };

/** @param schema undefined: nothing is declared */
export function placeOf(schema: z.core.$ZodType | undefined, value: unknown): Place {
  return placed({ fitting: schema === undefined ? [] : [schema], misplaced: [] }, value, false);
}

/** The items of an array, the fields of an object, one after the other; of any other value none. */
export function* placesWithin(place: Place): Generator<readonly [key: string, part: Place], void> {
  const { value } = place;
  if (typeof value !== "object" || value === null) return;
  const ofItem = Array.isArray(value) ? itemOf(place) : undefined;
  const single = ofItem === undefined ? undefined : placed(ofItem, undefined, true);
  for (const key of Object.keys(value)) {
    const part: unknown = Reflect.get(value, key);
    const isAlike = single !== undefined && typeof part !== "object"; // what of a list is no structure may be all the same
    const isItem = ofItem !== undefined;
    yield [key, isAlike ? { ...single, value: part } : placed(ofItem ?? fieldOf(place, key), part, isItem)];
  }
}

/** One of these, without a look at the others; undefined where nothing has that name. */
export function placeWithin(place: Place, key: string): Place | undefined {
  const { value } = place;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  const isItem = Array.isArray(value);
  return placed(isItem ? itemOf(place) : fieldOf(place, key), Reflect.get(value, key), isItem);
}

function placed({ fitting, misplaced }: Declared, value: unknown, isItem: boolean): Place {
  if (fitting.length + misplaced.length === 0) return { value, isItem, ...NOTHING };
  const forms = formsOf(fitting, value);
  const others = formsOf(misplaced, value);
  // an item that somebody forgot to wrap
  const alone = typeof value === "object" ? [] : [...forms, ...others].flatMap((form) => withinLists(form, value));
  return { value, isItem, forms, misplaced: [...others, ...alone] };
}

function formsOf(schemas: readonly z.core.$ZodType[], value: unknown): readonly Form[] {
  return schemas.flatMap((schema) => {
    const form = schema as Form; // narrowing a schema by its definition is what zod documents this union for
    return [form, ...formsOf(wrappedIn(form, value), value)];
  });
}

/** What a schema is wrapped around. */
function wrappedIn({ _zod: { def } }: Form, value: unknown): readonly z.core.$ZodType[] {
  if (def.type === "union") return optionsFor(def, value);
  if (def.type === "intersection") return [def.left, def.right];
  if (def.type === "pipe") return [def.in, def.out];
  return "innerType" in def ? [def.innerType] : [];
}

function isWrapper(form: Form): boolean {
  return wrappedIn(form, undefined).length > 0;
}

/** What is declared of the items of a list, and of what stands under any name. */
function partsOf({ _zod: { def } }: Form): readonly z.core.$ZodType[] {
  if (def.type === "array") return [def.element];
  return def.type === "record" ? [def.valueType] : [];
}

/** The same through all such that are within one another. */
function withinLists(form: Form, value: unknown): readonly Form[] {
  return formsOf(partsOf(form), value).flatMap((part) => [part, ...withinLists(part, value)]);
}

/** The alternative that the value's own discriminator names; all of them where nothing tells which it is. */
function optionsFor(def: z.core.$ZodUnionDef, value: unknown): readonly z.core.$ZodType[] {
  if (!("discriminator" in def) || typeof def.discriminator !== "string") return def.options;
  const { discriminator } = def;
  const named = def.options.filter((option) => {
    const shape = (option as Form)._zod.def;
    const field = shape.type === "object" ? shape.shape[discriminator] : undefined;
    return field !== undefined && z.safeParse(field, member(value, discriminator)).success;
  });
  return named.length > 0 ? named : def.options;
}

/**
 * Of an array where none is declared each item is what is: a parameter may be given more than once, and a body in a list. Within another list it is
 * neither: pairs of names and values may be what somebody made of an object.
 */
function itemOf({ forms, misplaced, isItem }: Place): Declared {
  const itemsOf = (form: Form): readonly z.core.$ZodType[] => {
    const parts = partsOf(form);
    return parts.length > 0 || isWrapper(form) ? parts : [form];
  };
  const [lists, others] = divided(forms, "array");
  const [named, repeated] = divided(others, "record");
  return {
    fitting: [...lists, ...(isItem ? [] : repeated)].flatMap(itemsOf),
    misplaced: [...named, ...(isItem ? repeated : []), ...misplaced].flatMap(itemsOf),
  };
}

function fieldOf({ forms, misplaced }: Forms, key: string): Declared {
  const [name = key] = key.split("[", 1); // `page[size]` is of `page`
  const fieldsOf = ({ _zod: { def } }: Form): readonly z.core.$ZodType[] => {
    const field = def.type === "object" && Object.hasOwn(def.shape, name) ? def.shape[name] : undefined;
    return field === undefined ? [] : [field];
  };
  const field = within(
    { fitting: forms.flatMap(fieldsOf), misplaced: misplaced.flatMap(fieldsOf) },
    key.slice(name.length + 1, -1),
  );
  const [lists, others] = divided(forms, "array");
  return {
    fitting: [...others.flatMap(partsOf), ...field.fitting],
    misplaced: [...[...lists, ...misplaced].flatMap(partsOf), ...field.misplaced],
  };
}

/** @param key what stands in brackets; empty: nothing does */
function within(declared: Declared, key: string): Declared {
  if (key === "" || declared.fitting.length + declared.misplaced.length === 0) return declared;
  return fieldOf({ forms: formsOf(declared.fitting, {}), misplaced: formsOf(declared.misplaced, {}) }, key);
}

function divided(
  forms: readonly Form[],
  type: Form["_zod"]["def"]["type"],
): readonly [are: readonly Form[], others: readonly Form[]] {
  const is = (form: Form): boolean => form._zod.def.type === type;
  return [forms.filter(is), forms.filter((form) => !is(form))];
}
