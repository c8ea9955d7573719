import type { Section } from "../mutant.ts";

const FETCH = "src/artifacts/fetch.ts";
const UNPACK = "src/artifacts/unpack.ts";
const SHELF = "src/artifacts/shelf.ts";
const FETCHED = { project: "loopback", files: ["src/artifacts/artifacts.loopback.test.ts"] } as const;
const UNPACKED = { project: "unit", files: ["src/artifacts/unpack.test.ts"] } as const;
const SOURCE = {
  project: "loopback",
  files: ["src/controllers/edge-function/artifact-source.loopback.test.ts"],
} as const;
const WOKEN = { project: "unit", files: ["src/controllers/flux-sources.test.ts"] } as const;
const TOGETHER = {
  project: "loopback",
  files: ["src/controllers/edge-function/bulk-settings.loopback.test.ts"],
} as const;

/** What functions are made of: artifacts of Flux (ADR 22), settings that are changed together (ADR 23), and their environment (ADR 19). */
export const artifacts: Section = {
  sign: "ADR 19, 22, 23",
  name: "artifacts",
  mutants: [
    {
      name: "digest-not-compared",
      promise: "the bytes have the digest that the source object tells, before anything of them is read",
      file: FETCH,
      find: "if (!timingSafeEqual(",
      replace: "if (size < 0 && !timingSafeEqual(",
      killer: FETCHED,
    },
    {
      name: "digest-of-another-length",
      promise: "a digest that cannot be checked is refused before anything is fetched",
      file: FETCH,
      find: "hex.length !== DIGITS.get(algorithm)",
      replace: "!DIGITS.has(algorithm)",
      killer: { ...FETCHED, only: "cannot be checked" },
    },
    {
      name: "digest-of-one-algorithm",
      promise: "digests of sha256, sha384 and sha512 are checked, as source-controller may publish them",
      file: FETCH,
      find: "createHash(algorithm)",
      replace: 'createHash("sha256")',
      killer: { ...FETCHED, only: "digest is another one, and taken when it is not" },
    },
    {
      name: "link-local-artifact-fetched",
      promise: "nothing is fetched from a link-local address, written as one",
      file: FETCH,
      find: "  reach.require(hostOf(url));\n",
      replace: "",
      killer: { ...FETCHED, only: "when its server is" },
    },
    {
      name: "name-leads-to-metadata",
      promise: "nothing is fetched from where a name leads that is out of reach, at the time of the connection",
      file: "src/artifacts/artifacts.ts",
      find: "connect: { ...connect, lookup: this.#reach.lookup }",
      replace: "connect",
      killer: { ...FETCHED, only: "when its server is" },
    },
    {
      name: "endless-artifact-taken",
      promise: "the bytes are taken up to a limit",
      file: FETCH,
      find: "if (bytes > size) throw",
      replace: "if (size < 0) throw",
      killer: FETCHED,
    },
    {
      name: "bomb-unpacked",
      promise: "what an archive comes to when it is unpacked is limited, whatever of it is wanted",
      file: UNPACK,
      find: "if (bytes > unpackedBytes)",
      replace: "if (bytes > 1000 * unpackedBytes)",
      killer: UNPACKED,
    },
    {
      name: "compression-within-compression",
      promise: "nothing is decompressed that is not counted",
      file: UNPACK,
      find: "    maxDecompressionRatio: 0,\n",
      replace: "",
      killer: UNPACKED,
    },
    {
      name: "path-twice",
      promise: "no path is there twice",
      file: SHELF,
      find: "if (this.#files.has(path))",
      replace: 'if (path === "" && this.#files.has(path))',
      killer: UNPACKED,
    },
    {
      name: "fetched-again-for-nothing",
      promise: "while an artifact is in force no run fetches it",
      file: "src/controllers/edge-function/artifact-source.ts",
      find: "if (deployed !== undefined) {",
      replace: 'if (deployed?.hash === "") {',
      killer: SOURCE,
    },
    {
      name: "unready-source-takes-back",
      promise: "a source that is not Ready takes nothing back",
      file: "src/controllers/edge-function/artifact-source.ts",
      find: '!== "True" && !inForce)',
      replace: '!== "True")',
      killer: SOURCE,
    },
    {
      name: "artifact-missed-at-a-start",
      promise: "an artifact that was published while nobody watched is deployed at a start",
      file: "src/controllers/flux-sources.ts",
      find: "if (artifactChanged(objects, stores, user))",
      replace: "if (stores.length === 0 && artifactChanged(objects, stores, user))",
      killer: WOKEN,
    },
    {
      name: "wish-outlives-its-object",
      promise: "nothing is written for an object that was edited, paused or deleted since it asked",
      file: "src/controllers/edge-function/settings-wish.ts",
      find: "stands: () => standsStill(run, context)",
      replace: "stands: () => standsStill(run, context) || true",
      killer: TOGETHER,
    },
    {
      name: "common-request-from-a-kept-list",
      promise:
        "the common request is made from a list that is read for it alone: it would make a deleted function again",
      file: "src/controllers/edge-function/bulk-update.ts",
      find: "await list.get(0, run.call)",
      replace: "await list.get(600_000, run.call)",
      killer: { ...TOGETHER, only: "is read for it alone" },
    },
    {
      name: "one-refusal-for-all",
      promise: "none is held up by another's settings",
      file: "src/controllers/edge-function/bulk-update.ts",
      find: "    if (refused) return undefined;\n",
      replace: "",
      killer: TOGETHER,
    },
    {
      name: "common-request-loses-the-import-map",
      promise: "an import map stays in use where a common request changes other settings",
      file: "src/controllers/edge-function/bulk-update.ts",
      find: "    import_map: remote.import_map,\n",
      replace: "",
      killer: { ...TOGETHER, only: "keep all that they do not change" },
    },
    {
      name: "common-request-loses-the-path-of-the-import-map",
      promise: "an import map stays where it is found where a common request changes other settings",
      file: "src/controllers/edge-function/bulk-update.ts",
      find: "    import_map_path: remote.import_map_path ?? undefined,\n",
      replace: "",
      killer: { ...TOGETHER, only: "keep all that they do not change" },
    },
    {
      name: "common-request-loses-the-entrypoint",
      promise: "the entrypoint stays where a common request changes other settings",
      file: "src/controllers/edge-function/bulk-update.ts",
      find: "    entrypoint_path: remote.entrypoint_path ?? undefined,\n",
      replace: "",
      killer: { ...TOGETHER, only: "keep all that they do not change" },
    },
    {
      name: "common-request-closes-what-is-open",
      promise: "what asks for no token stays so where a common request changes other settings",
      file: "src/controllers/edge-function/bulk-update.ts",
      find: "    verify_jwt: remote.verify_jwt,\n",
      replace: "",
      killer: { ...TOGETHER, only: "keep all that they do not change" },
    },
    {
      name: "common-request-loses-the-hash-of-the-bundle",
      promise: "the hash of the bundle stays where a common request changes settings",
      file: "src/controllers/edge-function/bulk-update.ts",
      find: "    ezbr_sha256: remote.ezbr_sha256 ?? undefined,\n",
      replace: "",
      killer: { ...TOGETHER, only: "keep all that they do not change" },
    },
    {
      name: "common-request-names-what-is-removed",
      promise:
        "a function that the list shows as removed is deployed anew, not made again of the settings that are left of it",
      file: "src/controllers/edge-function/bulk-update.ts",
      find: ' || remote.status === "REMOVED"',
      replace: "",
      killer: { ...TOGETHER, only: "when the list shows it as removed" },
    },
    {
      name: "doubt-beside-a-common-request",
      promise: "a deployment in doubt is not taken for made by the version that a common request raises",
      file: "src/controllers/edge-function/configure.ts",
      find: "redeployment === undefined && ",
      replace: "",
      killer: {
        project: "loopback",
        files: ["src/controllers/edge-function/redeploy-held.loopback.test.ts"],
        only: "settings of several functions raise",
      },
    },
    {
      name: "revisions-without-bound",
      promise: "what a function was deployed with fits its status, however many Secret objects there are",
      file: "src/controllers/shared/revisions.ts",
      find: "if (sorted.length <= MOST_REVISIONS) return",
      replace: "if (sorted.length > 0) return",
      killer: { project: "unit", files: ["src/controllers/shared/revisions.test.ts"] },
    },
    {
      name: "unlisted-revisions-forgotten",
      promise: "a change of a Secret object that no status lists has functions deployed again",
      file: "src/controllers/shared/revisions.ts",
      find: "const unlisted = others === undefined || known.get(OTHERS) === others.revision ? [] : others.all;",
      replace: "const unlisted = others === undefined || known.has(OTHERS) ? [] : others.all;",
      killer: { project: "unit", files: ["src/controllers/shared/revisions.test.ts"] },
    },
    {
      name: "unread-revision-loses-its-place",
      promise: "a Secret object that cannot be read has no function deployed again and again",
      file: "src/controllers/shared/revisions.ts",
      find: "folded([...beside(seen, standing).map((one) => ({ ...one, asks: false })), ...standing])",
      replace: "folded(standing)",
      killer: { project: "unit", files: ["src/controllers/shared/revisions.test.ts"] },
    },
    {
      name: "unread-revision-among-the-others",
      promise:
        "what is deployed with is what is compared afterwards, where new Secret objects move one that cannot be read out of the list",
      file: "src/controllers/shared/revisions.ts",
      find: "kept.filter(({ uid }) => places.has(uid))",
      replace: "kept",
      killer: { project: "unit", files: ["src/controllers/shared/revisions.test.ts"] },
    },
    {
      name: "moved-revision-is-another",
      promise: "a Secret object that a new one moves out of the list is not taken for changed",
      file: "src/controllers/shared/revisions.ts",
      find: "[...listed, ...unlisted].filter((one) => one.asks && known.get(one.uid) !== one.revision)",
      replace:
        "[...listed.filter((one) => known.get(one.uid) !== one.revision), ...unlisted].filter((one) => one.asks)",
      killer: { project: "unit", files: ["src/controllers/shared/revisions.test.ts"] },
    },
  ],
};
