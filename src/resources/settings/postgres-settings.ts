import { z } from "zod";
import { choice, flag, integer } from "./builders.ts";
import { postgresDuration, postgresSize } from "./postgres-values.ts";

/** spec.database.settings. Names: endpoints.md, PostgresConfig; ranges: facts.md §2, and where it has none the database's own, as units and what -1 means. */

const restarts = "A change needs a restart of the database (settingsRestart).";

const parallel = { min: 0, max: 1024 };
const processes = { min: 0, max: 262_143 };

export const postgresSettings = z
  .object({
    effectiveCacheSize: postgresSize(
      "effective_cache_size",
      "How much memory the planner assumes to be there for caching data of the disk.",
      { unit: "8kB", from: "8kB", to: "16TB" },
    ),
    logicalDecodingWorkMem: postgresSize(
      "logical_decoding_work_mem",
      "Memory of a logical replication connection before changes are written to disk.",
      { unit: "kB", from: "64kB", to: "2TB" },
    ),
    logAutovacuumMinDuration: postgresDuration(
      "log_autovacuum_min_duration",
      "Logs what autovacuum does for at least so long; 0 logs all.",
      { unit: "ms", from: "0", to: "596h31m", minusOne: "logs none" },
    ),
    logStartupProgressInterval: postgresDuration(
      "log_startup_progress_interval",
      "How often a long start tells what it is at; 0 never.",
      { unit: "ms", from: "0", to: "596h31m" },
    ),
    logTempFiles: postgresSize("log_temp_files", "Logs temporary files of at least this size; 0 logs all.", {
      unit: "kB",
      from: "0",
      to: "2TB",
      minusOne: "logs none",
    }),
    maintenanceWorkMem: postgresSize(
      "maintenance_work_mem",
      "Memory of a maintenance operation, such as VACUUM or CREATE INDEX.",
      { unit: "kB", from: "1MB", to: "2TB" },
    ),
    trackActivityQuerySize: postgresSize(
      "track_activity_query_size",
      `Memory for the text of each connection's running query. ${restarts}`,
      { unit: "B", from: "100B", to: "1MB" },
    ),
    maxSlotWalKeepSize: postgresSize(
      "max_slot_wal_keep_size",
      "Most write-ahead log that is kept for replication slots.",
      { unit: "MB", from: "0", to: "2048TB", minusOne: "any amount" },
    ),
    maxStandbyArchiveDelay: postgresDuration(
      "max_standby_archive_delay",
      "How long a replica that reads archived write-ahead log waits before it cancels queries that are in the way.",
      { unit: "ms", from: "0", to: "596h31m", minusOne: "for ever" },
    ),
    maxStandbyStreamingDelay: postgresDuration(
      "max_standby_streaming_delay",
      "How long a replica that is streamed to waits before it cancels queries that are in the way.",
      { unit: "ms", from: "0", to: "596h31m", minusOne: "for ever" },
    ),
    maxWalSize: postgresSize("max_wal_size", "Size of the write-ahead log that begins a checkpoint.", {
      unit: "MB",
      from: "32MB",
      to: "2048TB",
    }),
    sharedBuffers: postgresSize("shared_buffers", `Memory that the database caches data in. ${restarts}`, {
      unit: "8kB",
      from: "128kB",
      to: "8TB",
    }),
    statementTimeout: postgresDuration("statement_timeout", "How long a statement may take; 0 is for ever.", {
      unit: "ms",
      from: "0",
      to: "596h31m",
    }),
    walKeepSize: postgresSize("wal_keep_size", "Least write-ahead log that is kept for replicas.", {
      unit: "MB",
      from: "0",
      to: "2048TB",
    }),
    walSenderTimeout: postgresDuration(
      "wal_sender_timeout",
      "After how much silence a replication connection ends; 0 never.",
      { unit: "ms", from: "0", to: "596h31m" },
    ),
    workMem: postgresSize("work_mem", "Memory of one sort or hash before it is written to disk.", {
      unit: "kB",
      from: "64kB",
      to: "2TB",
    }),
    checkpointTimeout: postgresDuration("checkpoint_timeout", "Longest time between two checkpoints.", {
      unit: "s",
      from: "30s",
      to: "1d",
    }),
    cronLogStatement: flag("cron.log_statement", `Whether pg_cron logs the statements that it runs. ${restarts}`),
    logCheckpoints: flag("log_checkpoints", "Whether checkpoints are logged."),
    logConnections: flag("log_connections", "Whether connections are logged."),
    logDisconnections: flag("log_disconnections", "Whether ends of sessions are logged."),
    logDuration: flag("log_duration", "Whether the duration of each statement is logged."),
    logLockWaits: flag("log_lock_waits", "Whether long waits for locks are logged."),
    logRecoveryConflictWaits: flag(
      "log_recovery_conflict_waits",
      "Whether long waits of a replica for conflicting queries are logged.",
    ),
    logReplicationCommands: flag("log_replication_commands", "Whether replication commands are logged."),
    trackCommitTimestamp: flag("track_commit_timestamp", `Whether times of commits are recorded. ${restarts}`),
    hotStandbyFeedback: flag(
      "hot_standby_feedback",
      "Whether replicas tell the primary of their queries, so that rows that they read are kept.",
    ),
    maxConnections: integer("max_connections", `Most connections at the same time. ${restarts}`, {
      min: 1,
      max: 262_143,
    }),
    maxLocksPerTransaction: integer(
      "max_locks_per_transaction",
      `Locks that are reckoned with for each transaction. ${restarts}`,
      { min: 10, max: 2_147_483_640 },
    ),
    maxParallelMaintenanceWorkers: integer(
      "max_parallel_maintenance_workers",
      "Most parallel workers of one maintenance operation.",
      parallel,
    ),
    maxParallelWorkers: integer("max_parallel_workers", "Most parallel workers at the same time.", parallel),
    maxParallelWorkersPerGather: integer(
      "max_parallel_workers_per_gather",
      "Most parallel workers of one part of a query.",
      parallel,
    ),
    maxReplicationSlots: integer("max_replication_slots", `Most replication slots. ${restarts}`, processes),
    maxWalSenders: integer("max_wal_senders", `Most replication connections. ${restarts}`, processes),
    maxWorkerProcesses: integer("max_worker_processes", `Most background processes. ${restarts}`, processes),
    sessionReplicationRole: choice(
      "session_replication_role",
      "Which triggers and rules fire: those of an Origin, of a Replica, or as if Local.",
      { Origin: "origin", Replica: "replica", Local: "local" },
    ),
  })
  .describe(
    "Settings of the database that are other than the platform's own. What is not declared is left as it is, unless settingsMode is Replace.",
  );
