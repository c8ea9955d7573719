import { z } from "zod";
import { definedOnly } from "./defined-only.ts";

/** How the emulated service behaves where the real one has a setting or a duration of its own. */

/** A quarter of a century: at the slowest speed, and after any advance, still a time that a Date can tell. */
const LONGEST_MS = 788_400_000_000;
const durationMs = z.number().min(0).max(LONGEST_MS);
/** divides durations */
const speedSchema = z.number().min(0.001, "expected a factor of at least 0.001");

/**
 * How long each stage of a life lasts, in milliseconds at speed 1. Shorter than on the real service, in the same proportions: a demo
 * should not wait for minutes.
 */
export const timingsSchema = z.strictObject({
  /** project right after its creation: UNKNOWN */
  unknownMs: durationMs,
  comingUpMs: durationMs,
  /** after ACTIVE_HEALTHY, until the last service is healthy as well */
  serviceLagMs: durationMs,
  pausingMs: durationMs,
  restoringMs: durationMs,
  restartingMs: durationMs,
  /** from 0_requested to 9_completed_upgrade: UPGRADING */
  upgradingMs: durationMs,
  /** after a shutdown of realtime's connections, until the service is healthy again */
  realtimeRestartMs: durationMs,
  /** another compute size: RESIZING */
  resizingMs: durationMs,
  /** from the deletion of a project until it is gone from every list */
  goingDownMs: durationMs,
  /** branch: CREATING_PROJECT */
  creatingBranchMs: durationMs,
  runningMigrationsMs: durationMs,
  migrationsPassedMs: durationMs,
  /** bundling one deploy; a second deploy into the project meanwhile is refused */
  bundleMs: durationMs,
  /** bundling that takes longer is given up; the deploy answers 400 */
  bundleTimeoutMs: durationMs,
  /** network restrictions: from `stored` to `applied` */
  networkApplyMs: durationMs,
  /** from a switch of just-in-time access until the database follows it */
  jitAccessMs: durationMs,
  /** from a change of the disk until the file system has its new size */
  diskApplyMs: durationMs,
  /** read replica: INIT_READ_REPLICA */
  replicaSetupMs: durationMs,
  /** read replica: GOING_DOWN */
  replicaRemovalMs: durationMs,
  /** making the daily backup: PENDING */
  backupMs: durationMs,
  /** from the addition of another issuer until its keys are resolved */
  jwksResolveMs: durationMs,
  /** from the revocation of a signing key until it may be deleted; a promise of the service, so not sped up */
  signingKeyRestMs: durationMs,
  /** from a change of the disk until the next one is taken; a promise of the service, so not sped up */
  diskCooldownMs: durationMs,
  /** how long a temporary override of the read-only mode holds; a promise as well */
  readOnlyOverrideMs: durationMs,
  /** from the soft deletion of a branch until it is gone; a promise of the service, so not sped up */
  branchGraceMs: durationMs,
});
export type Timings = z.output<typeof timingsSchema>;

export const DEFAULT_TIMINGS: Timings = {
  unknownMs: 1000,
  comingUpMs: 5000,
  serviceLagMs: 1500,
  pausingMs: 3000,
  restoringMs: 4000,
  restartingMs: 2000,
  upgradingMs: 9000,
  realtimeRestartMs: 1000,
  resizingMs: 4000,
  goingDownMs: 0,
  creatingBranchMs: 3000,
  runningMigrationsMs: 1000,
  migrationsPassedMs: 500,
  bundleMs: 50,
  bundleTimeoutMs: 60_000,
  networkApplyMs: 1500,
  diskApplyMs: 3000,
  replicaSetupMs: 5000,
  replicaRemovalMs: 2000,
  backupMs: 2000,
  jitAccessMs: 500,
  jwksResolveMs: 2000,
  signingKeyRestMs: 86_400_000,
  diskCooldownMs: 21_600_000,
  readOnlyOverrideMs: 900_000,
  branchGraceMs: 3_600_000,
};

/** Whether a 429 carries Retry-After; "not guaranteed" on the service (facts.md §5). */
export const retryAfterSchema = z.enum(["never", "always", "alternate"]);
export type RetryAfter = z.output<typeof retryAfterSchema>;

export const settingsSchema = z.strictObject({
  /** divides the durations of lives: 10 means ten times as fast */
  speed: speedSchema,
  timings: timingsSchema,
  /** names of secrets that begin so belong to the platform; case-sensitive (facts.md §2, secrets POST) */
  reservedSecretPrefix: z.string().min(1),
  /** domain of database host names: `db.<ref>.<domain>` */
  domain: z.string().min(1),
  retryAfter: retryAfterSchema,
  /** 0: nothing is ever refused */
  requestsPerMinute: z.number().int().min(0),
  /** the endpoints of legacy API keys and of the legacy signing key "will be removed": 404 then (behaviour.md, Errors 3) */
  legacyEndpoints: z.enum(["present", "removed"]),
  /** what the list of branches of a project without branching is: `empty`, or `refused` with 422 as older servers do (facts.md §5) */
  branchesWithoutBranching: z.enum(["empty", "refused"]),
  /** how many projects' SQL databases are open at the same time, each of about 0.1 GB; the others are parked */
  openDatabases: z.number().int().min(1),
  /** SQL that takes longer, in milliseconds of real time, is ended and answers 544 */
  sqlTimeoutMs: z.number().int().min(1),
});
export type Settings = z.output<typeof settingsSchema>;

/** Settings to change, and the others as they are. */
export const settingsChangeSchema = z.strictObject({
  ...settingsSchema.partial().shape,
  timings: timingsSchema.partial().optional(),
});
export type SettingsChange = z.output<typeof settingsChangeSchema>;

/** What is said takes the place of what was; the rest stays. */
export function settingsWith(settings: Settings, { timings = {}, ...others }: SettingsChange): Settings {
  return { ...settings, ...definedOnly(others), timings: { ...settings.timings, ...definedOnly(timings) } };
}

export const DEFAULT_SETTINGS: Settings = {
  speed: 1,
  timings: DEFAULT_TIMINGS,
  reservedSecretPrefix: "PLATFORM_",
  domain: "emulator.test",
  retryAfter: "alternate",
  requestsPerMinute: 120,
  legacyEndpoints: "present",
  branchesWithoutBranching: "empty",
  openDatabases: 3,
  sqlTimeoutMs: 60_000,
};

/** Durations that the service promises: they hold at any speed. */
type PromisedDuration = "branchGraceMs" | "diskCooldownMs" | "readOnlyOverrideMs" | "signingKeyRestMs";

/** The duration of a stage at the present speed, milliseconds. */
export function lasts(settings: Settings, stage: Exclude<keyof Timings, PromisedDuration>): number {
  return settings.timings[stage] / settings.speed;
}
