import { z } from "zod";
import { INSTANCE_SIZES, REGIONS } from "../../api/contract/fields.ts";
import { NETWORK_ENTITLEMENTS } from "../../api/contract/network-restrictions.ts";
import { type InstanceSize, isAtLeast, SMALLEST_WITH_PITR, USUAL_SIZE } from "../projects/compute-sizes.ts";
import { OTHER_VARIANTS, selectAddon, typeOf } from "./addon-selection.ts";
import { addReplica, REPLICAS_PER_PROJECT, replicasOf } from "./primary-and-replicas.ts";
import { autoscaleSchema, fileSystemBytes } from "./disk-state.ts";
import { distinct } from "../state/distinct.ts";
import { contradiction, eachWithin, notThere } from "../state/seed-error.ts";
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
  /** default: the usual one; with point-in-time recovery the smallest that it needs */
  instanceSize: z.enum(INSTANCE_SIZES).optional(),
  /** variants; the compute size is `instanceSize` */
  addons: distinct(z.enum(OTHER_VARIANTS), typeOf, "variant of the same add-on"),
  /** pitr_7 among the add-ons */
  pitr: z.boolean().default(false),
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
type InfrastructureSeed = z.output<typeof infrastructureSchema>;

/** The compute size of a seed's project. @throws SeedError for one that its point-in-time recovery could not have */
export function seededSize({ instanceSize, pitr, addons }: InfrastructureSeed): InstanceSize {
  const smallest = pitr || pitrOf(addons) !== undefined ? SMALLEST_WITH_PITR : undefined;
  if (instanceSize === undefined) return smallest ?? USUAL_SIZE;
  if (smallest === undefined || isAtLeast(instanceSize, smallest)) return instanceSize;
  throw contradiction(
    ["instanceSize"],
    `point-in-time recovery needs the compute size ${smallest} or a larger one, the project has ${instanceSize}: ` +
      `write instanceSize: ${smallest}`,
  );
}

function pitrOf(addons: InfrastructureSeed["addons"]): InfrastructureSeed["addons"][number] | undefined {
  return addons.find((variant) => typeOf(variant) === "pitr");
}

/**
 * Adds what a seed says of a project that is stored.
 *
 * @throws SeedError for what no calls could bring about: two retentions of its backups, more replicas than it may have, one that is named as
 *   its primary database, the ban of a database that is not there; and for a second ban of an address, which would take the first one's place
 */
export function seedInfrastructure(world: World, ref: string, seed: InfrastructureSeed): void {
  selectAddons(world, ref, seed);
  if (seed.diskUsedPercent !== undefined) fillDisk(world, ref, seed.diskUsedPercent);
  if (seed.diskAutoscale !== undefined) setAutoscale(world, ref, seed.diskAutoscale);
  if (!seed.sslEnforcementSupported) supportSsl(world, ref, false);
  if (seed.networkEntitlement !== undefined) entitleNetwork(world, ref, seed.networkEntitlement);
  eachWithin(["readReplicas"], seed.readReplicas, (wanted) => seedReplica(world, ref, wanted));
  eachWithin(["bans"], seed.bans, (wanted) => {
    const { identifier = ref } = wanted;
    const known = databasesOf(world, ref);
    if (!known.includes(identifier)) throw notThere(["identifier"], { what: "database", name: identifier, known });
    if (world.networkBans.get(ref, banKey(identifier, wanted.address)) !== undefined) {
      throw contradiction([], "there is a ban of this address by this database before it");
    }
    ban(world, ref, wanted);
  });
}

function selectAddons(world: World, ref: string, { addons, pitr }: InfrastructureSeed): void {
  const said = pitrOf(addons);
  if (pitr && said !== undefined && said !== PITR) {
    throw contradiction(["pitr"], `it is ${PITR}, and there is ${said} among the addons: leave one of them out`);
  }
  if (pitr) selectAddon(world, ref, PITR);
  for (const variant of addons) selectAddon(world, ref, variant);
}

/** What `pitr` stands for, here and in the control call. */
export const PITR = "pitr_7";

function seedReplica(
  world: World,
  ref: string,
  { region, identifier, failed }: InfrastructureSeed["readReplicas"][number],
): void {
  if (replicasOf(world, ref).length >= REPLICAS_PER_PROJECT) {
    throw contradiction([], `a project has at most ${REPLICAS_PER_PROJECT} read replicas: leave this one out`);
  }
  if (identifier === ref) throw contradiction(["identifier"], `${ref} is the primary database: give another one`);
  const life = always<DatabaseStatus>(world.clock.now(), failed ? SETUP_FAILED : "ACTIVE_HEALTHY");
  addReplica(world, ref, { region, identifier, life });
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
  world.networkBans.set(ref, banKey(identifier, address), { address, identifier, type });
}

function banKey(identifier: string, address: string): string {
  return `${identifier} ${address}`;
}
