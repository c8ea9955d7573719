import { afterEach, beforeEach, expect, it } from "vitest";
import { type Keeping, startKeeping } from "../../../test/support/kube-server/keeping-client.ts";
import { edgeFunctionKind } from "../../resources/edge-function/kind.ts";
import { secretKind } from "../../resources/secret/kind.ts";
import { Withdrawals } from "./withdrawals.ts";

/** One answer of discovery serves all whose deletion it explains. */

let kept: Keeping;
let withdrawals: Withdrawals;

beforeEach(async () => {
  kept = await startKeeping();
  withdrawals = new Withdrawals(kept.kube, kept.clock);
});

afterEach(() => kept[Symbol.asyncDispose]());

const { signal } = new AbortController();

interface Case {
  readonly why: string;
  readonly type?: typeof edgeFunctionKind.type;
  /** for how long the object had been deleted when the definition of another one's kind was asked after and was there, milliseconds */
  readonly deletingForMs: number;
  readonly is: boolean;
}

it.each<Case>([
  { why: "its deletion began well before: the definition has nothing to do with it", deletingForMs: 6000, is: false },
  { why: "it began so shortly before that discovery may not have known yet", deletingForMs: 4000, is: true },
  { why: "it begins after that", deletingForMs: -1000, is: true },
  { why: "it is of another kind", type: secretKind.type, deletingForMs: 6000, is: true },
])("a definition that goes later explains a deletion: $is, as $why", async ({ deletingForMs, is, ...of }) => {
  const { server, clock } = kept;
  const { type = edgeFunctionKind.type } = of;
  expect(await withdrawals.explains(edgeFunctionKind.type, 60_000, { signal })).toBe(false);
  server.withdraw(type.plural);
  clock.advance(10_000);
  expect(await withdrawals.explains(type, deletingForMs + 10_000, { signal })).toBe(is);
});

it("a failure is no answer: the next one asks again", async () => {
  kept.server.withdraw(edgeFunctionKind.type.plural);
  const over = AbortSignal.abort(new Error("over"));
  await expect(withdrawals.explains(edgeFunctionKind.type, 60_000, { signal: over })).rejects.toThrow("over");
  expect(await withdrawals.explains(edgeFunctionKind.type, 60_000, { signal })).toBe(true);
});
