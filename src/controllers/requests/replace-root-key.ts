import type { ApiClient } from "../../api/client.ts";
import type { CallOptions } from "../../api/client-options.ts";
import { TerminalError, WaitingError } from "../../runtime/outcome.ts";
import { calling } from "../shared/failures.ts";
import { type DeclaredRootKey, hasRootKey } from "../shared/root-key.ts";
import { ABSENT, arrived, doneWhenAnswered, NOW, type RequestKind, succeeded, type Trace } from "./request.ts";

/** What the request is carried out with. */
export interface AtRootKey {
  readonly client: ApiClient;
  readonly ref: string;
  readonly call: CallOptions;
  /** the declared key, the same one throughout a run */
  readonly rootKey: DeclaredRootKey;
}

const UNDECLARED = "spec.encryptionRootKey says which key: declare it, and ask with another id";

const OTHER_KEY: Trace = { kind: "traceless", why: "what is declared now is another key than the one that was meant" };

/**
 * Puts the declared encryption root key in the place of the platform's. The same key a second time changes nothing, so that it is repeated; another one,
 * which the Secret may hold by then, was never asked for.
 */
export const replaceRootKey: RequestKind<AtRootKey> = {
  verb: "replace-root-key",
  parameter: "none",
  doing: "replace the encryption root key",
  repeats: true,
  ifUnknown: "see in status.sections whether encryptionRootKey is in sync, and ask with another id if it is not",
  admit: async (at) => {
    try {
      return (await at.rootKey.read()) === undefined ? { kind: "refuse", message: UNDECLARED } : NOW;
    } catch (error) {
      if (error instanceof WaitingError) return { kind: "wait", message: error.message };
      if (error instanceof TerminalError) {
        return { kind: "refuse", message: `${error.message}, and ask with another id` };
      }
      throw error;
    }
  },
  before: async ({ rootKey }) => {
    const wanted = await rootKey.read();
    return wanted === undefined ? "" : rootKey.markOf(wanted);
  },
  send: async ({ client, ref, rootKey }, _asked, call) => {
    const wanted = await rootKey.read();
    if (wanted === undefined) return { state: "Failed", message: UNDECLARED };
    if (await hasRootKey({ client, ref, call }, wanted)) return succeeded("the declared root key was there already");
    await client.encryptionKey.update({ ref, body: { root_key: wanted } }, call);
    return succeeded("the encryption root key was replaced");
  },
  trace: async (at, { before = "" }) => {
    const wanted = await meantKey(at, before);
    if (wanted === undefined) return OTHER_KEY;
    const isThere = await calling("read the encryption root key", () => hasRootKey(at, wanted));
    return isThere ? arrived(succeeded("the encryption root key was replaced")) : ABSENT;
  },
  look: doneWhenAnswered,
};

/** The declared key, if it is the one that a request meant. A Secret that is gone, or holds no key any more, does not hold that one. */
async function meantKey({ rootKey }: AtRootKey, mark: string): Promise<string | undefined> {
  try {
    const wanted = await rootKey.read();
    return wanted !== undefined && (await rootKey.isMarkOf(mark, wanted)) ? wanted : undefined;
  } catch (error) {
    if (error instanceof WaitingError || error instanceof TerminalError) return undefined;
    throw error;
  }
}
