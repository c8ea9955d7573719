/**
 * JSON patches (RFC 6902) as the apiserver takes them.
 *
 * A patch that removes or changes something found before carries a `test` of it, so that it fails as a whole when somebody
 * was faster (engine.md §5: finalizers).
 */

export type JsonPatchOperation =
  | { readonly op: "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "add"; readonly path: string; readonly value: unknown }
  | { readonly op: "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

export type JsonPatch = readonly JsonPatchOperation[];

/** A JSON pointer (RFC 6901) from plain segments: `pointer("metadata", "annotations", "baas.dev/ref")`. */
export function pointer(...segments: readonly (string | number)[]): string {
  return segments.map((segment) => `/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
