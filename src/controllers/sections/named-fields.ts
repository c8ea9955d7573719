/** Fields that the platform's words name, where it refuses a request as a whole. */

/** A declared field. */
interface Named {
  /** its path in the spec */
  readonly field: string;
  /** dotted path in the endpoint's JSON */
  readonly wire: string;
}

/**
 * The declared fields that words name as the endpoint's JSON does, with those that stand or fall with them: a provider is not switched on before its secret
 * is there. None where that is all of them, for then nothing is left to be written without them. Pure.
 *
 * @param prefix path of the section in the spec, as `spec.auth`
 * @param declared all that is declared of the section
 */
export function namedFields(
  { prefix, declared }: { readonly prefix: string; readonly declared: readonly Named[] },
  words: string,
): readonly string[] {
  const named = declared.filter(({ wire }) => isNamed(words, wire)).map(({ field }) => field);
  const inner = (field: string): string => field.slice(prefix.length + 1);
  const fields = declared
    .map(({ field }) => field)
    .filter((field) => named.some((one) => one === field || areTogether(inner(one), inner(field))));
  return fields.length === declared.length ? [] : fields;
}

/** Whether a name stands in words, as a whole word of its own. */
function isNamed(words: string, name: string): boolean {
  for (let at = words.indexOf(name); at !== -1; at = words.indexOf(name, at + 1)) {
    const [before, after] = [words.charAt(at - 1), words.charAt(at + name.length)];
    if (!/\w/u.test(before) && !/\w/u.test(after)) return true;
  }
  return false;
}

/** Whether one of two fields lies in the group of the other, or below it. What lies in the section itself has no group. */
function areTogether(a: string, b: string): boolean {
  const isWithin = (field: string, other: string): boolean => {
    const group = other.slice(0, Math.max(0, other.lastIndexOf(".")));
    return group !== "" && field.startsWith(`${group}.`);
  };
  return isWithin(a, b) || isWithin(b, a);
}
