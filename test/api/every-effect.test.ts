import { describe, expect, it } from "vitest";
import { operations } from "../../src/api/contract/contract.ts";
import type { Operation } from "../../src/api/contract/operation.ts";
import { depthMeanings, depths } from "../../src/emulator/depth.ts";
import { EFFECTS } from "./effects/effects.ts";
import { type Effect, openScene, type Scene } from "./effects/scene.ts";

const rows = Object.entries(EFFECTS).flatMap(([section, verbs]) =>
  Object.entries<Effect>(verbs).map(([verb, effect]) => ({ id: `${section}.${verb}`, effect })),
);
const depthOf: ReadonlyMap<string, string> = new Map(Object.entries(depths));
const byId = new Map<string, Operation>(operations.map((operation) => [operation.id, operation]));

interface Answered {
  readonly operation: Operation;
  readonly status: number;
}

/** What the client was answered in a scene, in order. */
async function answersIn({ control }: Scene): Promise<readonly Answered[]> {
  const { entries } = await control.log.read();
  return entries.flatMap(({ operation: id, status }) => {
    const operation = byId.get(id ?? "");
    return operation === undefined || status === null ? [] : [{ operation, status }];
  });
}

const succeeded = ({ operation, status }: Answered): boolean => status === operation.success.status;

/** Also one that is refused: what is gone is not found. That the client looks up who it is says nothing. */
const reads = ({ operation }: Answered): boolean => operation.retry === "read" && operation.id !== "profile.get";

const changes = (one: Answered): boolean => one.operation.retry !== "read" && succeeded(one);

/** Whether, by other operations, the client read after what this one changed, or had changed something before this one read. */
function isSeenByClient(id: string, answers: readonly Answered[]): boolean {
  const isOwn = (one: Answered): boolean => one.operation.id === id && succeeded(one);
  if (byId.get(id)?.retry !== "read") return answers.slice(answers.findIndex(isOwn)).some(reads);
  return answers.slice(0, answers.findLastIndex(isOwn)).some(changes);
}

describe("every operation succeeds through the typed client, and what it does is then seen", () => {
  it("none is missing", () => {
    expect(rows.map(({ id }) => id).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
  });

  it("every level of depth is one of some operation, and what only reads a seeded one says why no operation makes it", () => {
    expect([...new Set(depthOf.values())].toSorted()).toEqual(Object.keys(depthMeanings).toSorted());
    const seededReads = rows.filter(({ id }) => depthOf.get(id) === "seeded" && byId.get(id)?.retry === "read");
    expect(seededReads.filter(({ effect }) => typeof effect === "function").map(({ id }) => id)).toEqual([]);
  });

  it.each(rows)("$id", async ({ id, effect }) => {
    await using scene = await openScene();
    await (typeof effect === "function" ? effect : effect.proof)(scene);
    expect(expect.getState().assertionCalls, "it expects something").toBeGreaterThan(0);
    const unsteered = scene.steered.length === 0;
    expect(unsteered && depthOf.get(id) === "seeded", "nothing but the operation makes what it is about").toBe(false);
    const answers = await answersIn(scene);
    const succeeding = answers.filter(succeeded).map(({ operation }) => operation.id);
    expect(succeeding).toContain(id);
    expect(isSeenByClient(id, answers), "it is seen by the client's own calls").toBe(typeof effect === "function");
  });
});
