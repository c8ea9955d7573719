import {
  type Addons,
  type AddonType,
  type AddonVariant,
  ADDON_VARIANTS,
  type Variant,
} from "../../api/contract/addons.ts";
import { BRANCH_INSTANCE_SIZES } from "../../api/contract/fields.ts";
import { isCompute, typeOf } from "./addon-selection.ts";
import { computeSize, type InstanceSize } from "../projects/compute-sizes.ts";

/** What can be had and what it costs. The prices are made up; where they are from one list they fit each other. */

const HOURS_PER_MONTH = 730;

const TYPE_NAMES: Readonly<Record<AddonType, string>> = {
  custom_domain: "Custom Domain",
  compute_instance: "Compute Instance",
  pitr: "Point in Time Recovery",
  ipv4: "Dedicated IPv4 Address",
  auth_mfa_phone: "Multi Factor Authentication by Phone",
  auth_mfa_web_authn: "Multi Factor Authentication by WebAuthn",
  log_drain: "Log Drain",
  etl_pipeline: "ETL Pipeline",
};

interface Offer {
  readonly name: string;
  /** dollars per hour */
  readonly hourly: number;
  readonly meta?: unknown;
}

const OFFERS: Readonly<Record<Exclude<AddonVariant, `ci_${string}`>, Offer>> = {
  cd_default: { name: "Custom Domain", hourly: 0.0137 },
  pitr_7: { name: "7 days", hourly: 0.137, meta: { backup_duration_days: 7 } },
  pitr_14: { name: "14 days", hourly: 0.274, meta: { backup_duration_days: 14 } },
  pitr_28: { name: "28 days", hourly: 0.548, meta: { backup_duration_days: 28 } },
  ipv4_default: { name: "IPv4 Address", hourly: 0.0055 },
  auth_mfa_phone_default: { name: "Phone", hourly: 0.1027 },
  auth_mfa_web_authn_default: { name: "WebAuthn", hourly: 0.1027 },
  log_drain_default: { name: "Log Drain", hourly: 0.0822 },
};

/** The compute variant of a size; nano and pico are what a project has without one. */
export function computeVariant(size: InstanceSize): AddonVariant | undefined {
  return ADDON_VARIANTS.find((variant) => variant === `ci_${size}`);
}

/** The size that a compute variant gives. */
export function sizeOf(variant: `ci_${string}`): InstanceSize {
  const size = BRANCH_INSTANCE_SIZES.find((known) => variant === `ci_${known}`);
  if (size === undefined) throw new RangeError(`no compute size of ${variant}`);
  return size;
}

/** A variant as the API shows it. */
export function variantOutput(variant: AddonVariant): Variant {
  const { name, hourly, meta } = isCompute(variant) ? computeOffer(sizeOf(variant)) : OFFERS[variant];
  return {
    id: variant,
    name,
    price: {
      description: `$${hourly}/hour (~$${Math.round(hourly * HOURS_PER_MONTH)}/month)`,
      type: "usage",
      interval: "hourly",
      amount: hourly,
    },
    meta: meta ?? null,
  };
}

function computeOffer(size: InstanceSize): Offer {
  const { cores, dedicated, memoryGb, hourlyPrice, connections, poolerClients } = computeSize(size);
  return {
    name: size.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase()),
    hourly: hourlyPrice,
    meta: {
      cpu_cores: cores,
      cpu_dedicated: dedicated,
      memory_gb: memoryGb,
      connections_direct: connections,
      connections_pooler: poolerClients,
    },
  };
}

/** Every option by its type, in the order of the variants. */
export function availableAddons(): Addons["available_addons"] {
  const byType = Map.groupBy(ADDON_VARIANTS, typeOf);
  return [...byType].map(([type, variants]) => ({
    type,
    name: TYPE_NAMES[type],
    variants: variants.map(variantOutput),
  }));
}
