import { ADMIN } from "./fresh.ts";
import type { ResultSet, SqlJob, SqlOutcome, SqlStep } from "./database.ts";
import { readOnlyReply, type StepReply } from "./read-only.ts";
import { asSessionOf, endsSession, refusalOf, speaksOfSession } from "./session-authorization.ts";
import { TERMINATED, withinTransaction } from "./within-transaction.ts";
import { BrokenDatabaseError, type WireExchange, extended, type DatabaseReply, replyOf, simple } from "./wire.ts";

/** The one session that a database in WebAssembly has, lent to one job after the other as if each had one of its own. */

const USUAL_SEARCH_PATH = '"$user", public, extensions';

/** What the database refuses of it stays as it is: a memory of less than it can do with, say. */
const SET_CONFIG = "select set_config($1, $2, false)";

/** Runs a job; afterwards the session is as new. @throws BrokenDatabaseError */
export async function runJob(exchange: WireExchange, wanted: SqlJob): Promise<SqlOutcome> {
  const job = takenBack(wanted);
  try {
    await settle(exchange, job);
    return await steps(exchange, job);
  } finally {
    await renew(exchange);
  }
}

/** What may become somebody else in a way that is seen afterwards alone is one transaction, which can be taken back. */
function takenBack(job: SqlJob): SqlJob {
  const unseen =
    job.transaction === undefined && job.steps.some(({ sql, role }) => role !== ADMIN && speaksOfSession(sql));
  return unseen ? { ...job, transaction: "read-write" } : job;
}

async function settle(exchange: WireExchange, job: SqlJob): Promise<void> {
  const { searchPath = USUAL_SEARCH_PATH, defaultReadOnly = false, transaction, settings = {} } = job;
  for (const [name, value] of Object.entries(settings)) await exchange(extended(SET_CONFIG, [name, value]));
  await ours(exchange, `set search_path = ${searchPath === "" ? "''" : searchPath}`);
  if (defaultReadOnly) await ours(exchange, "set default_transaction_read_only = on");
  if (transaction === "read-write") await ours(exchange, "begin");
  // a transaction in which something was read stays read-only: its mode "must be set before any query"
  if (transaction === "read-only") await ours(exchange, "begin read only; select 1");
}

async function steps(exchange: WireExchange, { steps: wanted, transaction }: SqlJob): Promise<SqlOutcome> {
  let results: readonly ResultSet[] = [];
  for (const [index, step] of wanted.entries()) {
    const reply = await take(exchange, step, transaction);
    if (reply.error !== undefined) return { kind: "refused", error: reply.error, step: index };
    ({ results } = reply);
  }
  // what is checked at the end of a transaction is refused there
  const refusal = transaction === undefined ? undefined : (await said(exchange, "commit")).error;
  if (refusal !== undefined) return { kind: "refused", error: refusal, step: wanted.length - 1 };
  return { kind: "done", results };
}

async function take(exchange: WireExchange, step: SqlStep, transaction: SqlJob["transaction"]): Promise<StepReply> {
  await ours(exchange, `set session authorization ${step.role}`);
  if (transaction === "read-only") return readOnlyReply(exchange, step);
  if (step.role === ADMIN) return readWriteReply(exchange, step, transaction);
  const own = asSessionOf(step.role, step.sql);
  if (own.refusal !== undefined) return { results: [], error: own.refusal };
  const reply = await readWriteReply(exchange, { ...step, sql: own.sql }, transaction);
  if (reply.error !== undefined || endsSession(own.sql)) return reply;
  const [[is] = []] = (await said(exchange, "select session_user")).results[0]?.rows ?? [];
  return typeof is !== "string" || is === step.role ? reply : { results: [], error: refusalOf(is) };
}

async function readWriteReply(
  exchange: WireExchange,
  { sql, parameters }: SqlStep,
  transaction: SqlJob["transaction"],
): Promise<StepReply> {
  if (transaction !== "read-write") return replyOf(await exchange(messageOf(sql, parameters)));
  const within = parameters === undefined ? withinTransaction(sql) : { sql };
  if (within.refusal !== undefined) return { results: [], error: within.refusal };
  const reply = replyOf(await exchange(messageOf(within.sql, parameters)));
  // told by the database too: what was read as no end of it may have been one
  return reply.error !== undefined || reply.status === "T" ? reply : { results: [], error: TERMINATED };
}

function messageOf(sql: string, parameters: SqlStep["parameters"]): Uint8Array {
  return parameters === undefined ? simple(sql) : extended(sql, parameters);
}

/** Ends a transaction that was left open, and forgets settings, temporary tables, prepared statements, locks and the role. */
async function renew(exchange: WireExchange): Promise<void> {
  const { status } = await said(exchange, "");
  if (status !== "I") await ours(exchange, "rollback");
  await ours(exchange, `set session authorization ${ADMIN}`);
  await ours(exchange, "discard all");
}

async function said(exchange: WireExchange, sql: string): Promise<DatabaseReply> {
  return replyOf(await exchange(simple(sql)));
}

/** Something of our own, which is never refused. */
async function ours(exchange: WireExchange, sql: string): Promise<void> {
  const { error } = await said(exchange, sql);
  if (error !== undefined) throw new BrokenDatabaseError(`${sql}: ${error.code} ${error.message}`);
}
