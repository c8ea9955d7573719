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

/** @param path within what is being added, which `within` and `eachWithin` put into its place */
export function contradiction(path: readonly PropertyKey[], message: string): SeedError {
  return new SeedError([{ path, message }]);
}

/** Of something that is named and not there. */
export function unknown(path: readonly PropertyKey[], what: string, name: string, known: Iterable<string>): SeedError {
  return contradiction(path, `no ${what} ${name}${knownInWords([name], known)}`);
}

/** Adds what stands at a place. @throws SeedError that tells the whole place */
export function within<T>(place: readonly PropertyKey[], add: () => T): T {
  try {
    return add();
  } catch (error) {
    if (!(error instanceof SeedError)) throw error;
    throw new SeedError(error.issues.map((issue) => ({ ...issue, path: [...place, ...issue.path] })));
  }
}

/** Adds each of a list that stands at a place. @throws SeedError that tells the whole place */
export function eachWithin<T>(place: readonly PropertyKey[], list: readonly T[], add: (one: T) => void): void {
  for (const [index, one] of list.entries()) within([...place, index], () => add(one));
}
