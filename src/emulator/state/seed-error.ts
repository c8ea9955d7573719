import { knownInWords } from "../../base/near.ts";
import { issuesBehind } from "../../base/schema-words.ts";

/** What of a seed cannot be, and where in it. */
interface SeedIssue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A seed that its schema refuses, or that contradicts itself or the state it is added to. The message names the place and what to change. */
export class SeedError extends Error {
  readonly code = "SEED";
  readonly issues: readonly SeedIssue[];

  constructor(issues: readonly SeedIssue[]) {
    super(issuesBehind("seed", issues));
    this.name = "SeedError";
    this.issues = issues;
  }
}

/** @param path within what is being added, which `eachWithin` puts into its place */
export function contradiction(path: readonly PropertyKey[], message: string): SeedError {
  return new SeedError([{ path, message }]);
}

/** Something that is named and not there. */
interface NotThere {
  readonly what: string;
  readonly name: string;
  readonly known: Iterable<string>;
}

/** @param path as of `contradiction` */
export function notThere(path: readonly PropertyKey[], { what, name, known }: NotThere): SeedError {
  return contradiction(path, `no ${what} ${name}${knownInWords([name], known)}`);
}

/** Adds each of a list that stands at a place. @throws SeedError that tells the whole place */
export function eachWithin<T>(place: readonly PropertyKey[], list: readonly T[], add: (one: T) => void): void {
  for (const [index, one] of list.entries()) {
    try {
      add(one);
    } catch (error) {
      if (!(error instanceof SeedError)) throw error;
      throw new SeedError(error.issues.map((issue) => ({ ...issue, path: [...place, index, ...issue.path] })));
    }
  }
}
