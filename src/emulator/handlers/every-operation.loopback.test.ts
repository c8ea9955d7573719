import { describe, expect, it } from "vitest";
import { operations } from "../../api/contract/contract.ts";
import { emulatorUnderTest, undeclared } from "../../../test/support/emulator/api.ts";
import { EVERY_CALL, everyCallSeed } from "../../../test/support/emulator/every-call.ts";
import { documentedApi } from "../../../test/support/emulator/openapi.ts";
import { play } from "../../../test/support/emulator/play.ts";

describe("every operation of the contract", () => {
  it("succeeds with its declared status and body", async () => {
    await using under = await emulatorUnderTest({ timings: { signingKeyRestMs: 60_000 }, seed: everyCallSeed });
    const document = documentedApi((await under.call("GET", "/openapi.json")).json);
    await play(under, EVERY_CALL, async ({ operation, body, received }) => {
      const { id, success } = operation;
      expect([id, received.status, undeclared(operation, received)]).toEqual([id, success.status, undefined]);
      expect(document.wrong(operation, body, received)).toBeUndefined();
      expect((await under.control.log.read()).entries.at(-1)?.operation).toBe(id);
    });
  });

  it("is among them, none more, none less", () => {
    const ids = new Set(EVERY_CALL.map(({ id }) => id));
    expect([...ids].toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
  });
});
