import { messages } from "@electric-sql/pglite";
import { expect, it } from "vitest";
import { runJob } from "./session.ts";
import { ADMIN } from "./fresh.ts";

const { ReadyForQueryMessage } = messages;

/** A database that says of itself whether a transaction is open. @param ends what ends one, though no reading of SQL here says so */
function database(ends: string) {
  let status = "I";
  const said: string[] = [];
  const exchange = (bytes: Uint8Array) => {
    const text = Buffer.from(bytes).toString();
    said.push(text);
    if (text.includes("begin")) status = "T";
    if (text.includes(ends) || text.includes("commit")) status = "I";
    return Promise.resolve([new ReadyForQueryMessage(5, status)]);
  };
  return { session: { exchange, beginsAs: () => undefined }, said };
}

it.each([
  { of: "statements", step: { sql: "unseen end" } },
  { of: "one with parameters", step: { sql: "unseen end", parameters: ["1"] } },
])("what has ended a transaction of ours is refused, and nothing goes on behind it: $of", async ({ step }) => {
  const { session, said } = database("unseen end");
  const steps = [step, { sql: "note it" }].map((one) => ({ ...one, role: ADMIN }));
  const outcome = await runJob(session, { steps, transaction: "read-write", searchPath: "" });
  expect(outcome).toMatchObject({ kind: "refused", error: { code: "2D000" }, step: 0 });
  expect(said.filter((text) => text.includes("note it"))).toEqual([]);
});
