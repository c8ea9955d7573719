import type { z } from "zod";
import { badRequest } from "../failure.ts";

/** The history of migrations stands in a table whose owner may have changed it: what is read there is what anybody left in it. */
export function fromHistory<T>(schema: z.ZodType<T>, found: unknown): T {
  const { data, error } = schema.safeParse(found);
  if (error === undefined) return data;
  const [issue] = error.issues;
  const where = issue === undefined ? "" : issue.path.map((part) => `${String(part)}: `).join("");
  throw badRequest(`The history of migrations cannot be read: ${where}${issue?.message ?? "it is another"}`);
}
