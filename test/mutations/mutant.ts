/**
 * test/mutations: the register of mutants. A mutant is a copy of the program with one small mistake that breaks one promise, of engine.md or
 * of the emulator; the test named beside it must fail for it, which kills it. One that survives is a promise that nothing guards. sections/ holds
 * the register, a file for each section; the rest runs it (`npm run test:mutations`). Never here: a test of the program, or a mutant that only the
 * compiler would see.
 */

/** The tests that must fail for a mutant. */
export interface Killer {
  readonly project: "unit" | "loopback" | "e2e" | "matrix" | "soak";
  /** paths from the root */
  readonly files: readonly [string, ...string[]];
  /** part of a test's full name, as a pattern: the others of the files take long, or have nothing to do with it */
  readonly only?: string;
  /** what the tests draw or choose by, for those that would play for hours: `MATRIX_ONLY`, or `SOAK_SEED` and `SOAK_HOURS` */
  readonly environment?: Readonly<Record<string, string>>;
}

/** One promise and the mistake that breaks it. */
export interface Mutant {
  /** says the mistake, as `look-before-create-dropped`; unique in the register */
  readonly name: string;
  /** what is promised, in the words of engine.md where it is from there */
  readonly promise: string;
  /** path of the source from the root */
  readonly file: string;
  /** text that occurs once in the source */
  readonly find: string;
  readonly replace: string;
  readonly killer: Killer;
}

/** A section of engine.md, or what else promises are made of. */
export interface Section {
  /** as engine.md counts it: `§3` */
  readonly sign: string;
  readonly name: string;
  readonly mutants: readonly Mutant[];
}

/** The source with the mistake in it. @throws Error when the text to replace is not there exactly once */
export function mutate({ name, file, find, replace }: Mutant, source: string): string {
  const at = source.indexOf(find);
  if (at === -1) throw new Error(`${name}: ${file} does not hold its text any more: ${find}`);
  if (source.includes(find, at + 1)) throw new Error(`${name}: ${file} holds its text more than once: ${find}`);
  return source.slice(0, at) + replace + source.slice(at + find.length);
}
