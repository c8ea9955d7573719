import { type ListenPlace, listenWords } from "../base/listen-words.ts";
import { UsageError } from "./flags.ts";

/** Told to the user: of wrong use where the flag can never be, of a failure where it can be another time. Other errors stay what they are. */
export function listenError(error: unknown, place: ListenPlace): unknown {
  const told = listenWords(error, place);
  if (told === undefined) return error;
  return told.wrong ? new UsageError(told.words, { cause: error }) : new Error(told.words, { cause: error });
}
