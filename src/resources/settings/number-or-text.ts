import type { z } from "zod";
import { celString, type CelValidation } from "../rules.ts";

/** What takes a whole number, written as a number or as text. */
export type NumberOrText = z.ZodUnion<readonly [z.ZodInt, z.ZodString]>;

interface NumberOrTextForm {
  /** of the text, for both regular expression engines */
  readonly pattern: string;
  /** what of the pattern the message can tell of, as short as may be: the apiserver reckons the cost of the rule by its length */
  readonly form: string;
  /** CEL over `self` where it is a number */
  readonly rule: string;
  /** CEL over `self` where it is a text of that form; absent: the form is all */
  readonly textRule?: string;
  /** what to write instead */
  readonly message: string;
}

/**
 * What the definition says of a member that may be written as a number or as text. Its rule has the words that say what to write; the pattern beside it,
 * which is exact, has none. The apiserver reckons that the rule may be given a text of any length, whatever limit stands beside it, and takes only so
 * much of that in all rules of a definition: hence a short form.
 */
export function numberOrText({ pattern, form, rule, textRule, message }: NumberOrTextForm): {
  readonly pattern: string;
  readonly "x-kubernetes-int-or-string": true;
  readonly "x-kubernetes-validations": readonly CelValidation[];
} {
  const ofText = [`self.matches(${celString(form)})`, ...(textRule === undefined ? [] : [textRule])].join(" && ");
  return {
    pattern,
    "x-kubernetes-int-or-string": true,
    "x-kubernetes-validations": [{ rule: `type(self) == int ? ${rule} : ${ofText}`, message }],
  };
}
