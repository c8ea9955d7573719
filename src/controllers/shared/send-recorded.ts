import type { CallOptions } from "../../api/client-options.ts";
import { type AnyApiError, isApiError } from "../../api/errors.ts";
import { causeChain } from "../../base/error-facts.ts";
import type { Run } from "./run.ts";
import type { CommonStatus } from "./status-draft.ts";

/** A request that is recorded in the status before it is sent, since its answer may be lost. */
export interface RecordedRequest<R, T> {
  /** what is tried: tells it from all else that is recorded of the object */
  readonly what: string;
  /** puts the record into the status, and says what it is */
  readonly record: () => R;
  /** told once the record is stored; default: nobody is */
  readonly recorded?: (record: R) => void;
  /** whether something would be done for it where it is untrue, so that it is written when it is taken back, each time; default: nothing would */
  readonly isActedOn?: boolean;
  /** puts what is so into its place, when the request certainly came to nothing. @returns in words what of it may be news */
  readonly takeBack: (error: AnyApiError, record: R) => string;
  readonly send: (call: CallOptions) => Promise<T>;
}

/** What came of one. */
interface SentRecorded<R, T> {
  readonly answer: T;
  /** undefined: it had nothing to ask for, and was not recorded */
  readonly record: R | undefined;
}

/**
 * Sends a request, which is recorded under an optimistic lock as soon as it has leave to be sent: what waits for budget writes nothing. What certainly
 * came to nothing is taken back, and told once: of a try that is refused in the words of the one before, the record stays in the status until that is
 * written for another reason, and this process remembers that it is untrue, but for what is acted on. Any other failure leaves the record as it is, in doubt.
 *
 * @throws KubeError Conflict: nothing was sent; else as `send`
 */
export async function sendRecorded<Status extends CommonStatus, R, T>(
  run: Run<Status>,
  { what, record, recorded: stored, isActedOn = false, takeBack, send }: RecordedRequest<R, T>,
): Promise<SentRecorded<R, T>> {
  const { status, raw, environment } = run;
  const { refusedTries } = environment;
  const { uid } = raw.metadata;
  let made:
    | { readonly record: R; readonly fields: readonly (readonly [field: string, recorded: unknown])[] }
    | undefined;
  const beforeSending = async (): Promise<void> => {
    let making: typeof made;
    await run.lockStatus(() => {
      const before = status.current;
      const put = record();
      const fields = Object.entries(status.current).filter(([field, value]) => Reflect.get(before, field) !== value);
      making = { record: put, fields };
    });
    made = making;
    if (made !== undefined) stored?.(made.record);
    refusedTries.begin(uid, what);
  };
  try {
    const answer = await send({ ...run.call, beforeSending });
    return { answer, record: made?.record };
  } catch (error) {
    const failure = causeChain(error).find((link) => isApiError(link));
    if (made === undefined || failure?.effect !== "none") throw error;
    const words = takeBack(failure, made.record);
    const untold = made.fields.map(([field, recorded]) => ({
      field,
      recorded,
      known: Reflect.get(status.current, field),
    }));
    const isNews = isActedOn || !refusedTries.isTold(uid, what, words);
    if (!isNews) for (const field of untold) status.leave(field);
    refusedTries.note(uid, what, { words, untold: isNews ? [] : untold });
    throw error;
  }
}
