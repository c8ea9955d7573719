import { beforeAll, describe, expect, it } from "vitest";
import { claimRows } from "./claims.ts";
import { pipelined, type Seen, undiciClient } from "./programs/undici.ts";
import { aStage } from "./stage.ts";

/** Its HTTP/1.1 has no Expect. */
const own = claimRows.filter(({ claim }) => claim !== "asks to continue before it sends a body");

describe("undici", () => {
  let seen: Seen = {};

  beforeAll(async () => {
    await using stage = await aStage();
    seen = await undiciClient(stage);
  });

  it.each(own)("$claim", ({ claim, expected }) => {
    expect(seen[claim]).toBe(expected);
  });

  it("gets its answers in the order of its requests when it waits for none of them", async () => {
    await using stage = await aStage();
    expect(await pipelined(stage, 50)).toEqual(Array.from({ length: 50 }, (_, index) => index));
  });
});
