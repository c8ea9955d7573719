import { ManualClock } from "../../../src/base/manual-clock.ts";
import { REF } from "../../support/emulator/every-call.ts";
import {
  type Refusal,
  alike,
  allOfThem,
  asked,
  forced,
  onPlan,
  OTHER,
  PROJECT,
} from "../../support/emulator/refusal.ts";

/** Add-ons, backups, disk, database server, network, SSL enforcement and read replicas. */

const FREE = onPlan("free");
const PRO = onPlan("pro");

const addons: readonly Refusal[] = [
  {
    id: "addons.apply",
    status: 400,
    because: "the plan has no add-ons",
    given: FREE,
    says: "not available on the free plan",
  },
  {
    id: "addons.apply",
    status: 400,
    because: "the variant is of another type",
    body: { addon_variant: "cd_default", addon_type: "pitr" },
    says: "addon_type: expected 'custom_domain'",
  },
  {
    id: "addons.apply",
    status: 400,
    because: "point-in-time recovery needs a larger database",
    given: asked("PATCH", `/v1/projects/${OTHER}/billing/addons`, {
      addon_variant: "ipv4_default",
      addon_type: "ipv4",
    }),
    path: `/v1/projects/${OTHER}/billing/addons`,
    body: { addon_variant: "pitr_7", addon_type: "pitr" },
    says: "needs the compute size small",
  },
  {
    id: "addons.remove",
    status: 400,
    because: "the compute size was never another one",
    path: `${PROJECT}/billing/addons/ci_small`,
    says: "none to go back to from ci_small",
  },
  {
    id: "addons.remove",
    status: 404,
    because: "the project has another variant",
    path: `${PROJECT}/billing/addons/pitr_14`,
    says: "Selected add-on pitr_14 not found",
  },
];

const RESTORE = { recovery_time_target_unix: new ManualClock().now() / 1000 };
const SCHEDULE = `${PROJECT}/database/backups/schedule`;
const schedule = (hour: string) => asked("PATCH", SCHEDULE, { schedule_for: `${hour}:00:00` });

const backups: readonly Refusal[] = [
  {
    id: "backups.restorePitr",
    status: 400,
    because: "the project has no point-in-time recovery",
    path: `/v1/projects/${OTHER}/database/backups/restore-pitr`,
    body: RESTORE,
    says: "PITR is not enabled",
  },
  {
    id: "backups.restorePitr",
    status: 400,
    because: "nothing is kept of that time",
    body: { recovery_time_target_unix: 0 },
    says: "recovery_time_target_unix: expected seconds since the epoch from",
  },
  {
    id: "backups.restorePitr",
    status: 400,
    because: "the project is paused",
    given: forced("INACTIVE"),
    body: RESTORE,
    says: "it is INACTIVE",
  },
  ...alike(["backups.getSchedule", "backups.updateSchedule"], {
    status: 402,
    because: "only the plan Enterprise has one",
    given: PRO,
    says: "This needs the plan Enterprise; the organization has Pro.",
  }),
  { id: "backups.getSchedule", status: 404, because: "none was ever set", says: "Backup schedule not found" },
  {
    id: "backups.updateSchedule",
    status: 400,
    because: "it was changed three times within a day",
    given: allOfThem(schedule("01"), schedule("02"), schedule("03")),
    says: "can be updated 3 times in 24 hours",
  },
];

const server: readonly Refusal[] = [
  {
    id: "disk.update",
    status: 400,
    because: "it was changed a short time ago",
    given: asked("POST", `${PROJECT}/config/disk`, { attributes: { type: "gp3", iops: 3000, size_gb: 20 } }),
    body: { attributes: { type: "gp3", iops: 3000, size_gb: 30 } },
    says: "The disk was changed a short time ago",
  },
  {
    id: "disk.update",
    status: 400,
    because: "a disk does not shrink",
    body: { attributes: { type: "gp3", iops: 3000, size_gb: 1 } },
    says: "attributes.size_gb: a disk cannot shrink",
  },
  {
    id: "postgresConfig.replace",
    status: 400,
    because: "PostgreSQL has no such setting",
    body: { max_connexions: 10 },
    says: "max_connexions",
  },
  {
    id: "pooler.update",
    status: 400,
    because: "no pool is so large",
    body: { default_pool_size: 3001 },
    says: "default_pool_size",
  },
  ...alike(["sslEnforcement.get", "sslEnforcement.update"], {
    status: 400,
    because: "the project cannot enforce it",
    given: async ({ control }) => {
      await control.ssl.support({ ref: REF, supported: false });
    },
    says: "not allowed to configure SSL enforcements",
  }),
];

const network: readonly Refusal[] = [
  {
    id: "networkBans.delete",
    status: 400,
    because: "it is no address",
    body: { ipv4_addresses: ["203.0.113"] },
    says: "expected an IPv4 address",
  },
  {
    id: "networkRestrictions.apply",
    status: 400,
    because: "nobody comes from a private range",
    body: { dbAllowedCidrs: ["10.0.0.0/8"] },
    says: "dbAllowedCidrs: expected public ranges",
  },
  {
    id: "networkRestrictions.update",
    status: 400,
    because: "the project is not entitled to them",
    given: async ({ control }) => {
      await control.network.entitle({ ref: REF, entitlement: "disallowed" });
    },
    says: "its entitlement is disallowed",
  },
  ...alike(["networkRestrictions.apply", "networkRestrictions.update"], {
    status: 500,
    because: "the pooler does not know a project that is being made, the one 500 of a situation",
    given: forced("COMING_UP"),
    says: "pooler tenant not found",
  }),
];

const REPLICA = `${PROJECT}/read-replicas`;
const replicas: readonly Refusal[] = [
  {
    id: "readReplicas.setup",
    status: 400,
    because: "the project has as many as it may",
    given: asked("POST", `${REPLICA}/setup`, { read_replica_region: "eu-west-1" }),
    says: "which is the limit",
  },
  {
    id: "readReplicas.setup",
    status: 402,
    because: "the plan has none",
    given: FREE,
    says: "This needs the plan Pro, Team or Enterprise; the organization has Free.",
  },
  {
    id: "readReplicas.remove",
    status: 400,
    because: "the primary database is none",
    body: { database_identifier: REF },
    says: "the primary database is no read replica",
  },
  {
    id: "readReplicas.remove",
    status: 404,
    because: "the project has no such replica",
    body: { database_identifier: "replica-9" },
    says: "Read replica not found",
  },
];

export const INFRASTRUCTURE_REFUSALS: readonly Refusal[] = [...addons, ...backups, ...server, ...network, ...replicas];
