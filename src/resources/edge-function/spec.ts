import { z } from "zod";
import { dataKey, list, objectName, sourcePath, sourcePathMessage, sourcePathPattern, text } from "../fields.ts";
import { commonFields, deletionPolicyField } from "../policies.ts";
import { connectionOnlyForUnmanaged, exactlyOneParent, parentFields } from "../references.ts";
import type { Rule } from "../rules.ts";
import { exactlyOne, immutable, ruled } from "../rules.ts";

/** Spec of an EdgeFunction: its source and how it is served. */

const isSourcePath = new RegExp(sourcePathPattern);
const longestPath = 256;

interface InlineFiles {
  readonly files: Readonly<Record<string, string>>;
}

const pathsStayInside: Rule<InlineFiles> = {
  cel: "self.files.all(path, !path.startsWith('/') && !path.endsWith('/') && !path.startsWith('../') && !path.startsWith('./'))",
  message: `each key of files is a path: ${sourcePathMessage}`,
  fieldPath: ".files",
  holds: ({ files }) => Object.keys(files).every((path) => path.length <= longestPath && isSourcePath.test(path)),
};

const source = ruled(
  z
    .object({
      inline: ruled(
        z
          .object({
            files: z
              .record(z.string(), z.string())
              .refine((files) => Object.keys(files).length > 0, "give at least one file")
              .meta({
                description: "Text of each file by its path, for example index.ts or lib/db.ts.",
                minProperties: 1,
                maxProperties: 256,
                additionalProperties: { type: "string", description: "Text of the file.", maxLength: 1_048_576 },
              }),
          })
          .describe("The source itself."),
        [pathsStayInside],
      ).optional(),
      configMapRef: z
        .object({
          name: objectName("Name of a ConfigMap in this namespace."),
          keys: list(
            "Keys that are files of the source; every key when omitted.",
            z.object({
              key: dataKey("Key in the ConfigMap."),
              path: sourcePath("Path of the file in the source; the key when omitted.").optional(),
            }),
            { type: { keys: ["key"] }, max: 256, min: 1 },
          ).optional(),
        })
        .describe("A ConfigMap whose keys are the files; a change of it is deployed.")
        .optional(),
    })
    .describe("Where the source comes from."),
  [
    exactlyOne(
      ["inline", "configMapRef"],
      "set exactly one of inline (the files themselves) and configMapRef (a ConfigMap with the files)",
    ),
  ],
);

interface SourceUse {
  readonly source: { readonly inline?: InlineFiles | undefined };
  readonly entrypoint: string;
  readonly importMap?: string | undefined;
}

const entrypointExists: Rule<SourceUse> = {
  cel: "!has(self.source.inline) || self.entrypoint in self.source.inline.files",
  message: "entrypoint names no file of source.inline.files: add the file, or name one that is there",
  fieldPath: ".entrypoint",
  holds: ({ source: { inline }, entrypoint }) => inline === undefined || Object.hasOwn(inline.files, entrypoint),
};

const importMapExists: Rule<SourceUse> = {
  cel: "!has(self.source.inline) || !has(self.importMap) || self.importMap in self.source.inline.files",
  message: "importMap names no file of source.inline.files: add the file, or name one that is there",
  fieldPath: ".importMap",
  holds: ({ source: { inline }, importMap }) =>
    inline === undefined || importMap === undefined || Object.hasOwn(inline.files, importMap),
};

export const slugPattern = "^[A-Za-z][A-Za-z0-9_-]*$";

const edgeFunctionSpecFields = z.object({
  ...parentFields,
  slug: text("Slug of the function, the last part of its URL; metadata.name when omitted. Fixed at creation.", {
    max: 128,
    pattern: slugPattern,
    message: "write a slug: a letter, then letters, digits, '-' and '_'",
  }).optional(),
  name: text("Display name of the function; the slug when omitted.", { max: 256 }).optional(),
  source,
  entrypoint: sourcePath("Path of the file that is run.").default("index.ts"),
  importMap: sourcePath("Path of the import map (or deno.json) in the source; none when omitted.").optional(),
  staticPatterns: list(
    "Patterns of files that are bundled as they are, for example static/*.html.",
    text("A pattern of paths.", { max: 256 }),
    { type: "set", max: 64 },
  ).optional(),
  verifyJwt: z
    .boolean()
    .describe(
      "Whether requests need a valid JSON Web Token. Always written, so that it is true unless declared otherwise.",
    )
    .default(true),
  ...commonFields,
  deletionPolicy: deletionPolicyField(
    "What happens to the remote function when this object is deleted. If the Project or Branch is kept, or released, its functions are kept too.",
  ).default("Delete"),
});

export const edgeFunctionSpec = ruled(edgeFunctionSpecFields, [
  exactlyOneParent,
  immutable("projectRef", "projectRef is fixed: delete this EdgeFunction and create it again for the other project"),
  immutable("branchRef", "branchRef is fixed: delete this EdgeFunction and create it again for the other branch"),
  connectionOnlyForUnmanaged,
  entrypointExists,
  importMapExists,
]);
export type EdgeFunctionSpec = z.output<typeof edgeFunctionSpec>;
