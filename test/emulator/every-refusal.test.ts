import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../src/api/contract/contract.ts";
import type { Operation } from "../../src/api/contract/operation.ts";
import { errorStatuses } from "../../src/api/openapi/errors.ts";
import { DEFAULT_SETTINGS } from "../../src/emulator/state/settings.ts";
import { type EmulatorUnderTest, emulatorUnderTest, undeclared } from "../support/emulator/api.ts";
import { operationOf } from "../support/emulator/play.ts";
import { changedTables, rowsOf } from "../support/emulator/rows.ts";
import { callOf, played, type Refusal, refusalSeed, refusedAs, saidBy } from "../support/emulator/refusal.ts";
import { ACCESS_REFUSALS } from "./refusals/access.ts";
import { BRANCH_REFUSALS } from "./refusals/branches.ts";
import { isSaid, NAMED_REFUSALS } from "./refusals/contract.ts";
import { GENERAL_REFUSALS, ROUTE_REFUSALS } from "./refusals/general.ts";
import { INFRASTRUCTURE_REFUSALS } from "./refusals/infrastructure.ts";
import { KEY_REFUSALS } from "./refusals/keys.ts";
import { NAME_REFUSALS } from "./refusals/names.ts";
import { OAUTH_REFUSALS } from "./refusals/oauth.ts";
import { OBSERVING_REFUSALS } from "./refusals/observing.ts";
import { PROJECT_REFUSALS } from "./refusals/projects.ts";
import { SERVICE_REFUSALS } from "./refusals/services.ts";
import { contentOf, mend, prepareDatabases, SQL_REFUSALS, sqlSeed } from "./refusals/sql.ts";

/**
 * Every operation with every code that it may answer, listed or of all alike (facts.md, head): what is not played here is not there. 400 for
 * an unknown parameter, 401, 403, 429, 500 and 404 of a project are alike for all; each other refusal has a row with the situation that it
 * comes from. A row has all of the words and the form of the body, and whatever the contract says of a refusal in words of its own is quoted by
 * the rows that play it.
 */

const rows: readonly Refusal[] = [
  ...PROJECT_REFUSALS,
  ...BRANCH_REFUSALS,
  ...SERVICE_REFUSALS,
  ...NAME_REFUSALS,
  ...INFRASTRUCTURE_REFUSALS,
  ...ACCESS_REFUSALS,
  ...KEY_REFUSALS,
  ...OBSERVING_REFUSALS,
  ...OAUTH_REFUSALS,
];
const all = [...rows, ...SQL_REFUSALS];

/** Beside a project's own 404: what a path names within a project may be missing as well. */
const WITHIN = "404 of what is in the project";
const namesMore = ({ path }: Operation): boolean => /\{ref\}.*\{/.test(path);

/** A 400 that is listed has a row of its own; where it is not, the request is all that can be wrong. */
const UNKNOWN = "400 of an unknown parameter";
const lists400 = ({ errors }: Operation): boolean => errors.includes(400);

/** Every refusal that is documented. */
const documented = operations.flatMap((operation) => [
  ...errorStatuses(operation).map((status) =>
    status === 400 && !lists400(operation) ? `${operation.id} ${UNKNOWN}` : `${operation.id} ${status}`,
  ),
  ...(namesMore(operation) ? [`${operation.id} ${WITHIN}`] : []),
]);

const there = new Set([
  ...GENERAL_REFUSALS.flatMap(({ status, meets }) =>
    operations
      .filter((one) => errorStatuses(one).includes(status) && meets(one))
      .map(({ id }) => `${id} ${status === 400 ? UNKNOWN : status}`),
  ),
  ...all.map(({ id, status }) =>
    status === 404 && namesMore(operationOf(id)) ? `${id} ${WITHIN}` : `${id} ${status}`,
  ),
]);

describe("the refusals that are played", () => {
  it("are those that the contract lists, all of them and no other", () => {
    expect(documented.filter((pair) => !there.has(pair))).toEqual([]);
    expect(all.filter(({ id, status }) => !errorStatuses(operationOf(id)).includes(status))).toEqual([]);
  });

  const quoting = [...all, ...GENERAL_REFUSALS, ...ROUTE_REFUSALS];

  it.each(NAMED_REFUSALS)("have what the contract says of '$of', by its codes $statuses", ({ of, statuses }) => {
    const codes = quoting.flatMap((row) => (row.of?.includes(of) === true ? [row.status] : []));
    expect(codes).not.toEqual([]);
    expect(statuses.filter((status) => !codes.includes(status))).toEqual([]);
  });

  it("have each a situation in which the service waits as long as it does by default", () => {
    const patient = new Set(
      all.flatMap(({ id, status, patienceMs }) => (patienceMs === undefined ? [`${id} ${status}`] : [])),
    );
    expect(all.filter(({ id, status }) => !patient.has(`${id} ${status}`)).map(({ id }) => id)).toEqual([]);
  });

  it("quote the contract as it stands", () => {
    expect(NAMED_REFUSALS.length).toBeGreaterThan(45); // a document of another form would name none
    expect(quoting.flatMap(({ of = [] }) => of).filter((quote) => !isSaid(quote))).toEqual([]);
  });
});

describe("an operation", () => {
  it.each(GENERAL_REFUSALS)("answers $status where $because", async (refusal) => {
    const { status, says, beside, meets, requestsPerMinute, given, ask } = refusal;
    await using under = await emulatorUnderTest({ seed: refusalSeed, limits: { requestsPerMinute } });
    const met = operations.filter((operation) => errorStatuses(operation).includes(status) && meets(operation));
    const wrong: unknown[] = [];
    for (const operation of met) {
      const token = await given?.(under, operation);
      const before = rowsOf(under.world);
      const received = await ask(under, operation, token);
      const changed = changedTables(before, rowsOf(under.world));
      const said = saidBy(received);
      const [whole, ...more] = operation.method === "HEAD" ? [""] : says(operation);
      const isWhole =
        more.length === 0 ? said.words === whole : says(operation).every((part) => said.words.includes(part));
      const fits =
        isWhole && isDeepStrictEqual(said.beside, operation.method === "HEAD" ? {} : (beside?.(operation) ?? {}));
      const odd = undeclared(operation, received);
      if (received.status === status && fits && odd === undefined && changed.length === 0) continue;
      wrong.push([operation.id, received.status, received.text, odd, changed]);
    }
    expect(wrong).toEqual([]);
  });
});

describe("a path that is nearly that of an operation", () => {
  it.each(ROUTE_REFUSALS)("answers $status where $because", async ({ status, path, meets }) => {
    await using under = await emulatorUnderTest({ seed: refusalSeed, limits: { requestsPerMinute: 0 } });
    const wrong: unknown[] = [];
    for (const { id, method } of operations.filter(meets)) {
      const asked = path(callOf(id).path);
      const { status: received, text } = await under.call(method, asked);
      const words = method === "HEAD" ? "" : JSON.stringify({ message: `Cannot ${method} ${asked}` });
      if (received !== status || text !== words) wrong.push([id, received, text]);
    }
    expect(wrong).toEqual([]);
  });
});

/** Refusals that no situation brings about by itself, since a server's age decides them, by the setting that says the age (docs/adr/0027). */
const OF_AGE = {
  branchesWithoutBranching: ["branches.list"],
  legacyEndpoints: ["apiKeys.getLegacy", "apiKeys.updateLegacy", "signingKeys.createLegacy", "signingKeys.getLegacy"],
} as const;

/** Settings that are not as they are by default, but for how many requests there may be and how long things take. */
async function switched({ control }: EmulatorUnderTest): Promise<readonly string[]> {
  const { timings: _timings, requestsPerMinute: _requests, ...settings } = await control.settings.read();
  const usual: ReadonlyMap<string, unknown> = new Map(Object.entries(DEFAULT_SETTINGS));
  return Object.entries(settings).flatMap(([name, value]) => (usual.get(name) === value ? [] : [name]));
}

describe("every other refusal", () => {
  const reached = new Set<string>();

  it.each(rows)("$id answers $status: $because", async (row) => {
    await using under = await emulatorUnderTest({ seed: refusalSeed, limits: { requestsPerMinute: 0 } });
    expect(await played(under, row)).toEqual(refusedAs(row));
    for (const name of await switched(under)) reached.add(`${name} ${row.id}`);
  });

  it("is reached by a situation, but for what a server's age decides", () => {
    const named = Object.entries(OF_AGE).flatMap(([name, ids]) => ids.map((id) => `${name} ${id}`));
    expect([...reached].toSorted()).toEqual(named.toSorted());
  });
});

describe("every refusal of a database", () => {
  let under: EmulatorUnderTest;
  beforeAll(async () => {
    under = await emulatorUnderTest({ seed: sqlSeed, limits: { requestsPerMinute: 0 } });
    await prepareDatabases(under);
  });
  afterAll(() => under[Symbol.asyncDispose]());

  it.each(SQL_REFUSALS)("$id answers $status: $because", async (row) => {
    const content = await contentOf(under);
    const outcome = await played(under, row);
    await mend(under);
    expect({ ...outcome, content: await contentOf(under) }).toEqual({ ...refusedAs(row), content });
  });
});
