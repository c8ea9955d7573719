import { z } from "zod";
import { BRANCH_INSTANCE_SIZES, REGIONS } from "../../api/contract/fields.ts";
import { NETWORK_ENTITLEMENTS } from "../../api/contract/network-restrictions.ts";
import { OTHER_VARIANTS, selectAddon } from "./addon-selection.ts";
import { addReplica, replicasOf } from "./primary-and-replicas.ts";
import { autoscaleSchema, fileSystemBytes } from "./disk-state.ts";
import { distinct } from "../state/distinct.ts";
import { eachWithin, notThere } from "../state/seed-error.ts";
import { always } from "../state/life.ts";
import { definedOnly } from "../state/defined-only.ts";
import type { DatabaseStatus } from "./replica-state.ts";
import type { World } from "../state/world.ts";

/** What a seed says of a project's database server, disk and network; most of it no operation can bring about. */

/** Share of the disk that is used, percent. */
export const usedPercentSchema = z.number().min(0).max(100);

/** What is said of how the disk grows by itself; what is not stays as it is. */
export const autoscaleChange = autoscaleSchema.partial();

export const banSchema = z.strictObject({
  address: z.ipv4(),
  /** the database that banned it; default: the primary one */
  identifier: z.string().optional(),
  type: z.string().default("password_failures"),
});

/** Fields of a seed's project. */
export const infrastructureSeedShape = {
  instanceSize: z.enum(BRANCH_INSTANCE_SIZES).default("micro"),
  /** variants; the compute size is `instanceSize` */
  addons: z.array(z.enum(OTHER_VARIANTS)).default([]),
  /** a full disk puts the database into read-only mode */
  diskUsedPercent: usedPercentSchema.optional(),
  diskAutoscale: autoscaleChange.optional(),
  /** false: to ask for it is refused with a bare string */
  sslEnforcementSupported: z.boolean().default(true),
  /** default: allowed */
  networkEntitlement: z.enum(NETWORK_ENTITLEMENTS).optional(),
  bans: z.array(banSchema).default([]),
  readReplicas: distinct(
    z.strictObject({
      region: z.enum(REGIONS),
      identifier: z.string().min(1).optional(),
      /** its setup did */
      failed: z.boolean().default(false),
    }),
    ({ identifier }) => identifier,
    "replica with this identifier",
  ),
} as const;

const infrastructureSchema = z.object(infrastructureSeedShape);
type InfrastructureSeed = Omit<z.output<typeof infrastructureSchema>, "instanceSize">;

/** Adds what a seed says of a project that is stored. @throws SeedError for the ban of a database that is not there */
export function seedInfrastructure(world: World, ref: string, seed: InfrastructureSeed): void {
  for (const variant of seed.addons) selectAddon(world, ref, variant);
  if (seed.diskUsedPercent !== undefined) fillDisk(world, ref, seed.diskUsedPercent);
  if (seed.diskAutoscale !== undefined) setAutoscale(world, ref, seed.diskAutoscale);
  if (!seed.sslEnforcementSupported) supportSsl(world, ref, false);
  if (seed.networkEntitlement !== undefined) entitleNetwork(world, ref, seed.networkEntitlement);
  for (const { region, identifier, failed } of seed.readReplicas) {
    const life = always<DatabaseStatus>(world.clock.now(), failed ? SETUP_FAILED : "ACTIVE_HEALTHY");
    addReplica(world, ref, { region, identifier, life });
  }
  eachWithin(["bans"], seed.bans, (wanted) => {
    const { identifier = ref } = wanted;
    const known = databasesOf(world, ref);
    if (!known.includes(identifier)) throw notThere(["identifier"], { what: "database", name: identifier, known });
    ban(world, ref, wanted);
  });
}

/** How a replica ends whose setup does not succeed. */
export const SETUP_FAILED = "INIT_READ_REPLICA_FAILED" satisfies DatabaseStatus;

/** Identifiers of a project's databases, the primary one first. */
export function databasesOf(world: World, ref: string): readonly string[] {
  return [ref, ...replicasOf(world, ref).map(({ identifier }) => identifier)];
}

export function fillDisk(world: World, ref: string, usedPercent: number): void {
  const row = world.disk.get(ref);
  const usedBytes = Math.ceil((fileSystemBytes(row, world.clock.now()) * usedPercent) / 100);
  world.disk.set(ref, { ...row, usedBytes });
}

export function setAutoscale(world: World, ref: string, change: z.output<typeof autoscaleChange>): void {
  const row = world.disk.get(ref);
  world.disk.set(ref, { ...row, autoscale: { ...row.autoscale, ...definedOnly(change) } });
}

export function supportSsl(world: World, ref: string, supported: boolean): void {
  world.sslEnforcement.set(ref, { ...world.sslEnforcement.get(ref), supported });
}

export function entitleNetwork(world: World, ref: string, entitlement: (typeof NETWORK_ENTITLEMENTS)[number]): void {
  world.networkRestrictions.set(ref, { ...world.networkRestrictions.get(ref), entitlement });
}

export function ban(world: World, ref: string, { address, identifier = ref, type }: z.output<typeof banSchema>): void {
  world.networkBans.set(ref, `${identifier} ${address}`, { address, identifier, type });
}
