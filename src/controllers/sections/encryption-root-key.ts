import { requestAnnotation } from "../../resources/requests.ts";
import { calling, terminal } from "../shared/failures.ts";
import { hasRootKey, readRootKey } from "../shared/root-key.ts";
import { type Section, type SectionLook, SETTLED } from "./section.ts";

/**
 * spec.encryptionRootKey: compared and never written here, since data can become unreadable. Who means it asks for it (requests/replace-root-key.ts),
 * which comes before the sections of the same run.
 */

const SAME: SectionLook = {
  changes: [],
  progress: SETTLED,
  restarts: () => false,
  write: () => Promise.resolve(SAME),
};

const FIELD = "spec.encryptionRootKey";

/** Written by nobody's edit and by no repair: where it would be, whoever means it is told how to ask. Neither key is in what differs. */
const ANOTHER: SectionLook = {
  ...SAME,
  changes: [{ field: FIELD, cause: "declared", difference: "" }],
  write: () =>
    Promise.reject(
      terminal(
        "RequestNeeded",
        `${FIELD}: the platform has another root key. Data that is encrypted with it can become unreadable, so that it is replaced only on request: ` +
          `annotate ${requestAnnotation("replace-root-key")}: <request id>`,
      ),
    ),
};

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
  look: async (at, { encryptionRootKey }) => {
    if (encryptionRootKey === undefined) throw new TypeError("encryptionRootKey is not declared");
    const { environment, namespace, signal } = at;
    const wanted = await readRootKey({ kube: environment.kube, namespace, signal }, encryptionRootKey);
    return (await calling("read the encryption root key", () => hasRootKey(at, wanted))) ? SAME : ANOTHER;
  },
};
