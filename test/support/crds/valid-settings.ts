import { least } from "./manifest.ts";
import { everyAuthSetting } from "./valid-auth.ts";
import type { ValidCase } from "./valid-case.ts";

/** What a project or branch can be configured to be, in all the ways to write it. */

const authCases: readonly ValidCase[] = [1, 2, 3].map((seed) => ({
  kind: "Project",
  name: `auth-${seed}`,
  why: "every setting of auth",
  spec: { ...least.Project, auth: everyAuthSetting(seed) },
}));

export const settingsCases: readonly ValidCase[] = [
  ...authCases,
  {
    kind: "Project",
    name: "database",
    why: "every way to write what the database is",
    spec: {
      organization: "acme",
      database: {
        settings: {
          workMem: "64MB",
          sharedBuffers: "1Gi",
          logTempFiles: -1,
          maxSlotWalKeepSize: "-1",
          statementTimeout: 0,
          checkpointTimeout: "1h30m",
          walSenderTimeout: "5min",
          logAutovacuumMinDuration: "250ms",
          cronLogStatement: false,
          maxConnections: 262_143,
          sessionReplicationRole: "Local",
        },
        settingsMode: "Replace",
        settingsRestart: "Never",
        ssl: { enforced: true },
        networkRestrictions: {
          allowedCidrs: ["0.0.0.0/0", "203.0.113.7/24", "::/0", "2001:DB8:0:0:1::/64", "8.0.0.0/6"],
          mode: "Additive",
        },
        jitAccess: "Disabled",
        webhooksEnabled: true,
        backups: { scheduleFor: "23:59:59" },
      },
      encryptionRootKey: { secretKeyRef: { name: "root" } },
    },
  },
  {
    kind: "Project",
    name: "denied",
    why: "a database that nobody reaches, and sections that ask for nothing",
    spec: {
      organization: "acme",
      database: { networkRestrictions: { denyAll: true, allowedCidrs: [] }, settings: {}, ssl: {}, backups: {} },
    },
  },
  {
    kind: "Branch",
    name: "database",
    why: "the database of a branch, without a version of its own",
    spec: {
      projectRef: { name: "shop" },
      database: { settings: { workMem: "64MB" }, networkRestrictions: { allowedCidrs: [], mode: "Additive" } },
    },
  },
];
