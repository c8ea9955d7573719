import { z } from "zod";
import { newFunctionSlug } from "../../api/contract/functions.ts";
import { failureOrderShape, orderedFailureShape } from "../state/ordered-failures.ts";

/** Deploys of a function that shall not bundle, as a seed or a control call orders. */

const bundleFailureRecord = z
  .strictObject({ ...orderedFailureShape, slug: z.string(), ref: z.string().optional() })
  .readonly();
export type BundleFailure = z.output<typeof bundleFailureRecord>;
export const bundleFailures = { name: "bundleFailures", row: bundleFailureRecord } as const;

export const bundleFailureOrder = z.strictObject({
  slug: newFunctionSlug,
  /** default: in every project */
  ref: z.string().optional(),
  ...failureOrderShape("the module graph could not be built"),
});
export type BundleFailureOrder = z.output<typeof bundleFailureOrder>;
