import { ADDON_VARIANTS, type AddonType, type AddonVariant, type ComputeVariant } from "../../api/contract/addons.ts";
import type { World } from "../state/world.ts";

/** The add-ons that projects have selected, beside the compute size, which is the project's own `instanceSize`. */

type OtherVariant = Exclude<AddonVariant, ComputeVariant>;

const TYPES: Readonly<Record<OtherVariant, AddonType>> = {
  cd_default: "custom_domain",
  pitr_7: "pitr",
  pitr_14: "pitr",
  pitr_28: "pitr",
  ipv4_default: "ipv4",
  auth_mfa_phone_default: "auth_mfa_phone",
  auth_mfa_web_authn_default: "auth_mfa_web_authn",
  log_drain_default: "log_drain",
};

export function isCompute(variant: AddonVariant): variant is ComputeVariant {
  return variant.startsWith("ci_");
}

/** Every variant that is no compute size. */
export const OTHER_VARIANTS = ADDON_VARIANTS.filter((variant): variant is OtherVariant => !isCompute(variant));

/** The type that a variant belongs to. */
export function typeOf(variant: AddonVariant): AddonType {
  return isCompute(variant) ? "compute_instance" : TYPES[variant];
}

export function hasAddon(world: World, ref: string, type: Exclude<AddonType, "compute_instance">): boolean {
  return world.addons.get(ref, type) !== undefined;
}

/** Selects a variant; it replaces the one of the same type. A variant that is selected already stays since when it was. */
export function selectAddon(world: World, ref: string, variant: OtherVariant): void {
  const type = typeOf(variant);
  const known = world.addons.get(ref, type);
  if (known?.variant === variant) return;
  // the window of a longer or shorter retention begins where the first one began
  world.addons.set(ref, type, { variant, sinceMs: known?.sinceMs ?? world.clock.now() });
}

/** Without the add-on of a custom hostname that "has been removed" (facts.md §5): it is not there again with the next one. */
export function dropAddon(world: World, ref: string, type: Exclude<AddonType, "compute_instance">): void {
  world.addons.delete(ref, type);
  if (type === "custom_domain") world.customHostnames.reset(ref);
}
