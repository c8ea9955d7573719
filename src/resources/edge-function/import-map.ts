import { z } from "zod";
import type { Rule } from "../rules.ts";

/** An import map that stands in the spec itself. */

const target = { type: "string", description: "Address that stands for it.", maxLength: 2048 } as const;
const most = 256;

export const inlineImportMapField = z
  .object({
    imports: z
      .record(z.string(), z.string())
      .meta({
        description: "Address by the specifier that stands for it in the source, for example lodash or @std/.",
        maxProperties: most,
        additionalProperties: target,
      })
      .optional(),
    scopes: z
      .record(z.string(), z.record(z.string(), z.string()))
      .meta({
        description: "Further imports, for modules whose address begins with the key.",
        maxProperties: 64,
        additionalProperties: {
          type: "object",
          description: "Address by specifier.",
          maxProperties: most,
          additionalProperties: target,
        },
      })
      .optional(),
  })
  .describe(
    "The import map itself, instead of the path of one: deployed as import_map.json beside the files, from where relative addresses are resolved.",
  );

interface TwoMaps {
  readonly importMap?: unknown;
  readonly inlineImportMap?: unknown;
}

export const oneImportMap: Rule<TwoMaps> = {
  cel: "!has(self.importMap) || !has(self.inlineImportMap)",
  message: "importMap names a file and inlineImportMap is one: set one of them",
  fieldPath: ".inlineImportMap",
  holds: ({ importMap, inlineImportMap }) => importMap === undefined || inlineImportMap === undefined,
};
