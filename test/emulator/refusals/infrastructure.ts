import { ManualClock } from "../../../src/base/manual-clock.ts";
import { REF } from "../../support/emulator/every-call.ts";
import {
  type Refusal,
  alike,
  allOfThem,
  asked,
  EVENT,
  forced,
  onPlan,
  OTHER,
  PROJECT,
} from "../../support/emulator/refusal.ts";

/** Add-ons, backups, disk, database server, network, SSL enforcement and read replicas. */

const FREE = onPlan("free");
const PRO = onPlan("pro");

const NO_SUCH_VARIANT =
  /^addon_variant: Invalid enum value\. Expected 'ci_micro' \| .* 'cd_default' .* 'ipv4_default', received 'log_drain_default'$/;

const addons: readonly Refusal[] = [
  {
    id: "addons.apply",
    status: 400,
    because: "the plan has no add-ons",
    given: FREE,
    says: "Add-ons are not available on the free plan of the organization",
  },
  {
    id: "addons.apply",
    status: 400,
    because: "the variant is of another type",
    body: { addon_variant: "cd_default", addon_type: "pitr" },
    says: "addon_type: expected 'custom_domain', the type of cd_default, received 'pitr'",
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
    says: "addon_variant: point-in-time recovery needs the compute size small or a larger one, the project has micro",
  },
  {
    id: "addons.apply",
    status: 400,
    of: ["PATCH/DELETE accept only compute, cd_default, pitr_*, ipv4_default"],
    because: "the variant is not had by this request",
    body: { addon_variant: "log_drain_default", addon_type: "log_drain" },
    says: NO_SUCH_VARIANT,
  },
  {
    id: "addons.remove",
    status: 400,
    of: ["PATCH/DELETE accept only compute, cd_default, pitr_*, ipv4_default"],
    because: "the variant is not given back by this request",
    path: `${PROJECT}/billing/addons/log_drain_default`,
    says: NO_SUCH_VARIANT,
  },
  {
    id: "addons.remove",
    status: 400,
    because: "the compute size was never another one",
    path: `${PROJECT}/billing/addons/ci_small`,
    says: "The compute size was never changed: there is none to go back to from ci_small",
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
    of: ["PITR restore without add-on"],
    because: "the project has no point-in-time recovery",
    path: `/v1/projects/${OTHER}/database/backups/restore-pitr`,
    body: RESTORE,
    says: "PITR is not enabled for this project",
  },
  {
    id: "backups.restorePitr",
    status: 400,
    because: "nothing is kept of that time",
    body: { recovery_time_target_unix: 0 },
    says: "recovery_time_target_unix: expected seconds since the epoch from 1767225600 to 1767225600, received 0",
  },
  {
    id: "backups.restorePitr",
    status: 400,
    because: "the project is paused",
    given: forced("INACTIVE"),
    body: RESTORE,
    says: "Project cannot be restored to a point in time, it is INACTIVE",
  },
  ...alike(["backups.getSchedule", "backups.updateSchedule"], {
    status: 402,
    of: ["backup schedule read/update needs Enterprise"],
    because: "only the plan Enterprise has one",
    given: PRO,
    says: "This needs the plan Enterprise; the organization has Pro.",
  }),
  {
    id: "backups.getSchedule",
    status: 404,
    because: "none was ever set",
    of: ["SSO provider operations, realtime shutdown, backup schedule read/update"],
    says: "Backup schedule not found",
  },
  {
    id: "backups.updateSchedule",
    status: 400,
    of: ["at most 3 updates per 24 hours"],
    because: "it was changed three times within a day",
    given: allOfThem(schedule("01"), schedule("02"), schedule("03")),
    says: "The backup schedule can be updated 3 times in 24 hours; again from 2026-01-02T00:00:00.000Z on",
  },
];

const server: readonly Refusal[] = [
  {
    id: "disk.update",
    status: 400,
    of: ["Disk change has a cool-down of about 6 hours"],
    because: "it was changed a short time ago",
    given: asked("POST", `${PROJECT}/config/disk`, { attributes: { type: "gp3", iops: 3000, size_gb: 20 } }),
    body: { attributes: { type: "gp3", iops: 3000, size_gb: 30 } },
    says: "The disk was changed a short time ago; it can be changed again from 2026-01-01T06:00:00.000Z on",
  },
  {
    id: "disk.update",
    status: 400,
    because: "a disk does not shrink",
    body: { attributes: { type: "gp3", iops: 3000, size_gb: 1 } },
    says: "attributes.size_gb: a disk cannot shrink; expected at least 8, received 1",
  },
  {
    id: "postgresConfig.replace",
    status: 400,
    of: ["Unknown keys → 400"],
    because: "PostgreSQL has no such setting",
    body: { max_connexions: 10 },
    says: "body: Unrecognized key(s): 'max_connexions'",
  },
  {
    id: "pooler.update",
    status: 400,
    because: "no pool is so large",
    body: { default_pool_size: 3001 },
    says: "default_pool_size: Too big: expected number to be <=3000, received '3001'",
  },
  ...alike(["sslEnforcement.get", "sslEnforcement.update"], {
    status: 400,
    of: ["ssl enforcement unsupported"],
    because: "the project cannot enforce it",
    given: async ({ control }) => {
      await control.ssl.support({ ref: REF, supported: false });
    },
    says: "not allowed to configure SSL enforcements",
    beside: "bare",
  }),
];

const network: readonly Refusal[] = [
  {
    id: "networkBans.delete",
    status: 400,
    because: "it is no address",
    body: { ipv4_addresses: ["203.0.113"] },
    says: "ipv4_addresses.0: expected an IPv4 address, such as \"203.0.113.7\", received '203.0.113'",
  },
  {
    id: "networkRestrictions.apply",
    status: 400,
    because: "nobody comes from a private range",
    body: { dbAllowedCidrs: ["10.0.0.0/8"] },
    says: "dbAllowedCidrs: expected public ranges, received the private one '10.0.0.0/8'",
  },
  ...alike(["networkRestrictions.apply", "networkRestrictions.update"], {
    status: 400,
    of: ["entitlement disallowed/allowed"],
    because: "the project is not entitled to them",
    given: async ({ control }) => {
      await control.network.entitle({ ref: REF, entitlement: "disallowed" });
    },
    says: "Network restrictions are not available to this project: its entitlement is disallowed",
  }),
  ...["/apply", ""].map((verb) => ({
    id: `networkRestrictions.${verb === "" ? "update" : "apply"}`,
    status: 500,
    of: ["network apply right after create"],
    because: "the pooler does not know a project that is being made, the one 500 of a situation",
    given: asked("POST", "/v1/projects", { name: "new", db_pass: "correct horse", organization_slug: "acme" }),
    path: `/v1/projects/ID/network-restrictions${verb}`,
    says: "Failed to apply network restrictions: pooler tenant not found",
    beside: EVENT,
  })),
];

const REPLICA = `${PROJECT}/read-replicas`;
const replicas: readonly Refusal[] = [
  {
    id: "readReplicas.setup",
    status: 400,
    because: "the project has as many as it may",
    given: asked("POST", `${REPLICA}/setup`, { read_replica_region: "eu-west-1" }),
    says: "The project has 2 read replicas, which is the limit",
  },
  {
    id: "readReplicas.setup",
    status: 402,
    of: ["log drain creation, read replica setup and vanity subdomain operations need Pro, Team or Enterprise"],
    because: "the plan has none",
    given: FREE,
    says: "This needs the plan Pro, Team or Enterprise; the organization has Free.",
  },
  {
    id: "readReplicas.remove",
    status: 400,
    because: "the primary database is none",
    body: { database_identifier: REF },
    says: "database_identifier: the primary database is no read replica",
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
