/** A declared field that nobody can change of what is there already. */
interface FixedField {
  /** dotted path */
  readonly field: string;
  readonly declared: string | boolean | undefined;
  /** undefined: not known */
  readonly found: string | boolean | undefined;
}

/** What the note of an adoption goes on with, where what was taken over was made otherwise than declared; else nothing. Pure. */
export function madeOtherwise(fields: readonly FixedField[]): string {
  const differing = fields.filter(
    ({ declared, found }) => declared !== undefined && found !== undefined && declared !== found,
  );
  if (differing.length === 0) return "";
  const told = differing.map(({ field, declared, found }) => `${field} is ${found} and not ${declared}`);
  return `; it was made otherwise than declared, and stays so: ${told.join(", ")}`;
}
