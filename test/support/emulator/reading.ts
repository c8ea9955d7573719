import { operations } from "../../../src/api/contract/contract.ts";
import type { EmulatorUnderTest } from "./api.ts";
import { EVERY_CALL } from "./every-call.ts";
import { play } from "./play.ts";

/** Everything that an emulator says of its state, for tests of what outlives a restart. */

/**
 * SQL has a database of its own, whose files are tested with it; what the logs count goes by requests, of which a reading is many
 * (kept-requests.loopback.test.ts has them over a restart); without the project little would be left to read.
 */
const LEFT_OUT = /^(?:database|migrations|advisors|analytics)\.|^projects\.delete$/;

/** The operations that change what can be read, or read it. */
export const statefulOperations = operations.filter(({ id }) => !LEFT_OUT.test(id));

const reads = EVERY_CALL.filter(({ id }) => statefulOperations.some((one) => one.id === id && one.retry === "read"));

/** Everything that can be read, as one value. */
export async function reading(under: EmulatorUnderTest): Promise<readonly unknown[]> {
  const answers: unknown[] = [await under.control.state.read(), await under.control.settings.read()];
  const still = reads.map((call) => ({ ...call, waitMs: 0 }));
  await play(under, still, ({ operation, received: { status, text } }) => {
    // an id of the answer itself
    answers.push([operation.id, status, text.replace(/"errorEventId":"\w+"/, "")]);
  });
  return answers;
}
