import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Definitions } from "../support/crds/definitions.ts";
import { parsers, startWithDefinitions } from "../support/crds/definitions.ts";
import type { KindName, Spec } from "../support/crds/manifest.ts";
import { least, manifest } from "../support/crds/manifest.ts";

/**
 * Each rule is written twice, as CEL for the apiserver and as a predicate for this process, and patterns are read by two regular expression
 * engines. They must agree on every input: what one lets pass and the other refuses would be stuck for good.
 */

let definitions: Definitions;

beforeAll(async () => {
  definitions = await startWithDefinitions();
});

afterAll(() => definitions[Symbol.asyncDispose]());

/** Short texts in which rules have their edges: separators, dots, blanks that only one engine knows as such, characters of several units. */
function textOf(...words: readonly string[]): fc.Arbitrary<string> {
  const odd = ["B", "1", "_", "-", ".", "..", "/", " ", "\u00A0", "\u2028", "\n", "é", "🦊"];
  const piece = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom("a", ...words) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  );
  return fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(""));
}

/** The path of a second file. */
const path = textOf("index.ts", "\\").filter((text) => text !== "" && text !== "index.ts");
const word = textOf("A_B");
const mapping = fc.record(
  { key: fc.constantFrom("A", "b.c", "1", "D-e"), as: fc.constantFrom("A", "b", "C") },
  { requiredKeys: ["key"] },
);

interface Subject {
  readonly what: string;
  readonly kind: KindName;
  readonly specs: fc.Arbitrary<Spec>;
}

const subjects: readonly Subject[] = [
  {
    what: "paths of files",
    kind: "EdgeFunction",
    specs: path.map((name) => ({
      ...least.EdgeFunction,
      source: { inline: { files: { "index.ts": "", [name]: "" } } },
    })),
  },
  {
    what: "entrypoints and import maps",
    kind: "EdgeFunction",
    specs: fc
      .record(
        { entrypoint: fc.constantFrom("a.ts", "b.ts"), importMap: fc.constantFrom("a.ts", "c") },
        { requiredKeys: ["entrypoint"] },
      )
      .chain((use) =>
        fc
          .constantFrom<Spec>(
            { inline: { files: { "a.ts": "" } } },
            { configMapRef: { name: "x" } },
            { configMapRef: { name: "x", keys: [{ key: "a.ts", path: "b.ts" }, { key: "c" }] } },
          )
          .map((source) => ({ ...least.EdgeFunction, ...use, source })),
      ),
  },
  {
    what: "slugs",
    kind: "EdgeFunction",
    specs: word.map((slug) => ({ ...least.EdgeFunction, slug })),
  },
  {
    what: "durations",
    kind: "Project",
    specs: textOf("5h", "30m", "59s", "168h", "9").map((driftInterval) => ({ ...least.Project, driftInterval })),
  },
  { what: "slugs of organizations", kind: "Project", specs: word.map((organization) => ({ organization })) },
  {
    what: "names of Secrets",
    kind: "Project",
    specs: word.map((name) => ({ ...least.Project, databasePassword: { secretKeyRef: { name } } })),
  },
  {
    what: "URLs",
    kind: "Project",
    specs: textOf("?", "#", "@", ":80").map((rest) => ({ ...least.Project, templateUrl: `https://${rest}` })),
  },
  {
    what: "base URLs",
    kind: "Connection",
    specs: fc
      .tuple(
        fc.constantFrom("https://x", "http://localhost", "http://127.0.0.1", "http://[::1]", "http://x"),
        textOf(":8080", "@", "?", "#", "\\"),
      )
      .map(([start, rest]) => ({ ...least.Connection, baseUrl: `${start}${rest}` })),
  },
  {
    what: "Git branches",
    kind: "Branch",
    specs: textOf("~", "^", ":", "?", "*", "[", "\\").map((gitBranch) => ({ ...least.Branch, gitBranch })),
  },
  {
    what: "lives of branches",
    kind: "Branch",
    specs: fc
      .record({ persistent: fc.boolean(), ttl: fc.constantFrom("1h", "1s") }, { requiredKeys: [] })
      .map((life) => ({ ...least.Branch, ...life })),
  },
  {
    what: "parents and connections",
    kind: "Secret",
    specs: fc
      .record(
        {
          projectRef: fc.constantFrom<Spec>(
            { name: "a" },
            { ref: "abcdefghijklmnopqrst" },
            { name: "a", ref: "abcdefghijklmnopqrst" },
            {},
          ),
          branchRef: fc.constant({ name: "a" }),
          connectionRef: fc.constant({ name: "a" }),
        },
        { requiredKeys: [] },
      )
      .map((parents) => ({ from: least.Secret["from"], ...parents })),
  },
  {
    what: "names of environment secrets",
    kind: "Secret",
    specs: fc
      .record(
        {
          keys: fc.array(mapping, { minLength: 1, maxLength: 3 }),
          prefix: fc.constantFrom("P_", "1", "Q".repeat(128)),
        },
        { requiredKeys: ["keys"] },
      )
      .map((entry) => ({ ...least.Secret, from: [{ secretRef: { name: "app" }, ...entry }] })),
  },
  {
    what: "admitted namespaces",
    kind: "ClusterConnection",
    specs: fc
      .record(
        {
          from: fc.constantFrom("All", "Selected"),
          names: fc.constant(["a"]),
          selector: fc.constant({ matchLabels: { a: "b" } }),
        },
        { requiredKeys: [] },
      )
      .map((allowedNamespaces) => ({ ...least.ClusterConnection, allowedNamespaces })),
  },
];

describe("apiserver and operator agree", () => {
  test.each(subjects)("on $what", async ({ kind, specs }) => {
    const outcomes = { accepted: 0, refused: 0 };
    const property = fc.asyncProperty(specs, async (spec) => {
      const object = manifest(kind, "candidate", "default", spec);
      const answer = await definitions.objects.tryCreate(object);
      const read = parsers[kind].parse({ ...object, metadata: { ...object.metadata, uid: "u", resourceVersion: "1" } });
      outcomes[read.ok ? "accepted" : "refused"] += 1;
      expect({ accepted: answer.status === 201, message: answer.message }).toMatchObject({ accepted: read.ok });
    });
    await fc.assert(property, { numRuns: 150 });
    // Without both outcomes the inputs would have shown nothing.
    expect(Math.min(outcomes.accepted, outcomes.refused)).toBeGreaterThan(0);
  });
});
