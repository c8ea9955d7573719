import { operations } from "../../../src/api/contract/contract.ts";

/** Questions that the contract counts among the writes, since each makes the platform look something up. */
const QUESTIONS: ReadonlySet<string> = new Set(["customHostname.reverify"]);

/** Ids of the operations that change something; there are questions by other methods than GET. */
export const writing: ReadonlySet<string> = new Set(
  operations.filter(({ id, retry }) => retry !== "read" && !QUESTIONS.has(id)).map(({ id }) => id),
);
