import { requestAnnotation } from "../../resources/requests.ts";
import { calling, terminal } from "../shared/failures.ts";
import { seenAgain } from "../shared/key-ring.ts";
import { hasRootKey, readRootKey } from "../shared/root-key.ts";
import { type Section, type SectionChange, type SectionLook, type SentFields, SETTLED } from "./section.ts";

/**
 * spec.encryptionRootKey: compared and never written here, since data can become unreadable. Who means it asks for it (requests/replace-root-key.ts),
 * which comes before the sections of the same run.
 */

const FIELD = "spec.encryptionRootKey";

/** The platform has the declared key. @param secrets by what the declared one is known later */
function same(secrets: SentFields): SectionLook {
  const look: SectionLook = {
    changes: [],
    progress: SETTLED,
    secrets,
    restarts: () => false,
    write: () => Promise.resolve(look),
  };
  return look;
}

/**
 * Written by nobody's edit and by no repair: where it would be, whoever means it is told how to ask. Neither key is in what differs. It is drift where the
 * declared key is the one that was in force, whatever else became of its Secret; a key that was rotated is an edit, as of any Secret. Where no mark tells
 * which one was in force, none is made: it may be either, and is left as drift.
 *
 * @param known by what the declared one is known, where it was in force
 */
function another(known: SentFields, cause: SectionChange["cause"]): SectionLook {
  return {
    ...same(known),
    changes: [{ field: FIELD, cause, difference: "" }],
    write: () =>
      Promise.reject(
        terminal(
          "RequestNeeded",
          `${FIELD}: the platform has another root key. Data that is encrypted with it can become unreadable, so that it is replaced only on request: ` +
            `annotate ${requestAnnotation("replace-root-key")}: <request id>`,
        ),
      ),
  };
}

export const encryptionRootKeySection: Section = {
  name: "encryptionRootKey",
  about: `The root key of what the database encrypts. One read; it is written only as ${requestAnnotation("replace-root-key")} asks.`,
  operations: ["encryptionKey.get"],
  lacks: "Nothing encrypts data anew for another key, so that a key is never replaced by itself.",
  declared: (spec) => spec.encryptionRootKey,
  references: ({ encryptionRootKey }) => ({
    secrets: encryptionRootKey === undefined ? [] : [encryptionRootKey.secretKeyRef.name],
    configMaps: [],
  }),
  look: async (at, { encryptionRootKey }, entry) => {
    if (encryptionRootKey === undefined) throw new TypeError("encryptionRootKey is not declared");
    const { environment, namespace, signal } = at;
    const { kube, keyRing } = environment;
    const wanted = await readRootKey({ kube, namespace, signal }, encryptionRootKey);
    const isThere = await calling("read the encryption root key", () => hasRootKey(at, wanted.value));
    const before = entry?.secrets?.find(({ field }) => field === FIELD);
    const verdict = before === undefined ? undefined : await keyRing.compare(before, wanted, signal);
    const isRotated = before !== undefined && verdict?.kind === "changed";
    const isSame = before !== undefined && verdict?.kind === "same";
    const sent = isSame ? seenAgain(before, wanted) : await keyRing.remember(wanted, signal);
    const mark = [{ field: FIELD, secretName: encryptionRootKey.secretKeyRef.name, ...sent }];
    if (isThere) return same(mark);
    return isRotated ? another([before], "edit") : another(before === undefined ? [] : mark, "declared");
  },
};
