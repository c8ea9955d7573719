import type { ApiClient } from "../../api/client.ts";
import type { CallOptions } from "../../api/client-options.ts";
import { TerminalError, WaitingError } from "../../runtime/outcome.ts";
import { calling, waiting } from "../shared/failures.ts";
import { type DeclaredRootKey, platformRootKey } from "../shared/root-key.ts";
import type { Meanings } from "./first-sight.ts";
import {
  ABSENT,
  type Admission,
  arrived,
  doneWhenAnswered,
  NOW,
  type RequestKind,
  succeeded,
  traceless,
} from "./request.ts";

/** What the request is carried out with. */
export interface AtRootKey {
  readonly client: ApiClient;
  readonly ref: string;
  readonly call: CallOptions;
  /** the declared key, the same one throughout a run */
  readonly rootKey: DeclaredRootKey;
}

const UNDECLARED = "spec.encryptionRootKey says which key: declare it, and ask with another id";
const OTHER_KEY = "what is declared now is another key than the one that was meant";
const REPLACED_SINCE = "the platform has another root key than before it";

/**
 * Puts the declared encryption root key in the place of the platform's. It stands for the key that was declared when it was first seen: another one, which
 * the Secret may hold by the time that it is sent, was never asked for.
 */
export const replaceRootKey: RequestKind<AtRootKey> = {
  verb: "replace-root-key",
  parameter: "none",
  doing: "replace the encryption root key",
  repeats: true,
  shownBy: ["encryptionRootKey"],
  ifUnknown: "see in status.sections whether encryptionRootKey is in sync, and ask with another id if it is not",
  admit: async ({ rootKey }, _asked, meant) => {
    const wanted = await declaredKey(rootKey);
    if (typeof wanted !== "string") return wanted;
    if (meant === undefined) throw waiting("ReferenceNotFound", "the declared key could not be read at first", 0);
    if (await rootKey.isMarkOf(meant, wanted)) return NOW;
    return { kind: "refuse", message: `${OTHER_KEY}: ask with another id if it is to be this one` };
  },
  before: async (at) => {
    const there = await calling("read the encryption root key", () => platformRootKey(at));
    return at.rootKey.markOf(there);
  },
  send: async ({ client, ref, rootKey }, _asked, { call, before = "" }) => {
    const wanted = await rootKey.read();
    if (wanted === undefined) return { state: "Failed", message: UNDECLARED };
    if (await rootKey.isMarkOf(before, wanted)) return succeeded("the declared root key was there already");
    await client.encryptionKey.update({ ref, body: { root_key: wanted } }, call);
    return succeeded("the encryption root key was replaced");
  },
  trace: async (at, { meant = "", before = "" }) => {
    const { rootKey } = at;
    const there = await calling("read the encryption root key", () => platformRootKey(at));
    if (await rootKey.isMarkOf(meant, there)) return arrived(succeeded("the encryption root key was replaced"));
    if (!(await rootKey.isMarkOf(before, there))) return traceless(REPLACED_SINCE);
    return (await stillMeans(rootKey, meant)) ? ABSENT : traceless(OTHER_KEY);
  },
  look: doneWhenAnswered,
};

/** The declared key, or why none can be sent. */
async function declaredKey(rootKey: DeclaredRootKey): Promise<string | Admission> {
  try {
    return (await rootKey.read()) ?? { kind: "refuse", message: UNDECLARED };
  } catch (error) {
    if (error instanceof WaitingError) return { kind: "wait", message: error.message, wakes: true };
    if (error instanceof TerminalError) return { kind: "refuse", message: `${error.message}, and ask with another id` };
    throw error;
  }
}

/** Which key a request for one stands for. */
export function meaningsOf(rootKey: DeclaredRootKey): Meanings {
  const mark = async (): Promise<string | undefined> => {
    const declared = await rootKey.read();
    return declared === undefined ? undefined : rootKey.markOf(declared);
  };
  return { [replaceRootKey.verb]: mark };
}

/** Whether the declared key is the one that a request meant. A Secret that is gone, or holds no key any more, does not hold that one. */
async function stillMeans(rootKey: DeclaredRootKey, meant: string): Promise<boolean> {
  const wanted = await declaredKey(rootKey);
  return typeof wanted === "string" && rootKey.isMarkOf(meant, wanted);
}
