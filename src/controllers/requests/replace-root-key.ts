import type { ApiClient } from "../../api/client.ts";
import type { CallOptions } from "../../api/client-options.ts";
import { TerminalError, WaitingError } from "../../runtime/outcome.ts";
import { calling } from "../shared/failures.ts";
import { hasRootKey } from "../shared/root-key.ts";
import { ABSENT, arrived, doneWhenAnswered, NOW, type RequestKind, succeeded } from "./request.ts";

/** What the request is carried out with. */
export interface AtRootKey {
  readonly client: ApiClient;
  readonly ref: string;
  readonly call: CallOptions;
  /** the declared key; undefined where none is declared. @throws WaitingError and TerminalError as readRootKey does */
  readonly readRootKey: () => Promise<string | undefined>;
}

const UNDECLARED = "spec.encryptionRootKey says which key: declare it, and ask with another id";

/** Puts the declared encryption root key in the place of the platform's. The same key a second time changes nothing, so that it is repeated. */
export const replaceRootKey: RequestKind<AtRootKey> = {
  verb: "replace-root-key",
  parameter: "none",
  doing: "replace the encryption root key",
  repeats: true,
  ifUnknown: "see in status.sections whether encryptionRootKey is in sync, and ask with another id if it is not",
  admit: async (at) => {
    try {
      return (await at.readRootKey()) === undefined ? { kind: "refuse", message: UNDECLARED } : NOW;
    } catch (error) {
      if (error instanceof WaitingError) return { kind: "wait", message: error.message };
      if (error instanceof TerminalError) {
        return { kind: "refuse", message: `${error.message}, and ask with another id` };
      }
      throw error;
    }
  },
  send: async ({ client, ref, readRootKey }, _asked, call) => {
    const wanted = await readRootKey();
    if (wanted === undefined) return { state: "Failed", message: UNDECLARED };
    if (await hasRootKey({ client, ref, call }, wanted)) return succeeded("the declared root key was there already");
    await client.encryptionKey.update({ ref, body: { root_key: wanted } }, call);
    return succeeded("the encryption root key was replaced");
  },
  trace: async (at) => {
    const wanted = await at.readRootKey();
    if (wanted === undefined) return ABSENT;
    const isThere = await calling("read the encryption root key", () => hasRootKey(at, wanted));
    return isThere ? arrived(succeeded("the encryption root key was replaced")) : ABSENT;
  },
  look: doneWhenAnswered,
};
