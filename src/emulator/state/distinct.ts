import { z } from "zod";

/**
 * A list in which no two things have the same key: nothing would be left of one of them.
 *
 * @param what a thing with the same key, in words, which never hold the key: it may be a token
 */
export function distinct<S extends z.ZodType>(
  item: S,
  key: (one: z.output<S>) => string | undefined,
  what: string,
): z.ZodDefault<z.ZodArray<S>> {
  return z
    .array(item)
    .superRefine((list, context) => {
      const seen = new Set<string>();
      for (const [index, one] of list.entries()) {
        const name = key(one);
        if (name === undefined) continue;
        if (seen.has(name)) {
          context.addIssue({ code: "custom", path: [index], message: `there is a ${what} before it` });
        }
        seen.add(name);
      }
    })
    .default([]);
}
