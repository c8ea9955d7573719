import { expect, it } from "vitest";
import { RELEASES_NAME } from "../../src/controllers/shared/releases.ts";
import { NAMESPACE, openTheatre, type Theatre } from "../support/controllers/life.ts";
import { AT_ONCE, unready } from "../support/controllers/shop.ts";
import { WholeOperator } from "../support/controllers/whole-operator.ts";

/** A platform that answers 429 for ever, from the gate that counts for how long to the deletion that ends at its bound (engine.md §5). */

const MINUTE_MS = 60_000;
const TIMEOUT_MINUTES = 15;
const LOOK_MS = 1000;
/** How far an end may be from the bound: a request that is refused once more, and the look after it. */
const SLACK_MS = 3 * MINUTE_MS;

const isThere = ({ kubernetes }: Theatre): boolean => kubernetes.get("projects", NAMESPACE, "shop") !== undefined;

/** Lets time pass, the operator seeing what the apiserver has, until the Project is gone. @returns milliseconds; undefined: it stays */
async function untilGone(theatre: Theatre, operator: WholeOperator, mostMs: number): Promise<number | undefined> {
  for (let passedMs = 0; passedMs < mostMs; passedMs += LOOK_MS) {
    if (!isThere(theatre)) return passedMs;
    operator.look();
    await operator.advance(LOOK_MS);
  }
  return undefined;
}

it.each([
  { where: "in a Terminating namespace ends at the bound", terminating: true, mends: Infinity, left: true },
  { where: "elsewhere waits on, for whoever mends it", terminating: false, mends: 60, left: false },
  {
    where: "in a Terminating namespace goes on where it is answered before the bound",
    terminating: true,
    mends: 10,
    left: false,
  },
])("a deletion that is answered 429 for ever $where", async ({ terminating, mends, left }) => {
  await using theatre = await openTheatre(AT_ONCE);
  const { kubernetes, clock, emulator } = theatre;
  await using operator = await WholeOperator.start(theatre);
  const metadata = { name: "shop", namespace: NAMESPACE };
  const spec = { organization: "acme", deletionPolicy: "Delete", deletionTimeout: `${TIMEOUT_MINUTES}m` };
  kubernetes.put("namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: NAMESPACE, finalizers: ["kubernetes"] },
  });
  kubernetes.put("projects", { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata, spec });
  operator.look();
  await operator.advanceUntil(() => unready(theatre).length === 0);
  const fault = { kind: "status", status: 429, headers: { "retry-after": "30" } } as const;
  await emulator.control.faults.add({ operation: "*", count: null, fault });
  if (terminating) kubernetes.delete("namespaces", "", NAMESPACE, clock.now());
  kubernetes.delete("projects", NAMESPACE, "shop", clock.now());

  const refusedMs = Math.min(mends, TIMEOUT_MINUTES) * MINUTE_MS - LOOK_MS;
  expect(await untilGone(theatre, operator, refusedMs), "before the bound").toBeUndefined();
  const mended = Number.isFinite(mends);
  const longerMs = mended ? mends * MINUTE_MS - refusedMs : 0;
  expect(await untilGone(theatre, operator, longerMs), "before it is answered").toBeUndefined();
  if (mended) await emulator.control.faults.clear();
  expect(await untilGone(theatre, operator, SLACK_MS)).toBeDefined();
  expect((await emulator.control.state.read({})).projects.map(({ name }) => name)).toEqual(left ? ["shop"] : []);
  const told = JSON.stringify(kubernetes.get("configmaps", "baas-system", RELEASES_NAME) ?? "");
  expect(told.includes(`the platform has answered nothing but 429 for ${TIMEOUT_MINUTES}m`)).toBe(left);
});
