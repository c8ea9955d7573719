import type { Reason } from "../../resources/conditions.ts";
import type { ObjectMeta } from "../../resources/meta.ts";
import { DOUBT_LOOK_MS } from "../shared/create-once.ts";
import { pollDelayMs } from "../shared/polling.ts";
import type { Run } from "../shared/run.ts";
import { bounded, isSame, isUnderWay, withRecord } from "./records.ts";
import type { Progress, Recorded, RequestStatus } from "./request.ts";
import { isSpent, withSpent } from "./spent.ts";

/** What a ledger asks and tells. */
export interface LedgerOptions {
  /** the platform's clock, milliseconds since the epoch */
  readonly serverNow: () => number;
  /**
   * Told of a request that came to an end, whichever and wherever, before that is written: what else of the status follows from it is written with it.
   */
  readonly ended: (record: Recorded) => void;
}

/** The requests of one object during one run: what its status says of them, and how that is written. */
export class Ledger<Status extends RequestStatus> {
  readonly run: Run<Status>;
  readonly #options: LedgerOptions;

  constructor(run: Run<Status>, options: LedgerOptions) {
    this.run = run;
    this.#options = options;
  }

  /** The platform's clock, milliseconds since the epoch: as it is, since requests of one run may take long. */
  get nowMs(): number {
    return this.#options.serverNow();
  }

  /** The same, as records have it. */
  get now(): string {
    return new Date(this.nowMs).toISOString();
  }

  get metadata(): ObjectMeta {
    return this.run.raw.metadata;
  }

  get list(): readonly Recorded[] {
    return this.run.status.current.requests ?? [];
  }

  find(verb: string, request: string): Recorded | undefined {
    return this.list.find((record) => isSame(record, { verb, request }));
  }

  /** Whether an id stands for another request of the same verb: then it does not tell which of the two is meant. */
  usesId(verb: string, id: string, request: string): boolean {
    return this.list.some((record) => record.verb === verb && record.id === id && record.request !== request);
  }

  /** A request whose outcome is yet to be found. */
  underWay(): Recorded | undefined {
    return this.list.find(isUnderWay);
  }

  /** Whether an id stands for a request whose record is forgotten. */
  isSpent(verb: string, id: string): boolean {
    return isSpent(this.#spent, verb, id);
  }

  get #spent(): readonly string[] {
    return this.run.status.current.spentRequests ?? [];
  }

  put(record: Recorded): void {
    const all = withRecord(this.list, record);
    const requests = bounded(all, this.metadata);
    const forgotten = all.filter((one) => !requests.includes(one));
    const spentRequests = withSpent(this.#spent, forgotten);
    this.run.status.asked({ requests, requestsFor: this.metadata.uid, spentRequests });
  }

  /** Notes how far a request is, and tells of its end. */
  advance(record: Recorded, { state, message, run: actionRun = record.run }: Progress): void {
    const ended = state === "Running" ? {} : { endedAt: this.now };
    const advanced = { ...record, state, message, ...ended, ...(actionRun === undefined ? {} : { run: actionRun }) };
    this.put(advanced);
    if (state !== "Running") this.#options.ended(advanced);
    if (state === "Succeeded") {
      const reason: Reason = "RequestSucceeded";
      this.run.wrote(reason, `${record.verb} ${record.id}: ${message}`);
    }
    if (state !== "Running") this.count(record.verb, state);
  }

  count(verb: string, state: string): void {
    const { meter } = this.run.environment;
    meter
      .counter({
        name: "baas_requests_total",
        help: "Requests by annotation that came to an end, by verb and outcome",
        labels: ["kind", "verb", "state"],
      })
      .increment({ kind: this.run.key.kind, verb, state });
  }

  /** Milliseconds until what is under way is looked at again. */
  nextLookMs(): number | undefined {
    const { nowMs } = this;
    const delays = this.list.filter(isUnderWay).map(({ state, sentAt }) => {
      const elapsedMs = Math.max(0, nowMs - Date.parse(sentAt ?? ""));
      const delayMs = pollDelayMs(elapsedMs);
      return state === "Sending" ? Math.min(DOUBT_LOOK_MS, delayMs) : delayMs;
    });
    return delays.length === 0 ? undefined : Math.min(...delays);
  }
}
