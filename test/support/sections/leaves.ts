import { z } from "zod";

/** Dotted paths of every value that a request's body can carry, or an answer; items of a list count as what stands in its place. */
export function leavesOf(schema: unknown, prefix = ""): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return leavesOf(schema.unwrap(), prefix);
  if (schema instanceof z.ZodArray) return leavesOf(schema.element, prefix);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((one) => leavesOf(one, prefix));
  if (!(schema instanceof z.ZodObject)) return [prefix];
  return Object.entries<unknown>(schema.shape).flatMap(([name, member]) =>
    leavesOf(member, prefix === "" ? name : `${prefix}.${name}`),
  );
}
