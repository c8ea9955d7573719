import type { Section } from "../mutant.ts";

const MOVE = "src/controllers/connection/kept-move.ts";

const by = (only: string) =>
  ({ project: "loopback", files: ["src/controllers/connection/kept-move.loopback.test.ts"], only }) as const;

/** Where the newest refresh token of a ClusterConnection lies, of whichever release leads. */
export const keptTokens: Section = {
  sign: "§C",
  name: "kept-tokens",
  mutants: [
    {
      name: "kept-token-left-behind",
      promise: "a refresh token that an older version kept in the namespace of its release is taken over",
      file: MOVE,
      find: "[...new Set([...named, operator.namespace])]",
      replace: "[...new Set(named)]",
      killer: by("an older version of the release kept it"),
    },
    {
      name: "kept-token-of-a-former-release-lost",
      promise: "and by a release of another namespace, where the status names the former one",
      file: MOVE,
      find: "[...new Set([...named, operator.namespace])]",
      replace: "[operator.namespace]",
      killer: by("as the status names where it was"),
    },
    {
      name: "kept-token-beside-the-former-secret",
      promise:
        "the client in use keeps its newest refresh token where the connection looks for it, also once that moved",
      file: MOVE,
      find: "  clients.memoryOf(view.id, raw.metadata.uid).moveTo(place);\n",
      replace: "",
      killer: by("also under the client that is in use"),
    },
    {
      name: "kept-token-of-another-taken",
      promise: "only a Secret of the same connection is taken over",
      file: MOVE,
      find: "if (former === undefined || !keepsFor(former, raw.metadata.uid)) return;",
      replace: "if (former === undefined) return;",
      killer: by("is not taken"),
    },
    {
      name: "kept-token-copied-over-a-newer-one",
      promise: "a copy that was taken over before is not put back over what came after it",
      file: "src/controllers/connection/kept-token.ts",
      find: "return known && !isCopy ? undefined : values;",
      replace: "return values;",
      killer: by("that was copied already"),
    },
    {
      name: "kept-token-written-over-for-another-look",
      promise: "a second look at the former place, after a finalizer or a conflict, makes nothing of it newer",
      file: "src/controllers/connection/kept-token.ts",
      find: "copied !== undefined && isDeepStrictEqual(allOf(secret), allOf(copied))",
      replace: "copied !== undefined",
      killer: by("stays the newest where"),
    },
    {
      name: "kept-token-written-meanwhile-lost",
      promise: "what a client that did not know of the move wrote after the copy is newer than that",
      file: MOVE,
      find: "    copied = former;\n",
      replace: "",
      killer: by("wrote to the former place after it was copied"),
    },
  ],
};
