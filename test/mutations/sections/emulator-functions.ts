import type { Mutant } from "../mutant.ts";

const FUNCTIONS = "src/emulator/functions/functions.ts";
const MERGE = "src/emulator/branches/branch-functions.ts";
const of = (file: string, only: string) =>
  ({ project: "loopback", files: [`src/emulator/${file}.loopback.test.ts`], only }) as const;

/** The models of what is read after writes, with sequences that are always the same. */
const model = {
  project: "loopback",
  files: ["test/emulator/read-your-writes.test.ts"],
  only: "some of each kind were accepted",
} as const;

/** What the emulator says of functions after a bulk update, an old form and a merge. */
export const emulatedFunctions: readonly Mutant[] = [
  {
    name: "function-without-its-hash",
    promise: "a bulk update that leaves the hash out leaves that of the bundle",
    file: FUNCTIONS,
    find: "item.created_at ?? createdAtMs,\n",
    replace: 'item.created_at ?? createdAtMs,\n    declaredSha256: item.ezbr_sha256 ?? "",\n',
    killer: model,
  },
  {
    name: "function-made-anew-by-a-bulk-update",
    promise: "a bulk update is idempotent: endpoints.md",
    file: FUNCTIONS,
    find: "item.created_at ?? createdAtMs",
    replace: "item.created_at ?? nowMs",
    killer: model,
  },
  {
    name: "version-that-is-read-refused",
    promise: "a bulk update takes the version that was read",
    file: "src/api/contract/functions.ts",
    find: "*/\n  version: z.number().int(),",
    replace: "*/\n  version: z.number().int().max(2_147_483_647),",
    killer: of("functions/versions", "goes on from"),
  },
  {
    name: "version-that-cannot-rise",
    promise: "no deploy leaves a version that is no other one than before",
    file: "src/emulator/functions/function-record.ts",
    find: "if (version < Number.MAX_SAFE_INTEGER) return",
    replace: "if (version < Infinity) return",
    killer: of("functions/versions", "stays where no deploy can add one"),
  },
  {
    name: "failure-used-up-by-a-refused-deploy",
    promise: "an ordered failure is used up by no request that is refused",
    file: "src/emulator/functions/deploy.ts",
    find: "  nextVersion(known);\n",
    replace: "",
    killer: of("functions/versions", "stays where no deploy can add one"),
  },
  {
    name: "functions-that-share-an-id",
    promise: "no two functions of a project have one id",
    file: FUNCTIONS,
    find: "    slugs.set(id, slug);\n",
    replace: "",
    killer: of("functions/functions", "where an id is another function's"),
  },
  {
    name: "ids-booked-for-known-functions",
    promise: "the id that a bulk update says of a function that is there is ignored: it is idempotent (endpoints.md)",
    file: FUNCTIONS,
    find: "    if (known.has(slug)) continue;\n",
    replace: "",
    killer: of("functions/functions", "takes any id for functions that are there"),
  },
  {
    name: "hash-of-an-old-form-dropped",
    promise: "the hash that an old form says is the one that is read",
    file: FUNCTIONS,
    find: "    declaredSha256: said.ezbr_sha256,\n",
    replace: "",
    killer: of("functions/functions", "take the hash that the query says"),
  },
  {
    name: "said-hash-taken-for-content",
    promise: "a merge leaves functions that are the same, whatever hash was said of them",
    file: MERGE,
    find: "const { declaredSha256: _declaredSha256, bundle, ...settings } = rest;",
    replace: "const { bundle, ...settings } = rest;",
    killer: of("branches/branch-work", "brings no hash that somebody only said"),
  },
  {
    name: "said-hash-merged",
    promise: "a merge brings the bundle and its hash, not one that was said",
    file: MERGE,
    find: "    declaredSha256: undefined,\n",
    replace: "",
    killer: of("branches/branch-work", "brings no hash that somebody only said"),
  },
  {
    name: "bundle-compared-as-it-came",
    promise: "a merge leaves functions that are the same, also where one was saved in between",
    file: MERGE,
    find: "sha256: bundle?.sha256,",
    replace: "bundle,",
    killer: of("branches/branch-work", "takes a function that was saved in between"),
  },
  {
    name: "function-without-a-setting-unlike-itself",
    promise: "a setting that nobody said is none, whether or not it was saved so",
    file: MERGE,
    find: "definedOnly({ ...settings, sha256",
    replace: "({ ...settings, sha256",
    killer: of("branches/branch-work", "takes a function that was saved in between"),
  },
  {
    name: "platform-key-as-a-digest-of-something-else",
    promise: "what the platform sets in the environment is shown as the digest of what it shows elsewhere",
    file: "src/emulator/functions/platform-secrets.ts",
    find: "legacyKey(world, project, role)] as const",
    replace: "role] as const",
    killer: {
      project: "loopback",
      files: ["src/emulator/functions/secrets.loopback.test.ts"],
      only: "stand beside digests",
    },
  },
  {
    name: "database-url-with-the-old-password",
    promise: "what the platform sets in the environment changes with what it is the digest of",
    file: "src/emulator/projects/projects.ts",
    find: "      storeDatabaseUrl(world, project.ref, body.password);\n",
    replace: "",
    killer: {
      project: "loopback",
      files: ["src/emulator/functions/secrets.loopback.test.ts"],
      only: "address of the database",
    },
  },
];
