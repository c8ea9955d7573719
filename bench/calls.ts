import { openTheatre } from "../test/support/controllers/life.ts";
import { AT_ONCE, callsOf, fewestCalls, putShop, type ShopSize, unready } from "../test/support/controllers/shop.ts";
import { WholeOperator } from "../test/support/controllers/whole-operator.ts";
import type { Bench, Measure } from "./bench.ts";

/** As engine.md's goal is stated: one Project with 3 branches, 20 functions and 50 secrets. */
const SHOP: ShopSize = { branches: 3, functions: 20, secrets: 50 };
/** The same secrets, each declared by an object of its own. */
const SCATTERED: ShopSize = { ...SHOP, perSecret: 1 };

/** `npm run bench -- calls`: how many calls of the Management API it takes to converge, over how many it must. */
export const callsBench: Bench = {
  summary: "calls of the Management API to converge one Project, over the least possible number",
  run: async ({ progress }) => {
    progress("one Project with 3 branches, 20 functions and 50 secrets, applied at once");
    const calls = await callsToConverge(SHOP);
    const scattered = await callsToConverge(SCATTERED);
    const least = fewestCalls(SHOP);
    const leastScattered = fewestCalls(SCATTERED);
    const over = (count: number, fewest: number): number => (count / fewest - 1) * 100;
    const measure = (name: string, count: number, fewest: number): readonly Measure[] => [
      { name: `${name}: calls`, value: count, unit: "calls", note: `at least ${fewest} are needed` },
      { name: `${name}: over the least`, value: over(count, fewest), unit: "%", target: { below: 10 } },
    ];
    return [
      ...measure("50 secrets of one object", calls, least),
      ...measure("50 secrets of 50 objects", scattered, leastScattered),
    ];
  },
};

async function callsToConverge(size: ShopSize): Promise<number> {
  await using theatre = await openTheatre(AT_ONCE);
  putShop(theatre, size);
  await using operator = await WholeOperator.start(theatre);
  operator.look();
  await operator.advanceUntil(() => unready(theatre).length === 0);
  return Object.values(await callsOf(theatre)).reduce((sum, count) => sum + count, 0);
}
