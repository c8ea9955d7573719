import { describe, expect, it } from "vitest";
import { operations } from "../../src/api/contract/contract.ts";
import type { Operation } from "../../src/api/contract/operation.ts";
import { EFFECTS } from "./effects/effects.ts";
import { type Effect, openScene, type Scene } from "./effects/scene.ts";

const rows = Object.entries(EFFECTS).flatMap(([section, verbs]) =>
  Object.entries<Effect>(verbs).map(([verb, effect]) => ({ id: `${section}.${verb}`, effect })),
);
const byId = new Map<string, Operation>(operations.map((operation) => [operation.id, operation]));

/** What the client asked for in a scene, in order; the look-up of who it is no proof asked for. */
async function asked({
  control,
}: Scene): Promise<readonly { readonly operation: Operation; readonly status: number }[]> {
  const { entries } = await control.log.read();
  return entries.flatMap(({ operation: id, status }) => {
    const operation = byId.get(id ?? "");
    return operation === undefined || status === null ? [] : [{ operation, status }];
  });
}

/** Whether the client, by other operations, read after what the operation changed, or had changed something before what it read. */
function isByClientAlone(id: string, requests: Awaited<ReturnType<typeof asked>>): boolean {
  const of = requests.map(({ operation, status }) => ({
    own: operation.id === id && status === operation.success.status,
    reads: operation.retry === "read" && operation.id !== "profile.get",
    changes: operation.retry !== "read" && status === operation.success.status,
  }));
  const isRead = byId.get(id)?.retry === "read";
  const first = of.findIndex(({ own }) => own);
  const last = of.findLastIndex(({ own }) => own);
  return isRead ? of.slice(0, last).some(({ changes }) => changes) : of.slice(first + 1).some(({ reads }) => reads);
}

describe("every operation succeeds through the typed client, and what it does is then seen", () => {
  it("none is missing", () => {
    expect(rows.map(({ id }) => id).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
  });

  it.each(rows)("$id", async ({ id, effect }) => {
    await using scene = await openScene();
    await (typeof effect === "function" ? effect : effect.proof)(scene);
    expect(expect.getState().assertionCalls, "it expects something").toBeGreaterThan(0);
    const requests = await asked(scene);
    const own = requests.filter(({ operation }) => operation.id === id);
    expect(
      own.some(({ operation, status }) => status === operation.success.status),
      "it succeeded",
    ).toBe(true);
    expect(isByClientAlone(id, requests), "without control calls").toBe(typeof effect === "function");
  });
});
