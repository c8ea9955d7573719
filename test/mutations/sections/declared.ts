import type { Section } from "../mutant.ts";

const HASH = "src/controllers/edge-function/source-hash.ts";
const HASH_TEST = "src/controllers/edge-function/source-hash.test.ts";
const LEFT = {
  project: "loopback",
  files: ["src/controllers/shared/pipeline.loopback.test.ts"],
  only: "leaves the spec as somebody wrote it",
} as const;

/** engine.md §6, the declared side: the spec is its author's, and another way to write the same is no difference. */
export const declared: Section = {
  sign: "§6",
  name: "declared",
  mutants: [
    {
      name: "spec-written-with-the-finalizer",
      promise: "the spec is never written",
      file: "src/controllers/shared/finalizers.ts",
      find: "[unchanged, ...patch, ...noted]",
      replace: '[unchanged, ...patch, ...noted, { op: "add", path: "/spec/adoptionPolicy", value: "Never" }]',
      killer: LEFT,
    },
    {
      name: "spec-written-with-the-record",
      promise: "the spec is never written",
      file: "src/controllers/shared/run.ts",
      find: "annotations: { [annotations.ref]: text } } };",
      replace: 'annotations: { [annotations.ref]: text } }, spec: { adoptionPolicy: "Never" } };',
      killer: LEFT,
    },
    {
      name: "reordered-files-are-another-source",
      promise: "reordered lists are not drift",
      file: HASH,
      find: "files.toSorted((a, b) => byText(a.path, b.path))",
      replace: "files",
      killer: { project: "unit", files: [HASH_TEST] },
    },
    {
      name: "reordered-patterns-are-another-source",
      promise: "reordered lists are not drift",
      file: HASH,
      find: "staticPatterns.toSorted(byText)",
      replace: "staticPatterns",
      killer: { project: "unit", files: [HASH_TEST] },
    },
    {
      name: "reordered-services-are-a-change",
      promise: "reordered lists are not drift: services in another order make no write",
      file: "src/controllers/shared/project-states.ts",
      find: "\n    .toSorted((a, b) => (a.name < b.name ? -1 : 1));",
      replace: ";",
      killer: { project: "unit", files: ["src/controllers/branch/status.test.ts"] },
    },
    {
      name: "blanks-are-another-token",
      promise: "blanks are no difference: what an editor puts around a credential is none of it",
      file: "src/controllers/connection/credential.ts",
      find: '?.toString("utf8").trim();',
      replace: '?.toString("utf8");',
      killer: { project: "unit", files: ["src/controllers/connection/credential.test.ts"] },
    },
  ],
};
