import { expect, it } from "vitest";
import { z } from "zod";
import { openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE, putShop, unready } from "../../../test/support/controllers/shop.ts";
import { WholeOperator } from "../../../test/support/controllers/whole-operator.ts";
import { seedFrom } from "../../../test/support/seed.ts";
import { type Random, seededRandom } from "../../base/random.ts";

type FaultRuleInput = Parameters<Theatre["emulator"]["control"]["faults"]["add"]>[0];

/** K-30 and K-33 under K-40: many functions and secrets of one project, the platform's real limits, and requests that fail as chance has it. */

const FUNCTIONS = 150;
const SECRETS = 20;
const SEED = seedFrom("FAULTS_SEED");
/** Rules of failing requests; each hits one or two. */
const RULES = 60;
/** Between two looks at whether what says Ready is there, milliseconds. */
const LOOK_MS = 5000;
const MOST_MS = 2 * 3_600_000;

const operations = [
  "functions.deploy",
  "functions.deploy",
  "functions.list",
  "secrets.create",
  "secrets.list",
  "*",
] as const;
const faults: readonly FaultRuleInput["fault"][] = [
  { kind: "status", status: 429, headers: { "retry-after": "2" } },
  { kind: "status", status: 500 },
  { kind: "status", status: 500, phase: "after" },
  { kind: "status", status: 503 },
  { kind: "html", status: 502 },
  { kind: "html", status: 504, phase: "after" },
  { kind: "reset" },
  { kind: "reset", phase: "after" },
  { kind: "truncated" },
  { kind: "truncated", phase: "before" },
];

const statusSchema = z.looseObject({ bundleHash: z.string().optional() });
const querySchema = z.looseObject({ slug: z.string() });

function drawRule(random: Random): FaultRuleInput {
  const pick = <T>(all: readonly [T, ...T[]] | readonly T[]): T => {
    const found = all[Math.floor(random() * all.length)];
    if (found === undefined) throw new RangeError("nothing to draw from");
    return found;
  };
  return {
    operation: pick(operations),
    skip: Math.floor(random() * FUNCTIONS),
    count: 1 + Math.floor(random() * 2),
    fault: pick(faults),
  };
}

it(`[K-30] [K-33] [K-40] ${FUNCTIONS} functions and ${SECRETS} secrets are Ready in spite of failing requests, none before it is there, each deployed once and again only for a lost answer (FAULTS_SEED=${SEED})`, async () => {
  await using theatre = await openTheatre(AT_ONCE);
  const { control } = theatre.emulator;
  await control.organizations.patch({ slug: "acme", quotas: { functionsPerProject: FUNCTIONS } });
  const random = seededRandom(SEED);
  await using operator = await WholeOperator.start(theatre);
  putShop(theatre, { branches: 0, functions: 0, secrets: 0 });
  operator.look();
  await operator.advanceUntil(() => unready(theatre).length === 0);
  for (let n = 0; n < RULES; n += 1) await control.faults.add(drawRule(random));
  putShop(theatre, { branches: 0, functions: FUNCTIONS, secrets: SECRETS, perSecret: 1 });
  operator.look();
  /** What is there, and what says Ready and is not. */
  const look = async () => {
    const unsaid = new Set(unready(theatre).map(({ metadata }) => metadata.name));
    const said = theatre.kubernetes.list("edgefunctions").filter(({ metadata }) => !unsaid.has(metadata.name));
    const [project] = (await control.state.read({})).projects;
    const there = new Map(project?.functions.map((one) => [one.slug, one]));
    const wrong = said.filter(({ metadata, status }) => {
      const { sha256 = "" } = there.get(metadata.name) ?? {};
      return statusSchema.parse(status).bundleHash !== sha256;
    });
    return { left: unsaid.size, wrong, there, secrets: project?.secrets ?? [] };
  };
  let now = await look();
  for (let passedMs = 0; now.left > 0 && passedMs < MOST_MS; passedMs += LOOK_MS) {
    await operator.advance(LOOK_MS);
    now = await look();
    expect(now.wrong).toEqual([]);
  }
  expect(now.left).toBe(0);
  const { entries } = await control.log.read({});
  const spoiled = entries.filter(({ fault }) => fault !== null);
  expect(spoiled.length).toBeGreaterThan(RULES / 3);
  // The budget is kept whatever fails: what had no answer, or a lost one, has spent, too.
  expect(entries.filter(({ fault, status }) => fault === null && status === 429)).toEqual([]);
  const lost = Map.groupBy(
    spoiled.filter(({ operation }) => operation === "functions.deploy"),
    ({ query }) => querySchema.parse(query).slug,
  );
  expect(now.there.size).toBe(FUNCTIONS);
  const often = [...now.there.values()].filter(({ slug, version }) => version > 1 + (lost.get(slug)?.length ?? 0));
  expect(often).toEqual([]);
  expect(now.secrets.filter(({ name }) => name.startsWith("NAME_"))).toHaveLength(SECRETS);
});
