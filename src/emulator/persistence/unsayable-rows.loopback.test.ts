import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rowsOf } from "../../../test/support/emulator/rows.ts";
import { emptyWorld, savedRows } from "../../../test/support/emulator/saved-rows.ts";
import { silentLogger } from "../../base/log.ts";
import type { World } from "../state/world.ts";
import { openSavedState } from "./saved-state.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-unsayable-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** What JSON gives back as it was: it says -0 as 0. */
const said = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));

const UNSAYABLE: Readonly<Record<string, unknown>> = {
  infinity: Number.POSITIVE_INFINITY,
  "not a number": Number.NaN,
  bigint: 1n,
  function: () => 1,
  symbol: Symbol("a"),
  date: new Date(0),
  map: new Map(),
  "hole in a list": [undefined],
};
const unsayable = fc
  .tuple(fc.constantFrom(...Object.keys(UNSAYABLE)), fc.array(fc.oneof(fc.nat(2), fc.constantFrom("a", "$bytes"))))
  .map(([kind, path]) =>
    path.reduce<unknown>(
      (inner, at) =>
        typeof at === "number" ? [...Array.from({ length: at }, () => "x"), inner] : { b: 1, [at]: inner },
      UNSAYABLE[kind],
    ),
  );
/** Sets a row, or tries to. */
const step = fc.record({
  key: fc.constantFrom("https://a.b/", "https://c.d/"),
  value: fc.oneof(said, unsayable),
});

function put(world: World, { key, value }: { readonly key: string; readonly value: unknown }): boolean {
  try {
    world.publishedJwks.set(key, { jwks: { keys: value } });
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

describe("a row that JSON cannot say", () => {
  it.each(Object.keys(UNSAYABLE))("is refused where it is set, and all goes on: %s", async (kind) => {
    const world = emptyWorld();
    const state = await openSavedState(folder, world, { log: silentLogger });
    put(world, { key: "https://a.b/", value: [1] });
    const before = rowsOf(world);
    expect(() => world.publishedJwks.set("https://a.b/", { jwks: { keys: UNSAYABLE[kind] } })).toThrow(
      "JSON cannot say",
    );
    expect(rowsOf(world)).toEqual(before);
    await state.flush();
    expect(put(world, { key: "https://c.d/", value: [2] })).toBe(true);
    await state.flush();
    const expected = rowsOf(world);
    await state.close();
    expect(await savedRows(folder)).toEqual(expected);
  });

  it("leaves memory and disk with the same, whatever else is set before and after it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const at = await mkdtemp(join(folder, "run-"));
        const world = emptyWorld();
        const state = await openSavedState(at, world, { log: silentLogger, longestJournal: 200 });
        for (const one of steps) {
          put(world, one);
          await state.flush();
        }
        const expected = rowsOf(world);
        await state.close();
        expect(await savedRows(at)).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });
});
