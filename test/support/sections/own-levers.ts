import type { ApplicableVariant, AddonType } from "../../../src/api/contract/addons.ts";
import type { WantedDisk } from "../../../src/api/contract/disk.ts";
import type { Lever, Position } from "./lever.ts";
import type { AnyStage } from "./stage.ts";

/** Levers of sections whose endpoints are no lists of settings. */

const same = (wanted: unknown, seen: unknown): boolean => JSON.stringify(wanted) === JSON.stringify(seen);

const HOUR_MS = 3_600_000;
/** until what an add-on changes is over */
const RESIZED_MS = 60_001;

async function selected({ client, ref }: AnyStage, type: AddonType): Promise<string | undefined> {
  const { selected_addons: addons } = await client.addons.list({ ref });
  return addons.find((one) => one.type === type)?.variant.id;
}

interface Addon {
  readonly path: string;
  readonly type: AddonType;
  readonly mine: readonly [declared: unknown, variant: ApplicableVariant];
  /** none: it is not selected */
  readonly theirs: readonly [declared: unknown, variant?: ApplicableVariant];
  readonly prepare?: (stage: AnyStage) => Promise<unknown>;
  readonly spec?: Lever["spec"];
}

/** Selects a variant by hand, or takes away the one that there is. */
async function select(stage: AnyStage, type: AddonType, variant: ApplicableVariant | undefined): Promise<void> {
  const { client, ref, theatre } = stage;
  if (variant === undefined) {
    const there = (await selected(stage, type)) as ApplicableVariant | undefined; // of what this test has selected
    if (there !== undefined) await client.addons.remove({ ref, addon_variant: there });
  } else {
    await client.addons.apply({ ref, body: { addon_type: type, addon_variant: variant } });
  }
  await theatre.pass(RESIZED_MS);
}

function addon({ path, type, mine, theirs, prepare, spec }: Addon): Lever {
  const change = ["addons.list", "addons.apply", "addons.list"];
  return {
    path,
    section: path,
    moves: ["addons.apply addon_type", "addons.apply addon_variant"],
    mine: { declared: mine[0], seen: mine[1] },
    theirs: { declared: theirs[0], seen: theirs[1] },
    costs: { set: change, look: ["addons.list"], repair: change },
    seen: (stage) => selected(stage, type),
    isSame: same,
    byHand: (stage) => select(stage, type, theirs[1]),
    ...(prepare === undefined ? {} : { prepare }),
    ...(spec === undefined ? {} : { spec }),
  };
}

const addons: readonly Lever[] = [
  addon({
    path: "instanceSize",
    type: "compute_instance",
    mine: ["medium", "ci_medium"],
    theirs: ["small", "ci_small"],
    spec: (instanceSize) => ({ instanceSize, resizePolicy: "Always" }), // by itself, one that was changed by hand is left
  }),
  addon({
    path: "addons.pitr",
    type: "pitr",
    mine: ["Days14", "pitr_14"],
    theirs: ["Days7", "pitr_7"],
    prepare: (stage) => select(stage, "compute_instance", "ci_small"),
  }),
  addon({ path: "addons.ipv4", type: "ipv4", mine: [true, "ipv4_default"], theirs: [false] }),
  addon({ path: "addons.customDomain", type: "custom_domain", mine: [true, "cd_default"], theirs: [false] }),
];

function diskLever(
  path: string,
  wire: keyof Extract<WantedDisk, { type: "gp3" }>,
  mine: Position,
  theirs: Position,
): Lever {
  const reads = ["disk.get", "disk.autoscale"];
  const change = [...reads, "disk.get", "disk.update", "disk.get"];
  const attributes = async ({ client, ref }: AnyStage) => (await client.disk.get({ ref })).attributes;
  return {
    path,
    section: "disk",
    moves: [`disk.update attributes.${wire}`],
    mine,
    theirs,
    costs: { set: change, look: reads, repair: change },
    seen: async (stage) => (await attributes(stage))[wire],
    isSame: same,
    byHand: async (stage) => {
      const { size_gb, iops, throughput_mibps } = await attributes(stage);
      const wanted: WantedDisk = {
        type: "gp3",
        size_gb,
        iops,
        ...(throughput_mibps === undefined ? {} : { throughput_mibps }),
      };
      const { client, ref } = stage;
      await client.disk.update({ ref, body: { attributes: { ...wanted, [wire]: theirs.seen } } });
    },
    restMs: 6 * HOUR_MS, // it rests after a change
  };
}

const disk: readonly Lever[] = [
  diskLever("disk.type", "type", { declared: "IO2", seen: "io2" }, { declared: "GP3", seen: "gp3" }),
  diskLever("disk.iops", "iops", { declared: 4000, seen: 4000 }, { declared: 3500, seen: 3500 }),
  diskLever("disk.throughputMibps", "throughput_mibps", { declared: 200, seen: 200 }, { declared: 300, seen: 300 }),
];

async function ranges({ client, ref }: AnyStage): Promise<readonly string[]> {
  const { dbAllowedCidrs = [], dbAllowedCidrsV6 = [] } = (await client.networkRestrictions.get({ ref })).config;
  return [...dbAllowedCidrs, ...dbAllowedCidrsV6].toSorted();
}

const HERE = ["2001:db8::/32", "203.0.113.0/24"];
const THERE = ["198.51.100.0/24"];

interface Restricted {
  readonly path: string;
  readonly request: "apply" | "update";
  readonly moves: readonly string[];
  readonly mine: Position;
  readonly additive?: Pick<Lever, "spec" | "isSame" | "told">;
}

const bothLists = (request: string, under = ""): readonly string[] =>
  ["dbAllowedCidrs", "dbAllowedCidrsV6"].map((list) => `networkRestrictions.${request} ${under}${list}`);

function restricted({ path, request, moves, mine, additive }: Restricted): Lever {
  const change = ["networkRestrictions.get", `networkRestrictions.${request}`];
  return {
    path: `database.networkRestrictions.${path}`,
    section: "database.networkRestrictions",
    moves,
    mine,
    theirs: { declared: THERE, seen: THERE },
    costs: { set: change, look: ["networkRestrictions.get"], repair: change },
    seen: ranges,
    isSame: same,
    byHand: ({ client, ref }) => client.networkRestrictions.apply({ ref, body: { dbAllowedCidrs: THERE } }),
    ...additive,
  };
}

const network: readonly Lever[] = [
  restricted({
    path: "allowedCidrs",
    request: "apply",
    moves: bothLists("apply"),
    mine: { declared: HERE, seen: HERE },
  }),
  restricted({
    path: "mode",
    request: "update",
    moves: bothLists("update", "add."),
    mine: { declared: "Additive", seen: HERE },
    additive: {
      spec: (mode) => ({ database: { networkRestrictions: { mode, allowedCidrs: HERE } } }),
      // Theirs stay beside ours.
      isSame: (wanted, seen) => [wanted].flat().every((range) => Array.isArray(seen) && seen.includes(range)),
      told: "database.networkRestrictions.allowedCidrs",
    },
  }),
  restricted({ path: "denyAll", request: "apply", moves: bothLists("apply"), mine: { declared: true, seen: [] } }),
];

const switches: readonly Lever[] = [
  {
    path: "database.jitAccess",
    section: "database.jitAccess",
    moves: ["jitAccess.update state"],
    mine: { declared: "Enabled", seen: "enabled" },
    theirs: { declared: "Disabled", seen: "disabled" },
    costs: {
      set: ["jitAccess.get", "jitAccess.update"],
      look: ["jitAccess.get"],
      repair: ["jitAccess.get", "jitAccess.update"],
    },
    seen: async ({ client, ref }) => (await client.jitAccess.get({ ref })).state,
    isSame: same,
    byHand: ({ client, ref }) => client.jitAccess.update({ ref, body: { state: "disabled" } }),
  },
  {
    path: "legacyApiKeysEnabled",
    section: "legacyApiKeysEnabled",
    moves: [],
    mine: { declared: false, seen: false },
    theirs: { declared: true, seen: true },
    costs: {
      set: ["apiKeys.getLegacy", "apiKeys.updateLegacy"],
      look: ["apiKeys.getLegacy"],
      repair: ["apiKeys.getLegacy", "apiKeys.updateLegacy"],
    },
    seen: async ({ client, ref }) => (await client.apiKeys.getLegacy({ ref })).enabled,
    isSame: same,
    byHand: ({ client, ref }) => client.apiKeys.updateLegacy({ ref, enabled: true }),
  },
  {
    path: "branching",
    section: "branching",
    moves: [],
    mine: { declared: "Disabled", seen: [] },
    theirs: { declared: "Enabled", seen: ["main"] },
    costs: {
      set: ["branches.list", "branches.list", "branches.disable", "branches.list"],
      look: ["branches.list"],
      repair: ["branches.list", "branches.list", "branches.disable", "branches.list"],
    },
    seen: async ({ client, ref }) => (await client.branches.list({ ref })).map(({ name }) => name),
    isSame: same,
    byHand: async (stage) => {
      const { client, ref } = stage;
      const there = await client.branches.list({ ref });
      if (there.length === 0) await client.branches.create({ ref, body: { branch_name: "main" } });
      await stage.theatre.pass(RESIZED_MS);
    },
  },
];

export const ownLevers: readonly Lever[] = [...addons, ...disk, ...network, ...switches];
