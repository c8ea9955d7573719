import type { Section } from "../mutant.ts";

const TTL_TEST = "src/controllers/branch/ttl.loopback.test.ts";

/** engine.md §4: the end of a Branch by its ttl, and what is had back after it. */
export const branchEnds: Section = {
  sign: "§4",
  name: "branch-ends",
  mutants: [
    {
      name: "ttl-counts-what-was-before-the-adoption",
      promise: "the ttl of a Branch counts from when its object took the branch over",
      file: "src/controllers/branch/expiry.ts",
      find: "const endMs = countedEndMs(ttl, run.status.current, nowMs);",
      replace: "const endMs = expiresAtMs({ ttl }, remote.created_at) ?? countedEndMs(ttl, run.status.current, nowMs);",
      killer: { project: "loopback", files: [TTL_TEST], only: "somebody else made" },
    },
    {
      name: "ttl-counts-what-was-before-it-was-declared",
      promise: "the ttl of a Branch counts from when that very ttl was declared",
      file: "src/controllers/branch/expiry.ts",
      find: "return noted.ttl === ttl && !Number",
      replace: "return !Number",
      killer: { project: "unit", files: ["src/controllers/branch/expiry.test.ts"] },
    },
    {
      name: "ttl-ended-for-good",
      promise: "a branch whose ttl ended softly is had back on request for as long as the platform keeps it",
      file: "src/controllers/branch/reconcile.ts",
      find: "if (isAtEnd && isAtRest(run)) {",
      replace: "if (isAtEnd) {",
      killer: { project: "loopback", files: [TTL_TEST], only: "has the branch back" },
    },
    {
      name: "ttl-ends-before-a-restore",
      promise: "what brings a branch back comes before the end of its ttl",
      file: "src/controllers/branch/reconcile.ts",
      find: "const kept = await restoreFirst(run, context, found);",
      replace: "const kept = found;",
      killer: { project: "loopback", files: [TTL_TEST], only: "deleted softly" },
    },
    {
      name: "restored-branch-ends-at-once",
      promise: "the ttl of a Branch counts from when its object had the branch restored",
      file: "src/controllers/branch/requests.ts",
      find: "if (isKept) haveBack(run, context, remote);",
      replace: "void isKept;",
      killer: { project: "loopback", files: [TTL_TEST], only: "deleted softly, and counts anew" },
    },
    {
      name: "restored-branch-has-nobody",
      promise: "a branch that is had back is its object's from the patch on that says that it is kept",
      file: "src/controllers/branch/expiry.ts",
      find: "  identify(run, place.session, ref);\n",
      replace: "",
      killer: { project: "loopback", files: [TTL_TEST], only: "never leaves a branch" },
    },
    {
      name: "restored-branch-still-ended",
      promise: "what an object says of the end of its branch is taken back with that",
      file: "src/controllers/branch/expiry.ts",
      find: '["Expired", "Ready"] as const',
      replace: '["Expired"] as const',
      killer: { project: "loopback", files: [TTL_TEST], only: "never leaves a branch" },
    },
    {
      name: "kept-branch-ends-at-once",
      promise: "the ttl of a Branch counts from when its object had the branch back, whoever had it kept",
      file: "src/controllers/branch/after-end.ts",
      find: "  haveBack(run, context, kept);",
      replace: '  run.status.remove("Expired");',
      killer: { project: "loopback", files: [TTL_TEST], only: "keep meanwhile" },
    },
    {
      name: "end-of-the-branch-before",
      promise: "a branch that is made again has no end before it is there",
      file: "src/controllers/branch/expiry.ts",
      find: "  run.status.update({ ...UNCOUNTED, id: undefined, deletionScheduledAt: undefined });",
      replace: "  run.status.update({ id: undefined, deletionScheduledAt: undefined });",
      killer: { project: "loopback", files: [TTL_TEST], only: "where the spec changes" },
    },
    {
      name: "kept-branch-said-to-go",
      promise: "of a deletion that may be taken back nothing is told but that",
      file: "src/controllers/branch/reconcile.ts",
      find: "const message = isGoing(branch)",
      replace: 'const message = branch.project_ref !== ""',
      killer: { project: "loopback", files: [TTL_TEST], only: "no more of it than is known" },
    },
  ],
};
