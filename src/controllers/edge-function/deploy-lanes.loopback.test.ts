import { expect, it } from "vitest";
import { z } from "zod";
import { NAMESPACE, openTheatre } from "../../../test/support/controllers/life.ts";
import { inline, inShop } from "../../../test/support/controllers/redeploy-bench.ts";
import { AT_ONCE, putShop, unready } from "../../../test/support/controllers/shop.ts";
import { WholeOperator } from "../../../test/support/controllers/whole-operator.ts";
import { OpenRequests } from "../../../test/support/stage/open-requests.ts";

/** [K-31] Who goes before whom where deployments of one project go one at a time (engine.md §1, lanes). */

const FUNCTIONS = 60;
const BUNDLE_MS = 3000;
const STEP_MS = 100;
/** First syncs that stand in the line wait longer than this moves them up. */
const OVERDUE_MS = 90_000;

const querySchema = z.object({ slug: z.string() });

it.each([
  { when: "who waits has just come", afterMs: 10_000 },
  { when: "those who wait are overdue", afterMs: OVERDUE_MS },
])(`the edit of a Ready function goes before ${FUNCTIONS} first deployments that wait, where $when`, async (row) => {
  await using theatre = await openTheatre({ ...AT_ONCE, timings: { ...AT_ONCE.timings, bundleMs: BUNDLE_MS } });
  const { clock, kubernetes, emulator } = theatre;
  await emulator.control.organizations.patch({ slug: "acme", quotas: { functionsPerProject: FUNCTIONS + 1 } });
  await using operator = await WholeOperator.start(theatre);
  using others = new OpenRequests("/functions/deploy");
  /** As `advance` of the operator, but that time goes on while a function is bundled. */
  const pass = async (ms: number): Promise<void> => {
    for (let passedMs = 0; passedMs < ms; passedMs += STEP_MS) {
      await others.none();
      clock.advance(STEP_MS);
    }
  };
  const apply = (text: string): void => {
    const metadata = { name: "edited", namespace: NAMESPACE };
    const spec = { ...inShop, ...inline(text) };
    kubernetes.put("edgefunctions", { apiVersion: "baas.dev/v1alpha1", kind: "EdgeFunction", metadata, spec });
    operator.look();
  };
  const deployments = async (since: number): Promise<readonly string[]> => {
    const { entries } = await emulator.control.log.read({ after: since });
    const deploys = entries.filter(({ operation }) => operation === "functions.deploy");
    return deploys.map(({ query }) => querySchema.parse(query).slug);
  };
  putShop(theatre, { branches: 0, functions: 0, secrets: 0 });
  apply("// one");
  for (let n = 0; n < 60 && unready(theatre).length > 0; n += 1) await pass(1000);
  expect(unready(theatre)).toEqual([]);
  putShop(theatre, { branches: 0, functions: FUNCTIONS, secrets: 0 });
  operator.look();
  await pass(row.afterMs);
  const { last } = await emulator.control.log.read({});
  apply("// two");
  await pass(4 * BUNDLE_MS);
  const deployed = await deployments(last);
  // The one that was under way, and one that had begun its run by then.
  expect(deployed.slice(0, 3)).toContain("edited");
  expect(unready(theatre).length, "others wait all the while").toBeGreaterThan(10);
});
