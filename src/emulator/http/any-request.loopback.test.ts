import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { operations } from "../../api/contract/contract.ts";
import type { Operation } from "../../api/contract/operation.ts";
import { CANARY, CANARY_NUMBER, LEARNED, REF } from "../../../test/support/emulator/any-request/bodies.ts";
import { type AnyRequest, anyRequestOf } from "../../../test/support/emulator/any-request/requests.ts";
import { anySeed } from "../../../test/support/emulator/any-request/seed.ts";
import {
  emulatorUnderTest,
  type EmulatorUnderTest,
  type Received,
  undeclared,
} from "../../../test/support/emulator/api.ts";
import { documentedApi } from "../../../test/support/emulator/openapi.ts";
import { openApiDocument } from "../../api/openapi/document.ts";

/**
 * "At least 10,000 generated requests, malformed ones included": of what needs no database of its own, and some of what does. One half is
 * another one in every run, the other half always the same.
 */
const REQUESTS = requestsFrom(process.env["EMULATOR_REQUESTS"]);
const ANY_OTHER = Math.ceil(REQUESTS / 2);
const ANY_OTHER_SQL = Math.ceil(REQUESTS / 10);
const SAME_PER_OPERATION = 35;

/** Fewer than the issue wants are no run of this test. @throws RangeError for what is no number, or too few */
function requestsFrom(asked = "10000"): number {
  const requests = Number(asked);
  if (Number.isSafeInteger(requests) && requests >= 10_000) return requests;
  throw new RangeError(`EMULATOR_REQUESTS=${asked}: write a number of at least 10000`);
}

/** What runs SQL: each request takes a real PostgreSQL, which is slow. */
const runsSql = ({ id }: Operation): boolean =>
  /^(?:database|migrations|advisors)\.|^analytics\.(?:logs|allLogs)$/.test(id);

const byId = new Map(operations.map((operation) => [operation.id, operation]));

const oneWithId = z
  .union([
    z.object({ id: z.string() }),
    z.object({ version: z.string() }).transform(({ version }) => ({ id: version })),
  ])
  .transform(({ id }) => id);
/** Where an answer tells what something is called: by itself, in an envelope, or at the end of a list. */
const withId = z.union([
  oneWithId,
  z.object({ data: oneWithId }).transform(({ data }) => data),
  z.array(oneWithId).transform((all) => all.at(-1)),
]);

/** Plans under which it all begins anew, in turn: what one allows another one refuses. */
const PLANS = ["enterprise", "pro", "free"] as const;

/** Asks, and checks what holds of every answer. */
class Questions {
  readonly statuses = new Set<number>();
  /** ids of operations that went through */
  readonly succeeded = new Set<string>();
  /** how many came whose body was none, of those that take one */
  malformed = 0;
  readonly #under: EmulatorUnderTest;
  readonly #learned = new Map<string, string>();
  #beginnings = 0;

  constructor(under: EmulatorUnderTest) {
    this.#under = under;
  }

  async begin(): Promise<void> {
    const { control } = this.#under;
    await control.state.reset();
    this.#learned.clear();
    await control.organizations.patch({ slug: "acme", plan: PLANS[this.#beginnings % PLANS.length] ?? "pro" });
    this.#beginnings += 1;
  }

  async ask({ id, path, sent, isMalformed }: AnyRequest): Promise<void> {
    const operation = byId.get(id);
    if (operation === undefined) throw new Error(`no operation ${id}`);
    const [section = ""] = id.split(".");
    const to = path.replace(LEARNED, this.#learned.get(section) ?? "none");
    const received = await this.#under.call(operation.method, to, sent);
    const told = withId.safeParse(received.json).data;
    if (told !== undefined) this.#learned.set(section, told);
    this.#under.clock.advance(500);
    this.statuses.add(received.status);
    if (isMalformed && operation.body !== undefined) {
      this.malformed += 1;
      if (received.status < 400) throw new Error(`${id}: took ${JSON.stringify(sent.body)}`);
    }
    const wrong = wrongWith(operation, received);
    if (wrong !== undefined) throw new Error(`${id}: ${wrong}`);
    if (received.status !== operation.success.status) return;
    this.succeeded.add(id);
    // what is asked of the project afterwards would find nothing
    if (id === "projects.delete") await this.begin();
  }
}

/** As generated clients know the API. */
const document = documentedApi(openApiDocument(operations, { version: "1.2.3", serverUrl: "/" }));

function wrongWith(operation: Operation, received: Received): string | undefined {
  const said = `${JSON.stringify(received.headers)} ${received.text}`;
  if (aroundCanary(said).length > 0) return `tells a secret: ${said}`;
  if (received.headers["x-ratelimit-limit"] === undefined) return "tells no limit";
  if (received.text.includes("Internal server error")) return "a 500 that nobody asked for";
  // a browser is led to a page outside the contract (facts.md §6.14)
  if (received.status === 303 && operation.browser !== undefined) return undefined;
  return undeclared(operation, received) ?? document.wrong(operation, undefined, received);
}

/** A failure prints its seed. Each request finds what those before it did: the seed asks the same once more, without the path. */
const SEED = process.env["EMULATOR_SEED"];

interface Asking {
  readonly questions: Questions;
  /** what tells of it all: control calls, and the logs of the project */
  readonly told: readonly string[];
}

/** Asks so many, and checks each answer. */
async function asking(asked: readonly Operation[], run: { numRuns: number; seed?: number }): Promise<Asking> {
  await using under = await emulatorUnderTest({ limits: { requestsPerMinute: 0 }, seed: anySeed });
  const questions = new Questions(under);
  await questions.begin();
  await fc.assert(
    fc.asyncProperty(anyRequestOf(asked), (request) => questions.ask(request)),
    { ...run, endOnFailure: true },
  );
  const { control } = under;
  return {
    questions,
    told: [JSON.stringify([await control.log.read(), await control.state.read()]), await logs(under)],
  };
}

/** Where a secret stands in what may be long. */
function aroundCanary(text: string): readonly string[] {
  return [...text.matchAll(new RegExp(`.{0,100}(?:${CANARY}|${CANARY_NUMBER}).{0,20}`, "gu"))].map(([found]) => found);
}

/** All that the project's logs have of what was asked, which is more than one answer lists. */
async function logs({ call, clock, control }: EmulatorUnderTest): Promise<string> {
  await control.organizations.patch({ slug: "acme", plan: "enterprise" });
  const DAY_MS = 86_400_000;
  const query = new URLSearchParams({
    sql: "select json_agg(line) as lines from logs as line",
    iso_timestamp_start: new Date(clock.now() - DAY_MS + 60_000).toISOString(),
    iso_timestamp_end: new Date(clock.now()).toISOString(),
  });
  const { text } = await call("GET", `/v1/projects/${REF}/analytics/endpoints/logs?${query.toString()}`);
  expect({ text: text.slice(0, 200), hasLines: text.includes('"operation":') }).toMatchObject({ hasLines: true });
  return text;
}

describe("any request", () => {
  const kinds = [
    {
      what: "needs no database",
      numRuns: ANY_OTHER,
      asked: operations.filter((operation) => !runsSql(operation)),
      reached: [200, 201, 400, 401, 403, 404],
      succeeding: 0.8,
    },
    {
      what: "runs SQL",
      numRuns: ANY_OTHER_SQL,
      asked: operations.filter(runsSql),
      reached: [200, 201, 400, 401, 403],
      succeeding: 0.8,
    },
  ];

  it.each(kinds)(
    "that $what gets an answer that the contract declares, never a 500, never a stored secret",
    { timeout: 240_000 },
    async ({ numRuns, asked }) => {
      const { told } = await asking(asked, { numRuns, ...(SEED === undefined ? {} : { seed: Number(SEED) }) });
      expect(told.flatMap(aroundCanary)).toEqual([]);
    },
  );

  // what chance reaches is no claim: of requests that are always the same, as many in any run, it can be said
  it.each(kinds)(
    "that $what is refused in every way and goes through: requests that are always the same show it",
    { timeout: 240_000 },
    async ({ asked, reached, succeeding }) => {
      const { questions, told } = await asking(asked, { numRuns: asked.length * SAME_PER_OPERATION, seed: 1 });
      expect(told.flatMap(aroundCanary)).toEqual([]);
      expect(questions.malformed).toBeGreaterThan(asked.length / 2);
      expect([...questions.statuses]).toEqual(expect.arrayContaining(reached));
      const never = asked.filter(({ id }) => !questions.succeeded.has(id)).map(({ id }) => id);
      expect(never.length, `never went through: ${never.join(", ")}`).toBeLessThan(asked.length * (1 - succeeding));
    },
  );
});
