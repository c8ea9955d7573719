import type { CelValidation } from "../rules.ts";

interface NumberOrText {
  /** of the text, for both regular expression engines */
  readonly pattern: string;
  /** CEL over `self` where it is a number */
  readonly rule: string;
  /** what to write instead */
  readonly message: string;
}

/**
 * What the definition says of a member that may be written as a number or as text. The text is held to its pattern alone: the apiserver reckons
 * that a CEL rule may be given a text of any length there, whatever limit stands beside it, and refuses a definition with many of them.
 */
export function numberOrText({ pattern, rule, message }: NumberOrText): {
  readonly pattern: string;
  readonly "x-kubernetes-int-or-string": true;
  readonly "x-kubernetes-validations": readonly CelValidation[];
} {
  return {
    pattern,
    "x-kubernetes-int-or-string": true,
    "x-kubernetes-validations": [{ rule: `type(self) != int || (${rule})`, message }],
  };
}
