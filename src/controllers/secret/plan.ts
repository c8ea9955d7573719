import type { RemoteSecret } from "../../api/contract/secrets.ts";
import type { PlannedChange } from "../shared/drift.ts";

/** A Secret's declared values, the remote secrets, and the names that are this object's. */
export interface SecretPlanInput {
  readonly wanted: readonly { readonly name: string; readonly digest: string }[];
  /** `value` is the digest of the value */
  readonly remote: readonly Pick<RemoteSecret, "name" | "value">[];
  /** names that this object set, or was about to set */
  readonly ours: readonly string[];
  /** whether the Kubernetes Secrets are other versions than those whose values were set last */
  readonly edited: boolean;
}

/** One name that is not as declared. `field` is the name. */
export type SecretChange = PlannedChange & { readonly kind: "put" | "remove" };

/** How much of a digest tells one value from another in memory; none of it is shown. */
const TOLD = 12;

/**
 * What must be done for the secrets to be as declared, in the order in which it is done: whatever is new or different is written before
 * anything is deleted (K-34), and only what this object set is ever deleted (K-33). Pure.
 */
export function planSecrets({ wanted, remote, ours, edited }: SecretPlanInput): readonly SecretChange[] {
  const found = new Map(remote.map(({ name, value }) => [name, value]));
  const puts = wanted.flatMap(({ name, digest }): readonly SecretChange[] => {
    const present = found.get(name);
    if (present === digest) return [];
    const cause = edited || !ours.includes(name) ? "edit" : "declared";
    const difference = `${digest.slice(0, TOLD)} after ${present?.slice(0, TOLD) ?? "none"}`;
    return [{ kind: "put", field: name, cause, difference }];
  });
  const declared = new Set(wanted.map(({ name }) => name));
  const removes = ours
    .filter((name) => !declared.has(name) && found.has(name))
    .map((name): SecretChange => ({ kind: "remove", field: name, cause: "edit", difference: "not declared any more" }));
  return [...puts, ...removes];
}

/** What is declared, beside what is there and what of it is the object's. */
export type Declared = Omit<SecretPlanInput, "edited">;

/** Declared names that this object did not set and that are not there, as far as that is known. */
export function unknownNames({ wanted, remote, ours }: Declared): readonly string[] {
  const found = new Set([...remote.map(({ name }) => name), ...ours]);
  return wanted.flatMap(({ name }) => (found.has(name) ? [] : [name]));
}

/** Declared names that are there and that this object did not set. */
export function foreignNames({ wanted, remote, ours }: Declared): readonly string[] {
  const found = new Set(remote.map(({ name }) => name));
  return wanted.flatMap(({ name }) => (found.has(name) && !ours.includes(name) ? [name] : []));
}

/** Declared names that are there with the declared value. */
export function asDeclared({ wanted, remote }: Pick<SecretPlanInput, "wanted" | "remote">): readonly string[] {
  const found = new Map(remote.map(({ name, value }) => [name, value]));
  return wanted.flatMap(({ name, digest }) => (found.get(name) === digest ? [name] : []));
}

/** All of both, once each, in order. */
export function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])].toSorted();
}
