import { type BadCase, builtIn, duration, oneParent, ruled } from "./bad-case.ts";
import { type Spec, someRef } from "./manifest.ts";

const oneProject = "set exactly one of name (a Project in this namespace) and ref (a project that no object manages)";
const noConnection = "remove connectionRef: the connection is that of the Project or Branch";

/** Branches, functions and secrets that must be refused. */
export const branchCases: readonly BadCase[] = [
  ...ruled("Branch", [
    ["two-projects", "a project named twice", { projectRef: { name: "shop", ref: someRef } }, oneProject],
    ["no-project", "a project named not at all", { projectRef: {} }, oneProject],
    [
      "persistent-ttl",
      "a persistent branch with an end",
      { persistent: true, ttl: "1h" },
      "a persistent branch does not expire: remove ttl",
    ],
    [
      "git-branch",
      "a blank in the name of a Git branch",
      { gitBranch: "my branch" },
      "write the name of a Git branch, such as feature/login",
    ],
    [
      "notify",
      "a callback that is no URL",
      { notifyUrl: "hook" },
      "write a URL such as https://hooks.example.com/branches",
    ],
    ["resize", "when a size is written that is not declared", { resizePolicy: "Always" }, "write instanceSize too"],
    ["ttl", "a life in weeks", { ttl: "2w" }, `write a duration of 1m to 8760h ${duration}`],
    [
      "connection",
      "a connection of its own beside a managed project",
      { connectionRef: { name: "other" } },
      noConnection,
    ],
  ]),
  ...builtIn("Branch", [
    ["size", "a size that there is not", { instanceSize: "huge" }, 'supported values: "pico", "nano"'],
    [
      "region-group",
      "a part of the world, which a branch cannot be given",
      { region: {} },
      "spec.region.code: Required value",
    ],
    ["parent", "no project at all", { projectRef: undefined }, "spec.projectRef: Required value"],
  ]),
];

const file = (path: string): Spec => ({ source: { inline: { files: { "index.ts": "", [path]: "" } } } });
const artifact = (ref: Spec): Spec => ({
  source: { artifactRef: { kind: "GitRepository", name: "app", ...ref } },
});
const pathWords = "write a relative path with '/' between its parts, without '..', such as index.ts or lib/db.ts";

export const functionCases: readonly BadCase[] = [
  ...ruled("EdgeFunction", [
    ["two-parents", "two parents", { branchRef: { name: "preview" } }, oneParent],
    ["no-parent", "no parent", { projectRef: undefined }, oneParent],
    [
      "two-sources",
      "two sources",
      { source: { inline: { files: { "index.ts": "" } }, configMapRef: { name: "x" } } },
      "set exactly one of inline",
    ],
    ["no-source", "no source", { source: {} }, "set exactly one of inline (the files themselves), configMapRef"],
    [
      "artifact-and-files",
      "files beside an artifact",
      {
        source: { inline: { files: { "index.ts": "" } }, artifactRef: { kind: "GitRepository", name: "app" } },
      },
      "set exactly one of inline",
    ],
    [
      "artifact-parent",
      "a folder above the artifact",
      artifact({ path: "../fn" }),
      "write the relative path of a folder",
    ],
    [
      "artifact-inner",
      "a folder above it on its way",
      artifact({ path: "a/../../b" }),
      "write the relative path of a folder",
    ],
    ["artifact-absolute", "an absolute folder", artifact({ path: "/fn" }), "write the relative path of a folder"],
    [
      "artifact-name",
      "no name of an object",
      artifact({ name: "App" }),
      "write the metadata.name of a Kubernetes object",
    ],
    [
      "two-maps",
      "an import map beside the path of one",
      { importMap: "index.ts", inlineImportMap: {} },
      "importMap names a file and inlineImportMap is one: set one of them",
    ],
    [
      "pattern-parent",
      "a pattern that leaves the source",
      { staticPatterns: ["../*.html"] },
      "write a relative pattern",
    ],
    ["pattern-absolute", "an absolute pattern", { staticPatterns: ["/etc/*"] }, "write a relative pattern"],
    [
      "entrypoint",
      "an entrypoint that is not among the files",
      { entrypoint: "main.ts" },
      "entrypoint (index.ts when omitted) names no file of the source",
    ],
    [
      "entrypoint-key",
      "an entrypoint that is not among the keys",
      { source: { configMapRef: { name: "x", keys: [{ key: "main.ts" }] } } },
      "entrypoint (index.ts when omitted) names no file of the source",
    ],
    [
      "import-map",
      "an import map that is not among the files",
      { importMap: "deno.json" },
      "importMap names no file of the source",
    ],
    ["parent-path", "a path that leaves the source", file("../secret.ts"), pathWords],
    ["inner-path", "a path that leaves the source on its way", file("lib/../../x.ts"), pathWords],
    ["absolute-path", "an absolute path", file("/etc/passwd"), pathWords],
    ["backslash-path", "a path with the other slash", file("lib\\db.ts"), pathWords],
    ["long-path", "a path that is too long", file("x".repeat(257)), pathWords],
    [
      "slug",
      "a slug that begins with a digit",
      { slug: "2nd" },
      "write a slug: a letter, then letters, digits, '-' and '_'",
    ],
    ["2nd", "a name that is no slug, and no slug", {}, "metadata.name is no slug"],
    ["dotted.name", "a name with a dot, and no slug", {}, "set spec.slug"],
  ]),
  ...builtIn("EdgeFunction", [
    [
      "artifact-kind",
      "a kind that has no artifact",
      artifact({ kind: "HelmRelease" }),
      'spec.source.artifactRef.kind: Unsupported value: "HelmRelease"',
    ],
    [
      "artifact-version",
      "a version of Flux's API that is not read",
      artifact({ apiVersion: "source.toolkit.fluxcd.io/v1beta2" }),
      "spec.source.artifactRef.apiVersion: Unsupported value",
    ],
    [
      "no-files",
      "no files",
      { source: { inline: { files: {} } } },
      "spec.source.inline.files in body should have at least 1 properties",
    ],
    [
      "verify-jwt",
      "a truth value as text",
      { verifyJwt: "always" },
      "spec.verifyJwt in body must be of type boolean",
      ".spec.verifyJwt: expected boolean",
    ],
    [
      "same-pattern",
      "a pattern twice",
      { staticPatterns: ["a", "a"] },
      'Duplicate value: "a"',
      ".spec.staticPatterns: duplicate entries",
    ],
    [
      "same-key",
      "a key twice",
      { source: { configMapRef: { name: "x", keys: [{ key: "index.ts" }, { key: "index.ts" }] } } },
      "Duplicate value",
      ".spec.source.configMapRef.keys: duplicate entries",
    ],
  ]),
];

const from = (entry: Spec): Spec => ({ from: [{ secretRef: { name: "app" }, ...entry }] });

export const secretCases: readonly BadCase[] = [
  ...ruled("Secret", [
    ["no-parent", "no parent", { projectRef: undefined }, oneParent],
    [
      "form",
      "[K-35] a name that is no variable's",
      from({ keys: [{ key: "a", as: "api-key" }] }),
      "write the name of an environment variable",
    ],
    [
      "digit",
      "[K-35] a name that begins with a digit",
      from({ keys: [{ key: "a", as: "1A" }] }),
      "write the name of an environment variable",
    ],
    [
      "key-form",
      "[K-35] a key that makes no variable's name",
      from({ keys: [{ key: "api.key" }] }),
      "a key gives no name of an environment variable: set as for it",
    ],
    [
      "prefix",
      "[K-35] a prefix that makes no variable's name",
      from({ prefix: "my-" }),
      "write the name of an environment variable",
    ],
    [
      "too-long",
      "[K-35] a name that is too long with its prefix",
      from({ prefix: "P".repeat(100), keys: [{ key: "a", as: "A".repeat(200) }] }),
      "make a name of more than 256 characters",
    ],
    [
      "twice",
      "two keys of one name",
      from({ keys: [{ key: "a", as: "A" }, { key: "A" }] }),
      "two keys give the same name",
    ],
    [
      "source-name",
      "the name of a Secret in capitals",
      { from: [{ secretRef: { name: "App" } }] },
      "write the metadata.name of a Kubernetes object",
    ],
  ]),
  ...builtIn("Secret", [
    [
      "as-long",
      "[K-35] a name that is too long",
      from({ keys: [{ key: "a", as: "A".repeat(257) }] }),
      "Too long: may not be more than 256",
    ],
    ["nothing", "nothing to take from", { from: [] }, "spec.from in body should have at least 1 items"],
    [
      "no-name",
      "a Secret without a name",
      { from: [{ secretRef: {} }] },
      "spec.from[0].secretRef.name: Required value",
    ],
  ]),
];
