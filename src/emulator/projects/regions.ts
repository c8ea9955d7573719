import { BRANCH_INSTANCE_SIZES, INSTANCE_SIZES, REGIONS, type SMART_GROUPS } from "../../api/contract/fields.ts";
import type { CONTINENTS } from "../../api/contract/available-regions.ts";
import type { Plan } from "../../api/contract/operation.ts";
import { type ApiFailure, badRequest } from "../failure.ts";
import type { InstanceSize } from "./compute-sizes.ts";
import type { Region } from "./region-state.ts";
import type { World } from "../state/world.ts";

/** Where projects may be created, and who finds room there. */

export type SmartGroup = (typeof SMART_GROUPS)[number];
export type Continent = (typeof CONTINENTS)[number];
type ProjectSize = (typeof INSTANCE_SIZES)[number];

/** What a region is asked to hold. */
export interface WantedCapacity {
  readonly size: InstanceSize;
  readonly plan: Plan;
}

interface RegionPlace {
  readonly name: string;
  readonly continent: Continent;
}

const PLACES: Readonly<Record<Region, RegionPlace>> = {
  "us-east-1": { name: "East US (North Virginia)", continent: "NA" },
  "us-east-2": { name: "East US (Ohio)", continent: "NA" },
  "us-west-1": { name: "West US (North California)", continent: "NA" },
  "us-west-2": { name: "West US (Oregon)", continent: "NA" },
  "ap-east-1": { name: "East Asia (Hong Kong)", continent: "AS" },
  "ap-southeast-1": { name: "Southeast Asia (Singapore)", continent: "AS" },
  "ap-southeast-2": { name: "Oceania (Sydney)", continent: "OC" },
  "ap-northeast-1": { name: "Northeast Asia (Tokyo)", continent: "AS" },
  "ap-northeast-2": { name: "Northeast Asia (Seoul)", continent: "AS" },
  "ap-south-1": { name: "South Asia (Mumbai)", continent: "AS" },
  "eu-west-1": { name: "West EU (Ireland)", continent: "EU" },
  "eu-west-2": { name: "West Europe (London)", continent: "EU" },
  "eu-west-3": { name: "West EU (Paris)", continent: "EU" },
  "eu-north-1": { name: "North EU (Stockholm)", continent: "EU" },
  "eu-central-1": { name: "Central EU (Frankfurt)", continent: "EU" },
  "eu-central-2": { name: "Central Europe (Zurich)", continent: "EU" },
  "ca-central-1": { name: "Canada (Central)", continent: "NA" },
  "sa-east-1": { name: "South America (São Paulo)", continent: "SA" },
};

export const GROUP_NAMES: Readonly<Record<SmartGroup, string>> = {
  americas: "Americas",
  emea: "Europe, Middle East and Africa",
  apac: "Asia-Pacific",
};

const GROUPS: Readonly<Record<Continent, SmartGroup>> = {
  NA: "americas",
  SA: "americas",
  EU: "emea",
  AF: "emea",
  AS: "apac",
  OC: "apac",
  AN: "apac",
};

export function placeOf(region: Region): RegionPlace {
  return PLACES[region];
}

export function groupOf(continent: Continent): SmartGroup {
  return GROUPS[continent];
}

/** The smallest size that a project can have (endpoints.md: "omit for the smallest size"). */
export const SMALLEST_SIZE: ProjectSize = INSTANCE_SIZES[0];

/** Why a project cannot be created in a region now; undefined: it can. */
export function unavailability(
  world: World,
  region: Region,
  { size, plan }: WantedCapacity,
): "capacity" | "other" | undefined {
  const capacity = world.regions.get(region);
  if (capacity === undefined) return undefined;
  if (capacity.plans !== undefined && !capacity.plans.includes(plan)) return "other";
  const { largestSize } = capacity;
  const fits = largestSize !== null && SIZES.indexOf(size) <= SIZES.indexOf(largestSize);
  return fits ? undefined : "capacity";
}

/** Smaller ones before larger ones. */
const SIZES = BRANCH_INSTANCE_SIZES;

/** What is said to whoever finds no room. @param field by which the region was chosen */
export function noRoom(field: string, where: string, { size, plan }: WantedCapacity): ApiFailure {
  return badRequest(`${field}: there is no room for the size ${size} in ${where} on the plan ${plan}`);
}

export function isRegion(code: string | undefined): code is Region {
  return REGIONS.some((region) => region === code);
}

/** The region that a group stands for: its first one with room, the usual one before the others. */
export function regionOfGroup(world: World, group: SmartGroup, wanted: WantedCapacity): Region | undefined {
  const usual = USUAL[group];
  const others = REGIONS.filter((region) => groupOf(PLACES[region].continent) === group);
  return [usual, ...others].find((region) => unavailability(world, region, wanted) === undefined);
}

const USUAL: Readonly<Record<SmartGroup, Region>> = {
  americas: "us-east-1",
  emea: "eu-central-1",
  apac: "ap-southeast-1",
};
