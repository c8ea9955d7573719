import { readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import type { Clock } from "../../base/clock.ts";
import { DatabaseUnavailableError, type SqlJob, type SqlOutcome } from "./database.ts";
import { CANCELED, longestMs } from "./statement-timeout.ts";
import type { Template } from "./template.ts";

/** What a database's thread begins with. */
export interface EngineStart {
  readonly folder: string;
  /** make a template in the folder, which is not there; or serve the database in it, made from a template where it is not there yet */
  readonly task: "make template" | "serve";
  readonly template?: Template;
  /** nothing of its log is removed by itself */
  readonly keepsLog?: boolean;
  /** PostgreSQL, compiled */
  readonly module: WebAssembly.Module;
  /** where who began a session stands in the memory (authenticated-user.ts), once a database of this process found it */
  readonly userPlace?: number;
}

export type EngineOrder = { readonly kind: "run"; readonly job: SqlJob } | { readonly kind: "close" };

export type EngineAnswer =
  | { readonly kind: "ready"; readonly userPlace: number; readonly identity: string }
  | { readonly kind: "template"; readonly template: Template }
  | { readonly kind: "outcome"; readonly outcome: SqlOutcome }
  /** the database cannot be asked again */
  | { readonly kind: "broken"; readonly message: string }
  | { readonly kind: "closed" };

/** Compiling PostgreSQL takes longer than starting it, so it is done once in a process. */
let compiled: Promise<WebAssembly.Module> | undefined;
let template: Promise<Template> | undefined;
/** All databases run the same compiled program, so what one found in its memory the others need not seek. */
let userPlace: number | undefined;

function postgres(): Promise<WebAssembly.Module> {
  compiled ??= compile();
  return compiled;
}

/**
 * All threads share the compiled code, and V8 frees what of it was replaced by faster code: now and then it seems to end the process then, by a check of its
 * own books (docs/adr/0029-compiled-sql-is-not-given-back.md). What stays is bounded by the size of PostgreSQL's code.
 */
async function compile(): Promise<WebAssembly.Module> {
  setFlagsFromString("--no-wasm-code-gc");
  return WebAssembly.compile(
    await readFile(createRequire(import.meta.url).resolve("@electric-sql/pglite/pglite.wasm")),
  );
}

/** The data folder of a fresh project's database, made once in a process. @param folder where it may be made, and is not left */
export function freshTemplate(folder: string): Promise<Template> {
  template ??= makeTemplate(folder).catch((error: unknown) => {
    template = undefined;
    throw error;
  });
  return template;
}

async function makeTemplate(folder: string): Promise<Template> {
  await rm(folder, { recursive: true, force: true });
  const thread = new Thread({ task: "make template", folder, module: await postgres() });
  try {
    const answer = await thread.next();
    if (answer.kind === "template") return answer.template;
    throw new Error(`the database's thread said ${answer.kind} instead of template`);
  } finally {
    await thread.end();
    await rm(folder, { recursive: true, force: true });
  }
}

export interface InstanceOptions {
  readonly folder: string;
  /** for a folder that is not there yet */
  readonly template?: Template;
  /** nothing of its log is removed by itself; default: what a start needs no more is */
  readonly keepsLog?: boolean;
  /** on which the time of a job is measured */
  readonly clock: Clock;
}

/** What a job takes beside its statements, milliseconds: on the way to the thread, and to make the session new. */
const SLACK_MS = 100;

/** A database that is open. Its owner asks one thing at a time. */
export class Instance {
  readonly keepsLog: boolean;
  /** which folder is open (file-identity.ts) */
  readonly identity: string;
  readonly #thread: Thread;
  readonly #clock: Clock;

  private constructor(thread: Thread, identity: string, { clock, keepsLog = false }: InstanceOptions) {
    this.#thread = thread;
    this.identity = identity;
    this.#clock = clock;
    this.keepsLog = keepsLog;
  }

  /** Opens a data folder, also one that a crash left as it was. */
  static async open(options: InstanceOptions): Promise<Instance> {
    const { clock: _, ...start } = options; // which no thread could be given
    const module = await postgres();
    const thread = new Thread({ task: "serve", ...start, module, ...(userPlace === undefined ? {} : { userPlace }) });
    const answer = await thread.next();
    if (answer.kind === "ready") {
      ({ userPlace } = answer);
      return new Instance(thread, answer.identity, options);
    }
    await thread.end();
    throw new Error(`the database's thread said ${answer.kind} instead of ready`);
  }

  /** Whether it can still be asked. */
  get alive(): boolean {
    return this.#thread.alive;
  }

  /**
   * Runs a job; a database that does not end it in time, or does not survive it, is ended and must be opened again.
   * @param timeoutMs milliseconds @throws DatabaseUnavailableError
   */
  async run(job: SqlJob, timeoutMs: number): Promise<SqlOutcome> {
    const ownMs = (longestMs(job) ?? Infinity) + SLACK_MS;
    const reason = ownMs < timeoutMs ? "canceled" : "timeout";
    const timer = this.#clock.setTimer(Math.min(ownMs, timeoutMs), () => void this.#thread.end(reason));
    try {
      const answer = await this.#thread.ask({ kind: "run", job });
      if (answer.kind === "outcome") return answer.outcome;
      await this.#thread.end();
      throw new DatabaseUnavailableError("ended", { cause: answer });
    } catch (error) {
      const isOwn = error instanceof DatabaseUnavailableError && error.reason === "canceled";
      if (isOwn) return { kind: "refused", error: CANCELED, step: job.steps.length - 1 };
      throw error;
    } finally {
      timer.cancel();
    }
  }

  /** Ends in order: the next start has nothing to recover. */
  async close(): Promise<void> {
    if (this.alive) await this.#thread.ask({ kind: "close" }).catch(() => undefined); // ended already
    await this.#thread.end();
  }

  /** Ends at once, as a crash would, and a job under way fails; resolves when the folder is nobody's any more. */
  async kill(): Promise<void> {
    await this.#thread.end();
  }
}

/** More than PostgreSQL takes of it before it refuses what goes too deep (`max_stack_depth`): else the thread ends, and not the statement. Megabytes, of which only what is used is taken. */
const resourceLimits = { stackSizeMb: 64 };

/** The worker thread of a database. */
class Thread {
  readonly #worker: Worker;
  #expected: PromiseWithResolvers<EngineAnswer> | undefined;
  #alive = true;
  #end: DatabaseUnavailableError["reason"] = "ended";

  constructor(workerData: EngineStart) {
    // compiled to JavaScript, the file beside this one is JavaScript too
    const file = new URL(import.meta.url.endsWith(".ts") ? "./engine.ts" : "./engine.js", import.meta.url);
    // none of the flags of this process are meant for the thread
    this.#worker = new Worker(file, { workerData, execArgv: [], name: "database", resourceLimits });
    this.#worker.on("message", (answer: EngineAnswer) => this.#settle((expected) => expected.resolve(answer)));
    this.#worker.on("error", (cause) => {
      this.#settle((expected) => expected.reject(new DatabaseUnavailableError("ended", { cause })));
    });
    this.#worker.on("exit", () => {
      this.#alive = false; // also where it ended by itself
      this.#settle((expected) => expected.reject(new DatabaseUnavailableError(this.#end)));
    });
  }

  get alive(): boolean {
    return this.#alive;
  }

  ask(order: EngineOrder): Promise<EngineAnswer> {
    const answer = this.next();
    this.#worker.postMessage(order);
    return answer;
  }

  /** What the thread says next; rejects when it ends instead. A thread that is asked nothing keeps no process alive. */
  next(): Promise<EngineAnswer> {
    if (!this.#alive) return Promise.reject(new DatabaseUnavailableError("ended"));
    this.#expected = Promise.withResolvers();
    this.#worker.ref();
    return this.#expected.promise;
  }

  /** Resolves when nothing of the thread is left; what it was asked rejects for this reason. */
  async end(reason: DatabaseUnavailableError["reason"] = "ended"): Promise<void> {
    if (this.#alive) this.#end = reason;
    this.#alive = false;
    await this.#worker.terminate();
  }

  #settle(how: (expected: PromiseWithResolvers<EngineAnswer>) => void): void {
    const expected = this.#expected;
    this.#expected = undefined;
    this.#worker.unref();
    if (expected !== undefined) how(expected);
  }
}
