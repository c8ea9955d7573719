import { type CustomHostnameRecord, RESERVED_SUBDOMAINS } from "./hostname-state.ts";
import { projectByRef } from "../state/presence.ts";
import type { World } from "../state/world.ts";

/** Who has which name, and what the world's name servers say of it. */

/** What a verification misses, in words; nothing when both TXT records are answered. */
export function missingRecords(world: World, { ownership, certificate }: CustomHostnameRecord): readonly string[] {
  return [ownership, certificate]
    .filter(({ name, value }) => !isAnswered(world, name, value))
    .map(({ name }) => `TXT record ${name} is missing or has another value`);
}

function isAnswered(world: World, name: string, value: string): boolean {
  return (
    (world.dns.get(name)?.texts.includes(value) ?? false) ||
    zonesOf(name).some((zone) => world.dns.get(zone)?.obeys === true)
  );
}

/** Whether nobody answers for a name. */
export function isSilent(world: World, name: string): boolean {
  return zonesOf(name).some((zone) => world.dns.get(zone)?.silent === true);
}

/** A name and everything that it is under. */
function zonesOf(name: string): readonly string[] {
  return name.split(".").map((_, index, labels) => labels.slice(index).join("."));
}

/** The custom hostname that a project is served under; undefined before it was activated, and without one. */
export function activeHostname(world: World, ref: string): string | undefined {
  const record = world.customHostnames.get(ref);
  return record?.status === "5_services_reconfigured" ? record.hostname : undefined;
}

/** Whether nobody has the name under the platform's domain: not as vanity subdomain, not as a ref, and it is not reserved. */
export function isSubdomainFree(world: World, name: string): boolean {
  if (RESERVED_SUBDOMAINS.has(name) || world.projects.has(name)) return false;
  return ![...world.vanitySubdomains.rows()].some(([ref, taken]) => taken === name && isServed(world, ref));
}

/** Whether nobody has the name as custom hostname. */
export function isHostnameFree(world: World, name: string): boolean {
  return ![...world.customHostnames.rows()].some(([ref, record]) => record?.hostname === name && isServed(world, ref));
}

/** Whether the project is there: one that is gone has given its names back, though its rows may still be kept. */
function isServed(world: World, ref: string): boolean {
  return projectByRef(world, ref) !== undefined;
}
