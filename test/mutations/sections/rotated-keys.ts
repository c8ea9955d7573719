import type { Section } from "../mutant.ts";

const ROTATED = { project: "loopback", files: ["src/controllers/rotated-key.loopback.test.ts"] } as const;

/** Marks and hashes, and the keys of the ring that made them (engine.md §6). */
export const rotatedKeys: Section = {
  sign: "§6",
  name: "rotated-keys",
  mutants: [
    {
      name: "mark-by-the-newest-key",
      promise: "a newer key in the ring has nothing written by itself: outputs and Secret objects at rest",
      file: "src/controllers/shared/key-ring.ts",
      find: "const old = byId.get(keyOfBefore);",
      replace: "const old = keyOfBefore === current ? key : undefined;",
      killer: { ...ROTATED, only: "of what is at rest" },
    },
    {
      name: "value-remembered-by-the-newest-key",
      promise: "a newer key in the ring has nothing written by itself: settings at rest",
      file: "src/controllers/sections/inputs.ts",
      find: 'verdict.kind === "same" ? seenAgain(sent, secret) : await',
      replace: "await",
      killer: { ...ROTATED, only: "of what is at rest" },
    },
    {
      name: "answer-remembered-by-the-newest-key",
      promise: "a newer key in the ring has nothing written by itself: what is answered in the place of a setting",
      file: "src/controllers/sections/inputs.ts",
      find: 'return kind === "takeOver"',
      replace: 'return kind !== "changed"',
      killer: { ...ROTATED, only: "of what is at rest" },
    },
    {
      name: "password-remembered-by-the-newest-key",
      promise: "a newer key in the ring has nothing written by itself: a password whose Secret is another version",
      file: "src/controllers/project/apply.ts",
      find: "recordSent(run, password, seenAgain(known.sent, secret))",
      replace: "await rememberSent(run, password)",
      killer: { ...ROTATED, only: "other versions with the same values" },
    },
    {
      name: "root-key-remembered-by-the-newest-key",
      promise: "a newer key in the ring has nothing written by itself: the root key",
      file: "src/controllers/sections/encryption-root-key.ts",
      find: "isSame ? seenAgain(before, wanted) : await",
      replace: "await",
      killer: { ...ROTATED, only: "of what is at rest" },
    },
    {
      name: "lost-key-is-an-edit",
      promise: "a key that is lost is no edit: what somebody set by hand is left to the drift policy",
      file: "src/controllers/secret/source.ts",
      find: 'source.marked.told === "changed"',
      replace: 'source.marked.told !== "same"',
      killer: { ...ROTATED, only: "makes no edit of what somebody" },
    },
    {
      name: "lost-mark-kept",
      promise: "what lost its key is marked anew, so that an edit that comes later is one",
      file: "src/controllers/secret/reconcile.ts",
      find: "if (before.valuesMark === undefined && sameJson",
      replace: "if (sameJson",
      killer: { ...ROTATED, only: "where the key before it" },
    },
    {
      name: "refusal-by-the-newest-key",
      promise: "a newer key in the ring has nothing asked for again that was refused",
      file: "src/controllers/sections/refusal-memory.ts",
      find: "{ before: refused.madeOf, fields",
      replace: "{ before: undefined, fields",
      killer: {
        project: "loopback",
        files: ["src/controllers/sections/refused-data.loopback.test.ts"],
        only: "newer key",
      },
    },
  ],
};
