import fc from "fast-check";
import { z } from "zod";
import type { EmulatorUnderTest } from "../api.ts";
import { type Modelled, modelled, PROJECT, REF, type Resource } from "./resource.ts";

/** The servers under a project's database: size, disk, network, replicas, backups. */

const HOUR_MS = 3_600_000;

interface Selected {
  readonly compute: string;
  /** what a removal of the compute size goes back to */
  readonly previous: string | null;
  readonly others: Readonly<Record<string, string>>;
}
type AddonCommand =
  | { readonly apply: string; readonly type?: string }
  | { readonly remove: string }
  /** whatever compute size is there */
  | { readonly rollBack: true };

const ADDONS = `${PROJECT}/billing/addons`;
const TYPES: Readonly<Record<string, string>> = { ci: "compute_instance", pitr: "pitr", ipv4: "ipv4" };
const typeOf = (variant: string): string => TYPES[variant.split("_", 1)[0] ?? ""] ?? "";
const variants = fc.constantFrom("ci_micro", "ci_small", "ci_medium", "pitr_7", "pitr_28", "ipv4_default");
const selection = z.object({ selected_addons: z.array(z.object({ variant: z.object({ id: z.string() }) })) });

const addons: Resource<Selected, AddonCommand> = {
  name: "addons",
  forms: ["apply", "remove", "rollBack"],
  command: fc.oneof(
    fc.record({ apply: variants }),
    fc.record({ apply: variants, type: fc.constantFrom("pitr", "ipv4") }),
    fc.record({ remove: variants }),
    fc.record({ rollBack: fc.constant(true as const) }),
  ),
  initial: async () => ({ compute: "ci_micro", previous: null, others: {} }),
  request: (command, { compute }) => {
    if ("rollBack" in command) return { method: "DELETE", path: `${ADDONS}/${compute}` };
    if ("remove" in command) return { method: "DELETE", path: `${ADDONS}/${command.remove}` };
    const { apply: addon_variant, type: addon_type = typeOf(addon_variant) } = command;
    return { method: "PATCH", path: ADDONS, body: { addon_variant, addon_type } };
  },
  after: (command, state) => {
    const variant = "apply" in command ? command.apply : "remove" in command ? command.remove : state.compute;
    const type = typeOf(variant);
    const others = Object.entries(state.others).filter(([known]) => known !== type);
    if (type !== "compute_instance") {
      return { ...state, others: Object.fromEntries("remove" in command ? others : [...others, [type, variant]]) };
    }
    // "rolling compute back to its previous size" (endpoints.md)
    if (!("apply" in command)) return { ...state, compute: state.previous ?? "none", previous: null };
    return variant === state.compute ? state : { ...state, compute: variant, previous: state.compute };
  },
  read: async ({ call }) => {
    const { selected_addons: all } = selection.parse((await call("GET", ADDONS)).json);
    return all
      .map(({ variant }) => variant.id)
      .filter((id) => id !== "cd_default") // of the project's names
      .toSorted();
  },
  shown: ({ compute, others }) => [compute, ...Object.values(others)].toSorted(),
};

type Disk = Readonly<Record<string, string | number>>;
const iops = fc.constantFrom(0, 3000, 4000);
const size_gb = fc.constantFrom(4, 8, 16, 32);

/** Grows alone, and rests for hours after a change (facts.md §2, disk POST). */
const disk: Resource<Disk, Disk> = {
  name: "disk",
  command: fc.oneof(
    fc.record({ type: fc.constant("gp3"), iops, size_gb }),
    fc.record({ type: fc.constant("gp3"), iops, size_gb, throughput_mibps: fc.constantFrom(125, 250) }),
    fc.record({ type: fc.constant("io2"), iops, size_gb }),
  ),
  restMs: 4 * HOUR_MS,
  initial: async () => ({ type: "gp3", iops: 3000, size_gb: 8, throughput_mibps: 125 }),
  request: (attributes) => ({ method: "POST", path: `${PROJECT}/config/disk`, body: { attributes } }),
  after: (wanted, { throughput_mibps = 125 }) => (wanted["type"] === "gp3" ? { throughput_mibps, ...wanted } : wanted),
  read: async ({ call }) =>
    z.object({ attributes: z.unknown() }).parse((await call("GET", `${PROJECT}/config/disk`)).json).attributes,
  shown: (attributes) => attributes,
};

const SSL = `${PROJECT}/ssl-enforcement`;
const sslEnforcement: Resource<boolean, unknown> = {
  name: "sslEnforcement",
  command: fc.constantFrom(true, false, "yes"),
  initial: async () => false,
  request: (database) => ({ method: "PUT", path: SSL, body: { requestedConfig: { database } } }),
  after: (database) => database === true,
  read: async ({ call }) =>
    z.object({ currentConfig: z.object({ database: z.boolean() }) }).parse((await call("GET", SSL)).json).currentConfig
      .database,
  shown: (database) => database,
};

/** In the order of the addresses, in which they are read. */
const V4 = ["0.0.0.0/0", "198.51.100.0/24", "203.0.113.0/24"];
const V6 = ["::/0", "2001:db8::/32"];
interface Lists {
  readonly dbAllowedCidrs: readonly string[];
  readonly dbAllowedCidrsV6: readonly string[];
}
type NetworkCommand = { readonly apply: Lists } | { readonly add: Lists; readonly remove: Lists };
const lists: fc.Arbitrary<Lists> = fc.record({
  dbAllowedCidrs: fc.oneof(
    { weight: 5, arbitrary: fc.subarray(V4) },
    { weight: 1, arbitrary: fc.constantFrom(["203.0.113.300/32"], ["10.0.0.0/8"]) },
  ),
  dbAllowedCidrsV6: fc.subarray(V6),
});
const updated = (known: readonly string[], add: readonly string[], remove: readonly string[]): readonly string[] => [
  ...known.filter((one) => !remove.includes(one)),
  ...add,
];

/** An apply replaces both lists, a PATCH adds and removes (facts.md §2, network apply). */
const networkRestrictions: Resource<Lists, NetworkCommand> = {
  name: "networkRestrictions",
  forms: ["apply", "add"],
  command: fc.oneof(fc.record({ apply: lists }), fc.record({ add: lists, remove: lists })),
  initial: async () => ({ dbAllowedCidrs: ["0.0.0.0/0"], dbAllowedCidrsV6: ["::/0"] }),
  request: (command) =>
    "apply" in command
      ? { method: "POST", path: `${PROJECT}/network-restrictions/apply`, body: command.apply }
      : { method: "PATCH", path: `${PROJECT}/network-restrictions`, body: command },
  after: (command, known) => {
    if ("apply" in command) return command.apply;
    const { add, remove } = command;
    return {
      dbAllowedCidrs: updated(known.dbAllowedCidrs, add.dbAllowedCidrs, remove.dbAllowedCidrs),
      dbAllowedCidrsV6: updated(known.dbAllowedCidrsV6, add.dbAllowedCidrsV6, remove.dbAllowedCidrsV6),
    };
  },
  read: async ({ call }) =>
    z.object({ config: z.unknown() }).parse((await call("GET", `${PROJECT}/network-restrictions`)).json).config,
  shown: ({ dbAllowedCidrs, dbAllowedCidrsV6 }) => ({
    dbAllowedCidrs: V4.filter((one) => dbAllowedCidrs.includes(one)),
    dbAllowedCidrsV6: V6.filter((one) => dbAllowedCidrsV6.includes(one)),
  }),
};

const BANS = `${PROJECT}/network-bans`;
const ADDRESSES = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];
type BanCommand = { readonly ban: string } | { readonly lift: readonly string[] };
const bans: Resource<readonly string[], BanCommand> = {
  name: "networkBans",
  forms: ["ban", "lift"],
  command: fc.oneof(
    fc.record({ ban: fc.constantFrom(...ADDRESSES, "nobody") }),
    fc.record({ lift: fc.subarray([...ADDRESSES, "nobody"]) }),
  ),
  initial: async () => [],
  request: (command) =>
    "ban" in command
      ? { method: "POST", path: "/_emulator/network.ban", body: { ref: REF, address: command.ban } }
      : { method: "DELETE", path: BANS, body: { ipv4_addresses: command.lift } },
  after: (command, banned) =>
    "ban" in command
      ? [...banned.filter((address) => address !== command.ban), command.ban]
      : banned.filter((address) => !command.lift.includes(address)),
  read: async ({ call }) => {
    const { json } = await call("POST", `${BANS}/retrieve`);
    return z
      .object({ banned_ipv4_addresses: z.array(z.string()) })
      .parse(json)
      .banned_ipv4_addresses.toSorted();
  },
  shown: (banned) => banned.toSorted(),
};

/** "at most 3 updates per 24 hours" (behaviour.md, Other limits); 404 until one is set (facts.md §5, as behaviour.md, Errors 5). */
const SCHEDULE = `${PROJECT}/database/backups/schedule`;
const backupSchedule: Resource<string, string> = {
  name: "backupSchedule",
  command: fc.constantFrom("23:30:00", "03:00:00", "24:00:00"),
  restMs: 5 * HOUR_MS,
  initial: async () => "404",
  request: (schedule_for) => ({ method: "PATCH", path: SCHEDULE, body: { schedule_for } }),
  after: (time) => time,
  read: async ({ call }) => {
    const { status, json } = await call("GET", SCHEDULE);
    return status === 404 ? "404" : z.object({ schedule_for: z.string() }).parse(json).schedule_for;
  },
  shown: (time) => time,
};

type Replicas = Readonly<Record<string, string>>;
type ReplicaCommand = { readonly setUp: string } | { readonly remove: number };
const database = z.object({ identifier: z.string(), region: z.string(), type: z.string(), status: z.string() });
const projectList = z.object({ projects: z.array(z.object({ ref: z.string(), databases: z.array(database) })) });

/** Identifier and region of each that is not on its way out: the list of the organization's projects shows them. */
async function replicasIn({ call }: EmulatorUnderTest): Promise<Replicas> {
  const { projects } = projectList.parse((await call("GET", "/v1/organizations/acme/projects")).json);
  const all = projects.find(({ ref }) => ref === REF)?.databases ?? [];
  const there = all.filter(({ type, status }) => type === "READ_REPLICA" && status !== "GOING_DOWN");
  return Object.fromEntries(there.map(({ identifier, region }) => [identifier, region]));
}

const readReplicas: Resource<Replicas, ReplicaCommand> = {
  name: "readReplicas",
  forms: ["setUp", "remove"],
  command: fc.oneof(
    fc.record({ setUp: fc.constantFrom("us-east-1", "eu-west-1", "mars-1") }),
    fc.record({ remove: fc.nat(2) }),
  ),
  initial: async () => ({}),
  request: (command, replicas) =>
    "setUp" in command
      ? { method: "POST", path: `${PROJECT}/read-replicas/setup`, body: { read_replica_region: command.setUp } }
      : {
          method: "POST",
          path: `${PROJECT}/read-replicas/remove`,
          body: { database_identifier: Object.keys(replicas)[command.remove] ?? REF },
        },
  after: async (command, replicas, _received, under) => {
    if ("remove" in command) {
      return Object.fromEntries(Object.entries(replicas).filter((_, at) => at !== command.remove));
    }
    const made = Object.keys(await replicasIn(under)).filter((identifier) => replicas[identifier] === undefined);
    return { ...replicas, [made.join(" and ")]: command.setUp };
  },
  read: replicasIn,
  shown: (replicas) => replicas,
};

/** All of them. */
export const infrastructure: readonly Modelled[] = [
  modelled(addons),
  modelled(disk),
  modelled(sslEnforcement),
  modelled(networkRestrictions),
  modelled(bans),
  modelled(backupSchedule),
  modelled(readReplicas),
];
