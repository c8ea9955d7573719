import { z } from "zod";
import { choice, flag, integer, size } from "./builders.ts";
import { group } from "./setting.ts";

const amount = (wire: string, description: string) => integer(wire, description, { min: 0, max: 2_147_483_647 });

/** spec.storage. Ranges: facts.md §2, storage PATCH. */
export const storageSettings = z
  .object({
    fileSizeLimit: size("fileSizeLimit", "Largest file that may be uploaded.", { max: "500Gi", example: "50Mi" }),
    imageTransformation: group("Images that are transformed as they are served.", {
      enabled: flag("features.imageTransformation.enabled", "Whether images can be transformed."),
    }),
    s3Protocol: group("Access by the S3 protocol.", {
      enabled: flag("features.s3Protocol.enabled", "Whether storage speaks the S3 protocol."),
    }),
    icebergCatalog: group("Catalogs of Iceberg tables.", {
      enabled: flag("features.icebergCatalog.enabled", "Whether there are Iceberg catalogs."),
      maxNamespaces: amount("features.icebergCatalog.maxNamespaces", "Most namespaces."),
      maxTables: amount("features.icebergCatalog.maxTables", "Most tables."),
      maxCatalogs: amount("features.icebergCatalog.maxCatalogs", "Most catalogs."),
    }),
    vectorBuckets: group("Buckets of vectors.", {
      enabled: flag("features.vectorBuckets.enabled", "Whether there are buckets of vectors."),
      maxBuckets: amount("features.vectorBuckets.maxBuckets", "Most buckets."),
      maxIndexes: amount("features.vectorBuckets.maxIndexes", "Most indexes."),
    }),
    upstreamTarget: choice("external.upstreamTarget", "Which build of the service the project uses.", {
      Main: "main",
      Canary: "canary",
    }),
  })
  .describe("Storage. What is not declared is left as it is.");
