import { namesPassword } from "./names.ts";

/** Expressions go as deep as a text is long: of what is longer nothing is shown. */
const LONGEST_READ = 100_000;
/** A word, a name, a path, scopes or a URN; or one line of letters alone, with what ends sentences and joins words. */
const PLAIN =
  /^(?:(?!.*\/\/)[\w./-]+|[a-z_]+:(?:read|write)(?: [a-z_]+:(?:read|write))*|urn:[a-z:-]+|(?:[\p{L}_ .,?!]|(?<=\p{L})-(?=\p{L}))*)$/u;
/** URLs that have nothing but a host and a path. */
const ADDRESSES =
  /^(?:https?|pg-functions|file):\/\/\/?[\w.*-]+(?::\d{1,5})?(?:\/[\w.*~/-]*)?(?:[,\s]+https?:\/\/[\w.*-]+(?::\d{1,5})?(?:\/[\w.*~/-]*)?)*$/i;

/**
 * Whether a text that is not known to be SQL may tell a secret: it names one, and is neither plain prose nor addresses. What its value would be is not
 * asked: there are as many ways to write one as there are languages. Pure.
 */
export function mayTellPassword(text: string): boolean {
  return namesPassword(text) && (text.length > LONGEST_READ || (!PLAIN.test(text) && !ADDRESSES.test(text)));
}
