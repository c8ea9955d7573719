import type { z } from "zod";
import { terminal } from "../shared/failures.ts";
import type { FieldChange } from "./field-plan.ts";

/**
 * A body as the contract's request takes it. What a spec lets pass and no request takes is for its author to put right, and no failure of this program
 * that a repetition could mend: it holds up neither the other sections nor the object.
 *
 * @param making the fields that the body holds
 * @throws TerminalError InvalidSpec: with the field; never with its value
 */
export function requestBody<Body>(schema: z.ZodType<Body>, body: unknown, making: readonly FieldChange[]): Body {
  const { data, error } = schema.safeParse(body);
  if (error === undefined) return data;
  const [issue] = error.issues;
  const path = issue?.path.join(".") ?? "";
  const named = making.filter(({ wire }) => wire === path);
  const fields = (named.length === 0 ? making : named).map(({ field }) => field);
  throw terminal("InvalidSpec", `${fields.join(", ")}: the platform takes no such value: ${issue?.message ?? ""}`);
}
