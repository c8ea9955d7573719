import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { RUN_STEPS } from "../../src/api/contract/actions.ts";
import { type EmulatorUnderTest, emulatorUnderTest } from "../support/emulator/api.ts";

/** A branch keeps to the graph of its statuses while runs work on it, fail and succeed; the steps of a run only go forward. */

const REF = "abcdefghijklmnopqrst";
const PROJECT = `/v1/projects/${REF}`;

/** What a status may become by itself. */
const BY_ITSELF: Readonly<Record<string, readonly string[]>> = {
  CREATING_PROJECT: ["RUNNING_MIGRATIONS", "MIGRATIONS_FAILED"],
  RUNNING_MIGRATIONS: ["MIGRATIONS_PASSED", "MIGRATIONS_FAILED"],
  MIGRATIONS_PASSED: ["FUNCTIONS_DEPLOYED", "FUNCTIONS_FAILED"],
};

function laterThan(status: string): readonly string[] {
  return [status, ...(BY_ITSELF[status] ?? []).flatMap(laterThan)];
}

/** How far a step is. */
const RANK: Readonly<Record<string, number>> = { CREATED: 0, RUNNING: 1, EXITED: 2, DEAD: 2 };

/** Whom an act names: the default branch, which is the project itself, takes none. */
type Named = "dev" | "main" | "nobody";
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constantFrom("push", "reset", "merge"),
      of: fc.constantFrom<Named[]>("dev", "dev", "dev", "main", "nobody"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ fail: fc.constantFrom(...RUN_STEPS) }) },
  { weight: 4, arbitrary: fc.record({ waitMs: fc.constantFrom(1, 100, 400, 1000, 5000, 30_000) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const after = (...waits: readonly (1 | 100 | 400 | 1000 | 5000 | 30_000)[]): Step[] =>
  waits.map((waitMs) => ({ waitMs }));

/** Sequences that reach every status, whatever chance adds to them. */
const EVERY_STATUS: readonly Step[] = [
  { act: "merge", of: "dev" },
  { act: "merge", of: "main" },
  { act: "merge", of: "nobody" },
  ...after(...Array.from({ length: 60 }, () => 100 as const), 30_000),
  { act: "push", of: "dev" },
  ...after(...Array.from({ length: 60 }, () => 100 as const), 30_000),
  { fail: "migrate" },
  { act: "push", of: "dev" },
  ...after(30_000),
  { fail: "deploy" },
  { act: "push", of: "dev" },
  ...after(30_000),
];

const branches = z.array(z.object({ id: z.string(), name: z.string(), status: z.string() }));
const runs = z.array(
  z.object({ id: z.string(), run_steps: z.array(z.object({ name: z.string(), status: z.string() })) }),
);

const NOBODY = "00000000-0000-4000-8000-000000000000";

async function idOfMain({ call }: EmulatorUnderTest): Promise<string> {
  const all = branches.parse((await call("GET", `${PROJECT}/branches`)).json);
  return all.find(({ name }) => name === "main")?.id ?? NOBODY;
}

async function statuses({ call }: EmulatorUnderTest): Promise<ReadonlyMap<string, string>> {
  const all = branches.parse((await call("GET", `${PROJECT}/branches`)).json);
  return new Map(all.map(({ name, status }) => [name, status]));
}

async function ranks({ call }: EmulatorUnderTest): Promise<ReadonlyMap<string, number>> {
  const all = runs.parse((await call("GET", `${PROJECT}/actions?limit=1000`)).json);
  return new Map(
    all.flatMap(({ id, run_steps: steps }) =>
      steps.map(({ name, status }): [string, number] => [`${id} ${name}`, RANK[status] ?? -1]),
    ),
  );
}

/** What an act is answered: work begins in a branch that is made, whatever has become of other work (facts.md §5). */
function answerTo(of: Named, before: ReadonlyMap<string, string>): number {
  if (of === "nobody") return 404;
  if (of === "main") return 422;
  return before.get("dev") === "CREATING_PROJECT" ? 400 : 201;
}

interface Known {
  readonly ids: Readonly<Record<Named, string>>;
  readonly before: ReadonlyMap<string, string>;
}

/** Which branch the act leads to RUNNING_MIGRATIONS, where it is accepted. */
async function act(
  { call, control, clock }: EmulatorUnderTest,
  one: Step,
  { ids, before }: Known,
): Promise<string | undefined> {
  if ("waitMs" in one) clock.advance(one.waitMs);
  if ("fail" in one) await control.actions.failStep({ step: one.fail });
  if (!("act" in one)) return undefined;
  const { status, text } = await call("POST", `/v1/branches/${ids[one.of]}/${one.act}`, { body: {} });
  expect({ one, before, status, text }).toMatchObject({ one, before, status: answerTo(one.of, before) });
  return status === 201 ? (one.act === "merge" ? "main" : "dev") : undefined;
}

describe("a branch", () => {
  it(
    "keeps to the graph of its statuses and takes the work that it allows, and a run's steps go forward alone",
    { timeout: 120_000 },
    async () => {
      const reached = new Set<string>();
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 60, size: "max" }), async (steps) => {
          await using under = await emulatorUnderTest({
            limits: { requestsPerMinute: 0 },
            seed: { projects: [{ name: "shop", ref: REF, branches: [{ name: "main" }] }] },
          });
          const made = await under.call("POST", `${PROJECT}/branches`, { body: { branch_name: "dev" } });
          const { id: dev } = z.object({ id: z.string() }).parse(made.json);
          const ids = { dev, main: await idOfMain(under), nobody: NOBODY };
          let before = await statuses(under);
          let ranked = await ranks(under);
          expect(before.get("dev")).toBe("CREATING_PROJECT");
          for (const one of steps) {
            const begun = await act(under, one, { ids, before });
            const now = await statuses(under);
            for (const [name, status] of now) {
              const was = before.get(name) ?? "";
              const allowed = begun === name ? ["RUNNING_MIGRATIONS"] : "waitMs" in one ? laterThan(was) : [was];
              expect({ one, name, was, status, allowed: allowed.includes(status) }).toMatchObject({ allowed: true });
              reached.add(status);
            }
            const rankedNow = await ranks(under);
            const back = [...ranked].filter(([key, rank]) => (rankedNow.get(key) ?? -1) < rank);
            const begunRuns = (rankedNow.size - ranked.size) / RUN_STEPS.length;
            expect({ one, back, runs: begunRuns }).toEqual({ one, back: [], runs: begun === undefined ? 0 : 1 });
            [before, ranked] = [now, rankedNow];
          }
        }),
        { numRuns: 30, examples: [[[...EVERY_STATUS]]] },
      );
      expect(reached.size, "every status is reached").toBe(6);
    },
  );
});
