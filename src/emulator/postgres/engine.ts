import { openSync, statSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { type messages, PGlite, protocol } from "@electric-sql/pglite";
import { btree_gin } from "@electric-sql/pglite/contrib/btree_gin";
import { btree_gist } from "@electric-sql/pglite/contrib/btree_gist";
import { citext } from "@electric-sql/pglite/contrib/citext";
import { hstore } from "@electric-sql/pglite/contrib/hstore";
import { moddatetime } from "@electric-sql/pglite/contrib/moddatetime";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { pgcrypto } from "@electric-sql/pglite/contrib/pgcrypto";
import { unaccent } from "@electric-sql/pglite/contrib/unaccent";
import { uuid_ossp } from "@electric-sql/pglite/contrib/uuid_ossp";
import { identityOf } from "../file-identity.ts";
import { AT_OPENING } from "./at-opening.ts";
import { authenticatedUser } from "./authenticated-user.ts";
import { ADMIN, FRESH_DATABASE } from "./fresh.ts";
import type { EngineAnswer, EngineOrder, EngineStart } from "./instance.ts";
import { SEGMENT_MB } from "./log-segments.ts";
import { runJob } from "./session.ts";
import { packFolder, type Template, unpackFolder } from "./template.ts";
import { BrokenDatabaseError, type WireExchange, replyOf, simple } from "./wire.ts";

/** What runs in the thread of one database: nothing else imports this file. It ends by itself after `close`, or when it is terminated. */

/** Those that migrations use most; every further one makes each start slower. */
const EXTENSIONS = {
  btree_gin,
  btree_gist,
  citext,
  hstore,
  moddatetime,
  pg_trgm,
  pgcrypto,
  unaccent,
  uuid_ossp,
};

/**
 * Small, since several run in one process; none that relies on other processes or on signals, which WebAssembly has not. No event trigger, which only
 * a superuser makes, and which runs as whoever changes something: one that was left by a role that was one earlier would run as the platform.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  event_triggers: "off",
  exit_on_error: "false",
  io_method: "sync",
  log_checkpoints: "false",
  max_parallel_maintenance_workers: "0",
  max_parallel_workers: "0",
  max_parallel_workers_per_gather: "0",
  max_wal_size: "16MB",
  max_worker_processes: "0",
  min_wal_size: "2MB",
  shared_buffers: "16MB",
  wal_init_zero: "off",
  wal_recycle: "off",
};

/** More than is ever written: with it no checkpoint removes what was. */
const KEPT_LOG = { wal_keep_size: "1TB" } as const;

async function open({ folder, module, keepsLog = false }: EngineStart): Promise<PGlite> {
  return PGlite.create({
    dataDir: folder,
    extensions: EXTENSIONS,
    initDbStartParams: ["-U", ADMIN, `--wal-segsize=${SEGMENT_MB}`, "--no-sync", "--set", "wal_recycle=off"],
    pgliteWasmModule: module,
    startParams: [
      "--single",
      "-j",
      "-F", // no fsync, which this build does not pass on: what is committed outlives the process, not the machine
      ...Object.entries({ ...SETTINGS, ...(keepsLog ? KEPT_LOG : {}) }).flatMap(([name, value]) => [
        "-c",
        `${name}=${value}`,
      ]),
    ],
  });
}

/** Most that an answer may take, in bytes and with so many for each row beside them. */
const MOST_BYTES = 128 * 1024 * 1024;
const BYTES_PER_ROW = 100;

/** Reads answers as they come: one that is too large ends the thread, before it has filled the memory of the process. */
function exchangeWith(database: PGlite): WireExchange {
  return async (message) => {
    const received: messages.BackendMessage[] = [];
    const parser = new protocol.Parser();
    let taken = 0;
    const onRawData = (bytes: Uint8Array): void => {
      taken += bytes.length;
      // a copy, since what has no end yet is looked at again when PostgreSQL has written elsewhere in its memory
      parser.parse(bytes.slice(), (one) => {
        taken += BYTES_PER_ROW;
        received.push(one);
      });
      if (taken <= MOST_BYTES) return;
      answer({ kind: "broken", message: "the answer is too large" });
      process.exit(); // of this thread
    };
    await database.execProtocolRawStream(message, { onRawData });
    return received;
  };
}

/** Makes the database of a fresh project and packs it up. */
async function makeTemplate(start: EngineStart): Promise<Template> {
  const database = await open(start);
  const exchange = exchangeWith(database);
  // nobody can connect to another database than the one that is there: what others are made from is dead weight in every copy
  const slim = ["template0", "template1"].flatMap((name) => [
    `alter database ${name} with is_template false`,
    `drop database ${name}`,
  ]);
  for (const sql of [...FRESH_DATABASE, AT_OPENING, ...slim, "vacuum", "checkpoint"]) {
    const { error } = replyOf(await exchange(simple(sql)));
    if (error !== undefined) throw new BrokenDatabaseError(`${error.message} in ${sql}`);
  }
  await database.close();
  return packFolder(start.folder);
}

async function serve(start: EngineStart): Promise<void> {
  if (start.template !== undefined) unpackFolder(start.template, start.folder);
  const database = await open(start);
  const identity = held(start.folder);
  const exchange = exchangeWith(database);
  const { error } = replyOf(await exchange(simple(AT_OPENING)));
  if (error !== undefined) throw new BrokenDatabaseError(error.message);
  const { beginsAs, place } = await authenticatedUser(database.Module, exchange, start.userPlace);
  const session = { exchange, beginsAs };
  const take = async (order: EngineOrder): Promise<void> => {
    if (order.kind === "close") {
      await database.close();
      answer({ kind: "closed" });
      parentPort?.close();
      return;
    }
    try {
      answer({ kind: "outcome", outcome: await runJob(session, order.job) });
    } catch (error) {
      answer({ kind: "broken", message: String(error) });
    }
  };
  parentPort?.on("message", (order: EngineOrder) => void take(order));
  answer({ kind: "ready", userPlace: place, identity });
}

/** Which folder it is. It stays open as long as the thread is there, else one that comes to its place could be given its number. */
function held(folder: string): string {
  try {
    openSync(folder, "r"); // closed with the thread, as all that a thread opens
  } catch {
    // some systems open no folder
  }
  return identityOf(statSync(folder, { bigint: true }));
}

function answer(said: EngineAnswer): void {
  parentPort?.postMessage(said);
}

async function work(start: EngineStart): Promise<void> {
  if (start.task === "serve") await serve(start);
  else answer({ kind: "template", template: await makeTemplate(start) });
}

// loaded outside a thread it does nothing; data comes from Thread in instance.ts, the only one that starts this file
if (parentPort !== null) await work(workerData as EngineStart);
