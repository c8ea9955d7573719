import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { DRIFT_MS, type Drifts, drifts, openDrifts } from "../../../test/support/controllers/drifts.ts";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";

/** engine.md §7: `driftPolicy: Ignore` leaves what differs without a condition, and still nothing calls as declared what a look found different. */

let stage: Drifts;

beforeEach(async () => {
  stage = await openDrifts({ driftPolicy: "Ignore" });
});

afterEach(() => stage.theatre[Symbol.asyncDispose]());

const conditioned = z.object({
  status: z.object({
    conditions: z.array(z.object({ type: z.string(), status: z.string(), message: z.string() })),
  }),
});

describe("under driftPolicy Ignore", () => {
  it.each(drifts)("what differs is not called as declared: $what", async ({ plural, kind, name, drift, field }) => {
    const { theatre, life } = stage;
    const ready = (): unknown =>
      conditioned
        .parse(theatre.kubernetes.get(plural, NAMESPACE, name))
        .status.conditions.map(({ type, status, message }) => `${type}=${status} ${message}`);
    expect(ready()).toEqual([expect.stringMatching(/^Ready=True .*as declared$/u)]);
    await drift(stage);
    await theatre.pass(DRIFT_MS);
    const { last } = await theatre.emulator.control.log.read({});
    expect(await life.run(kind, name, "drift")).toMatchObject({ kind: "done" });
    const { entries } = await theatre.emulator.control.log.read({ after: last });
    expect(entries.filter(({ method }) => method !== "GET")).toEqual([]);
    const except = `as declared, but for what driftPolicy Ignore leaves different: ${field}`;
    expect(ready()).toEqual([expect.stringContaining(except)]);
  });
});
