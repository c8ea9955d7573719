import fc from "fast-check";
import { z } from "zod";
import { declaredSettings, valuesOf, valuesOfSchema } from "./declared.ts";
import { isTaken } from "./refused-draws.ts";

/** Whole specs, drawn from their schema: a field that is added is declared without another line. */

export type Spec = Readonly<Record<string, unknown>>;

/**
 * What an object's members can be declared as, each of them or not; rules over several of them are kept.
 *
 * @param given members that are not drawn, by dotted path; undefined: not declared
 */
export function specsOf(object: z.ZodObject, given: Spec = {}): fc.Arbitrary<Spec> {
  const settings = new Map(declaredSettings(object).map((one) => [one.path, one]));
  const drawn = Object.entries<unknown>(object.shape).filter(([name]) => !Object.hasOwn(given, name));
  const members = drawn.map(([name, member]): readonly [string, fc.Arbitrary<unknown>] => {
    const schema = plain(member);
    const setting = settings.get(name);
    if (setting !== undefined) return [name, valuesOf(setting)];
    return [name, schema instanceof z.ZodObject ? specsOf(schema, under(name, given)) : valuesOfSchema(schema)];
  });
  const requiredKeys = drawn.filter(([, member]) => !isOptional(member)).map(([name]) => name);
  return fc
    .record(Object.fromEntries(members), { requiredKeys })
    .map((declared) => withoutUndefined({ ...declared, ...under("", given) }))
    .filter((declared) => isTaken(object, declared));
}

/** What is given of a member, or of the object itself. @param name of the member; "": the object */
function under(name: string, given: Spec): Spec {
  const prefix = name === "" ? "" : `${name}.`;
  const mine = Object.entries(given).filter(([path]) => path.startsWith(prefix));
  const cut = mine.map(([path, value]): readonly [string, unknown] => [path.slice(prefix.length), value]);
  return Object.fromEntries(name === "" ? cut.filter(([path]) => !path.includes(".")) : cut);
}

function withoutUndefined(spec: Spec): Spec {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
}

function isOptional(member: unknown): boolean {
  return member instanceof z.ZodOptional || member instanceof z.ZodDefault;
}

function plain(member: unknown): z.ZodType {
  const inner: unknown =
    member instanceof z.ZodOptional || member instanceof z.ZodDefault ? member.unwrap() : undefined;
  if (inner !== undefined) return plain(inner);
  if (member instanceof z.ZodType) return member;
  throw new TypeError("a member of an object schema is a schema");
}
