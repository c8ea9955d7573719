import { z } from "zod";
import { blank, choice, objectName, text } from "../fields.ts";

/** A source that Flux publishes as an artifact: one of its source objects, whose status says where the artifact is and which digest it has. */

/** The version of Flux's API that is read. */
export const fluxApiVersion = "source.toolkit.fluxcd.io/v1";

/** Kinds of Flux whose status carries an artifact. */
export const fluxSourceKinds = ["GitRepository", "OCIRepository", "Bucket", "ExternalArtifact"] as const;
export type FluxSourceKind = (typeof fluxSourceKinds)[number];

/** A part of a path: as in sourcePathPattern (fields.ts), neither empty nor "." nor "..". */
const part = `([^./\\\\${blank}]|\\.[^./\\\\${blank}]|\\.\\.[^/\\\\${blank}])[^/\\\\\\r\\n]*`;

export const artifactRefField = z
  .object({
    apiVersion: choice(
      `Version of Flux's API, ${fluxApiVersion} when omitted. A cluster that does not serve the kind in it (yet) has no such object.`,
      [fluxApiVersion],
    ).optional(),
    kind: choice("Kind of the source object.", fluxSourceKinds),
    name: objectName(
      "Name of the source object, in the namespace of this object: those of other namespaces cannot be named, since whoever may write here need not be allowed to read there.",
    ),
    path: text("Folder of the artifact whose files are the source; all of the artifact when omitted.", {
      max: 512,
      pattern: `^(\\./)?(${part}/)*${part}/?$`,
      message: "write the relative path of a folder with '/' between its parts, without '..', such as functions/hello",
    }).optional(),
  })
  .describe(
    "An artifact of Flux (GitRepository, OCIRepository, Bucket or ExternalArtifact). It is fetched from where the status of that object says, only if " +
      "it has the digest that stands there (sha256, sha384 or sha512), and deployed when what is below path has changed.",
  );

/** The folder that a reference names, without './' before it and '/' after it; "" for all of the artifact. */
export function artifactFolder({ path = "" }: { readonly path?: string | undefined }): string {
  return path.replace(/^\.\//, "").replace(/\/$/, "");
}
