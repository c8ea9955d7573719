import { z } from "zod";

/** Every member of a schema, and every member of those, by dotted path. */
export function pathsOf(object: z.ZodObject, prefix = ""): readonly string[] {
  return Object.entries<unknown>(object.shape).flatMap(([name, member]) => {
    const path = `${prefix}${name}`;
    const schema = member instanceof z.ZodOptional || member instanceof z.ZodDefault ? member.unwrap() : member;
    return schema instanceof z.ZodObject ? [path, ...pathsOf(schema, `${path}.`)] : [path];
  });
}
