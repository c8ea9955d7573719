import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { expect, it } from "vitest";
import { AT_ONCE, unready } from "../../../test/support/controllers/shop.ts";
import { NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { WholeOperator } from "../../../test/support/controllers/whole-operator.ts";
import { seedFrom } from "../../../test/support/seed.ts";
import { type Random, seededRandom } from "../../base/random.ts";

type FaultRuleInput = Parameters<Theatre["emulator"]["control"]["faults"]["add"]>[0];

/** K-33 under K-40: somebody edits secrets by hand again and again, while requests of the operator fail as chance has it. */

const SEED = seedFrom("FAULTS_SEED");
const ROUNDS = 12;
/** Faults ordered for a round; those that it does not come to are taken back. */
const RULES = 5;
const DRIFT_MS = 600_000;
/** In which a round's edits are restored: a drift check, and what its failed requests take. */
const MOST_MS = 2 * 3_600_000;

const operations = ["secrets.create", "secrets.list", "*"] as const;
const faults: readonly FaultRuleInput["fault"][] = [
  { kind: "status", status: 429, headers: { "retry-after": "2" } },
  { kind: "status", status: 500 },
  { kind: "status", status: 503, phase: "after" },
  { kind: "html", status: 502 },
  { kind: "reset" },
  { kind: "reset", phase: "after" },
  { kind: "truncated" },
  { kind: "truncated", phase: "before" },
];

const DECLARED = { A: "a", B: "b" } as const;
const digest = (value: string): string => createHash("sha256").update(value).digest("hex");
const digests = (values: Readonly<Record<string, string>>): object =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, digest(value)]));

function pick<T>(random: Random, all: readonly T[]): T {
  const found = all[Math.floor(random() * all.length)];
  if (found === undefined) throw new RangeError("nothing to draw from");
  return found;
}

function drawRule(random: Random): FaultRuleInput {
  return { operation: pick(random, operations), skip: Math.floor(random() * 3), fault: pick(random, faults) };
}

function putSecret({ kubernetes }: Theatre): void {
  const stringData = DECLARED;
  kubernetes.put("secrets", {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "values", namespace: NAMESPACE },
    stringData,
  });
  const spec = {
    projectRef: { name: "shop" },
    from: [{ secretRef: { name: "values" } }],
    driftInterval: `${DRIFT_MS / 60_000}m`,
  };
  const metadata = { name: "app", namespace: NAMESPACE };
  kubernetes.put("secrets", { apiVersion: "baas.dev/v1alpha1", kind: "Secret", metadata, spec });
}

/** The secrets of the project that somebody gave it, by name: digests. */
async function secretsOf({ emulator }: Theatre): Promise<object> {
  const [project] = (await emulator.control.state.read({})).projects;
  const given = project?.secrets.filter(({ platform }) => !platform) ?? [];
  return Object.fromEntries(given.map(({ name, digest: value }) => [name, value]));
}

/** What somebody does with a client of his own, whose requests no fault is for. */
async function byHand({ emulator }: Theatre, method: "POST" | "DELETE", body: unknown): Promise<void> {
  const ref = (await emulator.control.state.read({})).projects[0]?.ref ?? "";
  const response = await fetch(`${emulator.url}/v1/projects/${ref}/secrets`, {
    method,
    headers: { authorization: "Bearer token", "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await response.text();
  expect(response.status).toBeLessThan(300);
}

it(`[K-33] [K-40] A that was deleted and B that was edited are restored and C that was added is left alone, in spite of failing requests (FAULTS_SEED=${SEED})`, async () => {
  await using theatre = await openTheatre(AT_ONCE);
  const { control } = theatre.emulator;
  const random = seededRandom(SEED);
  await using operator = await WholeOperator.start(theatre);
  theatre.kubernetes.put("projects", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: { name: "shop", namespace: NAMESPACE },
    spec: { organization: "acme" },
  });
  putSecret(theatre);
  operator.look();
  await operator.advanceUntil(() => unready(theatre).length === 0);
  expect(await secretsOf(theatre)).toEqual(digests(DECLARED));
  let spoiled = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const added = { [`C_${round}`]: `added ${round}` };
    await byHand(theatre, "DELETE", ["A"]);
    await byHand(theatre, "POST", [{ name: "B", value: `edited ${round}` }]);
    await byHand(
      theatre,
      "POST",
      Object.entries(added).map(([name, value]) => ({ name, value })),
    );
    const before = await secretsOf(theatre);
    for (let n = 0; n < RULES; n += 1) await control.faults.add(drawRule(random));
    const wanted = { ...before, ...digests(DECLARED) };
    for (let passedMs = 0; passedMs < MOST_MS; passedMs += DRIFT_MS) {
      await operator.advance(DRIFT_MS);
      if (isDeepStrictEqual(await secretsOf(theatre), wanted)) break;
    }
    expect(await secretsOf(theatre), `round ${round}`).toEqual(wanted);
    spoiled += (await control.faults.list({})).reduce((sum, { hits }) => sum + hits, 0);
    await control.faults.clear();
    await operator.advance(DRIFT_MS);
  }
  expect(spoiled).toBeGreaterThan(ROUNDS);
  expect(unready(theatre)).toEqual([]);
  const { entries } = await control.log.read({});
  expect(entries.filter(({ fault, status }) => fault === null && status === 429)).toEqual([]);
  const { A: _a, B: _b, ...added } = Object.fromEntries(Object.entries(await secretsOf(theatre)));
  theatre.kubernetes.delete("secrets", NAMESPACE, "app", theatre.clock.now());
  operator.look();
  await operator.advanceUntil(() => theatre.kubernetes.get("secrets", NAMESPACE, "app") === undefined);
  expect(Object.keys(added)).toHaveLength(ROUNDS);
  expect(await secretsOf(theatre)).toEqual(added);
});
