import { describe, expect, it } from "vitest";
import { POSTGRES_SETTINGS, postgresConfig, postgresConfigSchema, type PostgresSetting } from "./postgres-config.ts";

/** endpoints.md, "PostgresConfig fields", copied by hand. */
const CATALOGUE = {
  text: `effective_cache_size, logical_decoding_work_mem, log_autovacuum_min_duration, log_startup_progress_interval, log_temp_files,
    maintenance_work_mem, track_activity_query_size, max_slot_wal_keep_size, max_standby_archive_delay, max_standby_streaming_delay,
    max_wal_size, shared_buffers, statement_timeout, wal_keep_size, wal_sender_timeout, work_mem, checkpoint_timeout`,
  boolean: `cron.log_statement, log_checkpoints, log_connections, log_disconnections, log_duration, log_lock_waits,
    log_recovery_conflict_waits, log_replication_commands, track_commit_timestamp, hot_standby_feedback`,
  integer: `max_connections, max_locks_per_transaction, max_parallel_maintenance_workers, max_parallel_workers,
    max_parallel_workers_per_gather, max_replication_slots, max_wal_senders, max_worker_processes`,
  enum: "session_replication_role",
};

const settings = Object.entries<PostgresSetting>(POSTGRES_SETTINGS);

describe("the settings of a database", () => {
  it.each(Object.entries(CATALOGUE))("of type %s are those of the catalogue", (type, names) => {
    const kinds = type === "text" ? ["size", "duration"] : [type];
    const declared = settings.filter(([, { kind }]) => kinds.includes(kind)).map(([name]) => name);
    expect(declared.toSorted()).toEqual(names.split(/,\s*/).toSorted());
  });

  it("are 36, each of them in the request and in the response", () => {
    const names = settings.map(([name]) => name);
    expect(names).toHaveLength(36);
    expect(Object.keys(postgresConfigSchema.shape)).toEqual(names);
    expect(Object.keys(postgresConfig.replace.body.schema.shape)).toEqual([...names, "restart_database"]);
  });

  const body = postgresConfig.replace.body.schema;
  it.each([
    {
      field: "statement_timeout",
      good: ["0", "-1", "60s", "1.5h", "100us", "2d"],
      bad: ["", "s", "60 s", "1w", "1e3", "+1"],
    },
    { field: "work_mem", good: ["64MB", "4096", "1.5GB", "8 kB", "-1"], bad: ["", "MB", "64mb", "64M", "sixty"] },
    { field: "max_connections", good: [1, 262_143], bad: [0, 262_144, "50", 1.5] },
    { field: "max_locks_per_transaction", good: [10, 2_147_483_640], bad: [9, 2_147_483_641] },
    { field: "max_parallel_workers", good: [0, 1024], bad: [-1, 1025] },
    { field: "max_parallel_workers_per_gather", good: [0, 1024], bad: [-1, 1025] },
    { field: "max_parallel_maintenance_workers", good: [0, 1024], bad: [-1, 1025] },
    { field: "max_worker_processes", good: [0, 262_143], bad: [-1, 262_144] },
    { field: "log_connections", good: [true, false], bad: ["on", 1, null] },
    { field: "session_replication_role", good: ["origin", "replica", "local"], bad: ["primary", ""] },
  ])("$field takes $good, and not $bad", ({ field, good, bad }) => {
    const taken = (value: unknown): boolean => body.safeParse({ [field]: value }).success;
    expect(good.filter((value) => !taken(value))).toEqual([]);
    expect(bad.filter(taken)).toEqual([]);
  });

  it("are tolerated in answers whatever their range or word: a newer server knows more", () => {
    const answer = { max_connections: 1_000_000, session_replication_role: "standby", new_setting: 1 };
    expect(postgresConfigSchema.parse(answer)).toEqual(answer);
  });
});
