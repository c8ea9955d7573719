import type { AvailableRegions, availableRegions } from "../../api/contract/available-regions.ts";
import { REGIONS, SMART_GROUPS } from "../../api/contract/fields.ts";
import type { OrganizationRecord } from "../organizations/organization-state.ts";
import type { Region } from "./region-state.ts";
import {
  GROUP_NAMES,
  groupOf,
  placeOf,
  SMALLEST_SIZE,
  type SmartGroup,
  unavailability,
  type WantedCapacity,
} from "./regions.ts";
import type { World } from "../state/world.ts";
import type { HandlerRequest } from "../handlers/handler.ts";

type RegionsQuery = HandlerRequest<typeof availableRegions>["query"];
type SpecificRegion = AvailableRegions["all"]["specific"][number];

/** Regions for a project of an organization: those that have room, near the continent that is named, are recommended. */
export function regionsFor(world: World, { plan }: OrganizationRecord, query: RegionsQuery): AvailableRegions {
  const { continent, desired_instance_size: size = SMALLEST_SIZE } = query;
  const wanted: WantedCapacity = { size, plan };
  const group = groupOf(continent ?? "NA");
  const near = REGIONS.filter((region) => isNear(region, continent, group));
  return {
    recommendations: {
      smartGroup: groupOutput(group),
      specific: near
        .filter((region) => unavailability(world, region, wanted) === undefined)
        .map((region) => regionOutput(world, region, wanted)),
    },
    all: {
      smartGroup: SMART_GROUPS.map(groupOutput),
      specific: REGIONS.map((region) => regionOutput(world, region, wanted)),
    },
  };
}

/** Of the continent itself; of the whole group where the continent has no region. */
function isNear(region: Region, continent: RegionsQuery["continent"], group: SmartGroup): boolean {
  const own = placeOf(region).continent;
  const hasRegions = REGIONS.some((other) => placeOf(other).continent === continent);
  return hasRegions ? own === continent : groupOf(own) === group;
}

function groupOutput(group: SmartGroup): AvailableRegions["recommendations"]["smartGroup"] {
  return { name: GROUP_NAMES[group], code: group, type: "smartGroup" };
}

function regionOutput(world: World, region: Region, wanted: WantedCapacity): SpecificRegion {
  const status = unavailability(world, region, wanted);
  const { name } = placeOf(region);
  return { name, code: region, type: "specific", provider: "AWS", ...(status === undefined ? {} : { status }) };
}
