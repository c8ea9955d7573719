import { z } from "zod";
import { dataKey, list, objectName, sourcePath, sourcePathMessage, sourcePathPattern, text } from "../fields.ts";
import { commonFields, deletionPolicyField } from "../policies.ts";
import { connectionOnlyForUnmanaged, exactlyOneParent, parentFields } from "../references.ts";
import type { Rule } from "../rules.ts";
import { celString, exactlyOne, immutable, ruled } from "../rules.ts";
import { artifactRefField } from "./artifact.ts";
import { inlineImportMapField, oneImportMap } from "./import-map.ts";

/** Spec of an EdgeFunction: its source and how it is served. */

const isSourcePath = new RegExp(sourcePathPattern);
const longestPath = 256;

interface InlineFiles {
  readonly files: Readonly<Record<string, string>>;
}

const pathsStayInside: Rule<InlineFiles> = {
  cel: `self.files.all(path, size(path) <= ${longestPath} && path.matches(${celString(sourcePathPattern)}))`,
  message: `each key of files is a path: ${sourcePathMessage}`,
  fieldPath: ".files",
  holds: ({ files }) =>
    Object.keys(files).every((path) => Array.from(path).length <= longestPath && isSourcePath.test(path)),
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
      artifactRef: artifactRefField.optional(),
    })
    .describe("Where the source comes from."),
  [
    exactlyOne(
      ["inline", "configMapRef", "artifactRef"],
      "set exactly one of inline (the files themselves), configMapRef (a ConfigMap with the files) and artifactRef (a source of Flux)",
    ),
  ],
);

interface ConfigMapFiles {
  readonly keys?: readonly { readonly key: string; readonly path?: string | undefined }[] | undefined;
}

interface SourceUse {
  readonly source: { readonly inline?: InlineFiles | undefined; readonly configMapRef?: ConfigMapFiles | undefined };
  readonly entrypoint: string;
  readonly importMap?: string | undefined;
}

/** Whether the manifest shows that a path is no file of the source. Files of a ConfigMap taken whole are not known here. */
function lacksFile({ source: { inline, configMapRef } }: SourceUse, path: string): boolean {
  if (inline !== undefined) return !Object.hasOwn(inline.files, path);
  return configMapRef?.keys !== undefined && !configMapRef.keys.some((item) => (item.path ?? item.key) === path);
}

/** A field of the spec names a file of the source, as far as the manifest shows the files. */
function namesFile(field: "entrypoint" | "importMap"): Rule<SourceUse> {
  const keys = "self.source.configMapRef.keys";
  return {
    cel:
      `!has(self.${field}) || (has(self.source.inline) ? self.${field} in self.source.inline.files : ` +
      `!has(self.source.configMapRef) || !has(${keys}) || ${keys}.exists(k, (has(k.path) ? k.path : k.key) == self.${field}))`,
    message: `${field === "entrypoint" ? "entrypoint (index.ts when omitted)" : field} names no file of the source: add the file, or name one that is there`,
    fieldPath: `.${field}`,
    holds: (spec) => {
      const path = spec[field];
      return path === undefined || !lacksFile(spec, path);
    },
  };
}

/** A part of a pattern: not empty, and neither "." nor "..". */
const patternPart = "([^./\\\\\\r\\n]|\\.[^./\\\\\\r\\n]|\\.\\.[^/\\\\\\r\\n])[^/\\\\\\r\\n]*";

export const slugPattern = "^[A-Za-z][A-Za-z0-9_-]*$";

/** What a function is deployed with where nobody declares it. */
export const FUNCTION_DEFAULTS = { entrypoint: "index.ts", verifyJwt: true } as const;

const edgeFunctionSpecFields = z.object({
  ...parentFields,
  slug: text("Slug of the function, the last part of its URL; metadata.name when omitted. Fixed at creation.", {
    max: 128,
    pattern: slugPattern,
    message: "write a slug: a letter, then letters, digits, '-' and '_'",
  }).optional(),
  name: text("Display name of the function; the slug when omitted.", { max: 256 }).optional(),
  source,
  entrypoint: sourcePath("Path of the file that is run.").default(FUNCTION_DEFAULTS.entrypoint),
  importMap: sourcePath(
    "Path of the import map (or deno.json) in the source. When omitted: the deno.json or deno.jsonc that lies beside the entrypoint, or in the " +
      "nearest folder above it; none where there is none.",
  ).optional(),
  inlineImportMap: inlineImportMapField.optional(),
  staticPatterns: list(
    "Patterns of files that are bundled as they are, for example static/*.html.",
    text("A pattern of paths of the source, with * for any characters.", {
      max: 256,
      pattern: `^(\\./)?(${patternPart}/)*${patternPart}$`,
      message: "write a relative pattern with '/' between its parts, without '..', such as static/*.html",
    }),
    { type: "set", max: 64 },
  ).optional(),
  verifyJwt: z
    .boolean()
    .describe(
      "Whether requests need a valid JSON Web Token. Always written, so that it is true unless declared otherwise.",
    )
    .default(FUNCTION_DEFAULTS.verifyJwt),
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
  namesFile("entrypoint"),
  namesFile("importMap"),
  oneImportMap,
]);
export type EdgeFunctionSpec = z.output<typeof edgeFunctionSpec>;
