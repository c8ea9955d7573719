import { expect, it } from "vitest";
import { createOnce } from "./create-once.ts";

const NOW_MS = Date.UTC(2026, 0, 1, 1);

class NameTaken extends Error {}

interface Thing {
  readonly name: string;
  readonly createdMs: number;
  readonly others: boolean;
}

/**
 * A look that finds nothing, and a request that is refused since the name is taken.
 *
 * @param intentAgeMs how long ago something of that name was asked for, milliseconds; undefined: never
 */
function nameTakenMeanwhile(intentAgeMs: number | undefined) {
  const asked = intentAgeMs === undefined ? undefined : new Date(NOW_MS - intentAgeMs).toISOString();
  const inVain: readonly Thing[][] = intentAgeMs !== undefined && intentAgeMs > 120_000 ? [[], []] : [[]];
  const looks: (readonly Thing[])[] = [...inVain, [{ name: "a", createdMs: NOW_MS, others: false }]];
  const restored: (string | undefined)[] = [];
  const result = createOnce<Thing, Thing>({
    uid: "uid",
    name: "a",
    fingerprint: "f",
    intent: asked === undefined ? undefined : { name: "a", fingerprint: "f", time: asked, uid: "uid" },
    uniqueNames: true,
    requestDeadlineMs: 60_000,
    adopt: false,
    serverNow: () => NOW_MS,
    requireName: () => undefined,
    lookup: () => Promise.resolve(looks.shift() ?? []),
    lookupFormer: () => Promise.resolve([]),
    recordIntent: () => Promise.resolve(),
    restoreIntent: (intent) => void restored.push(intent?.time),
    create: () => Promise.reject(new NameTaken()),
    provesNoEffect: (error) => error instanceof NameTaken,
    saysNameTaken: (error) => error instanceof NameTaken,
    conflictMessage: () => "taken",
  });
  return { result, restored };
}

it("when a name is free and then taken, looks again: what it asked for may have come meanwhile", async () => {
  const { result, restored } = nameTakenMeanwhile(119_000);
  expect(await result).toMatchObject({ kind: "recovered", found: { name: "a" } });
  expect(restored).toEqual([]);
});

it("when a name is free and then taken, has nothing of it that came later than what it asked for can", async () => {
  const { result, restored } = nameTakenMeanwhile(121_000);
  await expect(result).rejects.toMatchObject({ reason: "Conflict" });
  expect(restored).toEqual([undefined, undefined]);
});

it("when a name is free and then taken, has nothing of it that it never asked for", async () => {
  const { result, restored } = nameTakenMeanwhile(undefined);
  await expect(result).rejects.toMatchObject({ reason: "Conflict" });
  expect(restored).toEqual([undefined]);
});
