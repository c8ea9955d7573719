import { type ParentSpec, parentOf } from "../resources/references.ts";

/** The indexes of stores by name, and how what is found in them is written. */

/** Index of children by what they live in: see `parentKey`. */
export const PARENT_INDEX = "parent";
/** Index of objects by the `namespace/name` of core Secrets that they read. */
export const SECRET_INDEX = "secret";
/** Index of objects by the `namespace/name` of core Secrets that the operator makes for them; of cluster-wide ones without the namespace. */
export const OUTPUT_INDEX = "output";
/** Index of Projects and Branches by their outputs: see `outputPlace`. */
export const PUBLISHED_INDEX = "published";
/** Index of core Secrets and ConfigMaps by the uids of our objects that own them. */
export const OWNER_INDEX = "owner";
/** Index of functions by the source object of Flux whose artifact they are: see `fluxPlace`. */
export const FLUX_INDEX = "flux";
/** Index of objects by the `namespace/name` of ConfigMaps that they read: functions their source, Projects and Branches long texts. */
export const CONFIG_MAP_INDEX = "configMap";
/** Index of Projects by the refs that they claim, and of Branches, functions and secrets by the one that they have or live in. */
export const REF_INDEX = "ref";
/** Index of Projects by `organization/name`: as they declare it, or asked for it; of one that cannot be read, as the platform told it. */
export const NAME_INDEX = "name";
/** Index of Branches and functions by where they are and how they are called there: see `claimAt`. */
export const CLAIM_INDEX = "claim";

/** @param place ref, or what a child lives in: see `parentKey` */
export function claimAt(place: string, name: string): string {
  return `${place} ${name}`;
}

/** `Secret ns/name` or `ConfigMap ns/name`. */
export function outputPlace(kind: string, name: string): string {
  return `${kind} ${name}`;
}

/** `Project/ns/name`, `Branch/ns/name` or `ref/<ref>`: what a child lives in. */
export function parentKey(namespace: string, spec: ParentSpec): string {
  const parent = parentOf(spec);
  switch (parent.kind) {
    case "Project":
    case "Branch":
      return `${parent.kind}/${namespace}/${parent.name}`;
    case "UnmanagedProject":
      return `ref/${parent.ref}`;
    default:
      return parent satisfies never;
  }
}
