import type { z } from "zod";

/**
 * Cross-field rules: written once, checked twice. The apiserver evaluates the CEL at apply time; `holds` is the same rule for objects
 * that reach the operator another way (written under an older CRD, or read from a file). Transition rules, which compare with the old
 * object, exist only at the apiserver.
 */
export interface Rule<Value> {
  /** The CEL expression over `self` (and `oldSelf` in a transition rule). */
  readonly cel: string;
  /** What to write instead. */
  readonly message: string;
  /** The child that the error is reported at, as `.region`; absent: the value itself. */
  readonly fieldPath?: string;
  /** How the apiserver labels the error; `FieldValueForbidden` suits transitions. FieldValueDuplicate is not among them: it hides the message. */
  readonly reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired";
  /** The same rule in this process; absent for transition rules. */
  readonly holds?: (value: Value) => boolean;
}

/** A rule as x-kubernetes-validations writes it. */
export interface CelValidation {
  readonly rule: string;
  readonly message: string;
  readonly fieldPath?: string;
  readonly reason?: string;
}

/** The apiserver's half of a rule. */
export function celValidation<Value>(rule: Rule<Value>): CelValidation {
  const { cel, message, fieldPath, reason } = rule;
  return {
    rule: cel,
    message,
    ...(fieldPath === undefined ? {} : { fieldPath }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** Attaches rules to a schema: refinements for this process, metadata for the CRD. Call it last: a schema derived from the result loses them. */
export function ruled<Schema extends z.ZodType>(schema: Schema, rules: readonly Rule<z.output<Schema>>[]): Schema {
  let result = schema;
  for (const { holds, message, fieldPath } of rules) {
    if (holds === undefined) continue;
    const path = fieldPath === undefined ? [] : fieldPath.split(".").filter((part) => part !== "");
    result = result.refine((value) => holds(value), { message, path });
  }
  return result.meta({ ...schema.meta(), "x-kubernetes-validations": rules.map((rule) => celValidation(rule)) });
}

/** Exactly one of the named optional members is set: how a union is written in a structural schema. */
export function exactlyOne<Name extends string>(
  names: readonly Name[],
  message: string,
): Rule<{ readonly [Key in Name]?: unknown }> {
  return {
    cel: `[${names.map((name) => `has(self.${name})`).join(", ")}].exists_one(given, given)`,
    message,
    holds: (value) => names.filter((name) => value[name] !== undefined).length === 1,
  };
}

/**
 * A member of the object keeps its value from creation on. The rule stands on the parent with has() on both sides, because one on the
 * member itself is evaded by removing the member first.
 *
 * @param name the member @param message what to do instead
 */
export function immutable(name: string, message: string): Rule<unknown> {
  return {
    cel: `has(self.${name}) == has(oldSelf.${name}) && (!has(self.${name}) || self.${name} == oldSelf.${name})`,
    message,
    fieldPath: `.${name}`,
    reason: "FieldValueForbidden",
  };
}

/** A string as a CEL literal. */
export function celString(text: string): string {
  return JSON.stringify(text);
}
