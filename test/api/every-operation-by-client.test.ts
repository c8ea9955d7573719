import { expect, it } from "vitest";
import { operations } from "../../src/api/contract/contract.ts";
import { emulatorUnderTest } from "../support/emulator/api.ts";
import { byClient } from "../support/emulator/by-client.ts";
import { EVERY_CALL, everyCallSeed, REF } from "../support/emulator/every-call.ts";
import { play } from "../support/emulator/play.ts";
import { typedClient } from "../support/emulator/typed-client.ts";

it("every operation succeeds through the typed client, whose output the contract's schema has read", async () => {
  await using under = await emulatorUnderTest({
    timings: { signingKeyRestMs: 60_000 },
    seed: everyCallSeed,
    limits: { requestsPerMinute: 0 },
  });
  await using client = typedClient(under);
  const outputs = new Map<string, unknown>();
  await play(byClient(under, client, REF), EVERY_CALL, ({ operation, received }) => {
    outputs.set(operation.id, received.json);
  });
  expect([...outputs.keys()].toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
  const silent = [...outputs].filter(([, output]) => output === undefined).map(([id]) => id);
  const empty = operations.filter(({ success }) => success.kind === "empty").map(({ id }) => id);
  expect(silent.toSorted()).toEqual(empty.toSorted());
});
