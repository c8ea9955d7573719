import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Lever, nested } from "../../../test/support/sections/lever.ts";
import { levers } from "../../../test/support/sections/levers.ts";
import { type BranchStage, openBranchStage } from "../../../test/support/sections/stage.ts";
import { writing } from "../../../test/support/sections/writing.ts";
import { branchSpec } from "../../resources/branch/spec.ts";

/** Each section that a Branch takes: set, seen under the branch's ref, changed there by somebody else, repaired, taken out of the spec and left alone. */

let stage: BranchStage;

beforeEach(async () => {
  stage = await openBranchStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "enterprise" }] } });
});

afterEach(() => stage[Symbol.asyncDispose]());

const ofBranches = levers.filter(({ path }) => Object.hasOwn(branchSpec.shape, path.split(".")[0] ?? ""));
/** One of each section. */
const one = [...new Map(ofBranches.map((lever) => [lever.section, lever])).values()];
const writes = async (): Promise<readonly string[]> => (await stage.calls()).filter((id) => writing.has(id)).toSorted();
const written = (costs: readonly string[]): readonly string[] => costs.filter((id) => writing.has(id)).toSorted();

it("is tried of every section but those of a project alone", () => {
  const left = new Set(levers.map(({ section }) => section)).difference(new Set(one.map(({ section }) => section)));
  expect([...left]).toEqual(["branching"]);
});

describe("of a Branch", () => {
  it.each(one)("spec.$path is set, seen, repaired, taken out and left alone", async (lever: Lever) => {
    const { path, section, mine, theirs, costs, restMs = 60_001, spec = (declared) => nested(path, declared) } = lever;
    const expectSeen = async ({ seen: wanted }: Lever["mine"]): Promise<void> => {
      const seen = await lever.seen(stage);
      expect({ seen, isWanted: lever.isSame(wanted, seen) }).toEqual({ seen, isWanted: true });
    };
    const byHand = async (): Promise<void> => {
      await stage.theatre.pass(restMs);
      await lever.byHand(stage);
      await stage.theatre.pass(restMs);
      await expectSeen(theirs);
      await stage.calls();
    };
    await stage.theatre.pass(60_001);
    await lever.prepare?.(stage);
    await byHand();
    await stage.start(spec(mine.declared));
    expect(await writes()).toEqual(written(costs.set));
    await lever.afterwards?.by(stage);
    expect(await stage.settle()).toMatchObject({ kind: "done" });
    expect(stage.entry(section)).toMatchObject({ state: "InSync" });
    await expectSeen(mine);
    await byHand();
    await stage.run();
    expect(await writes()).toEqual(written(costs.repair));
    await lever.afterwards?.by(stage);
    expect(await stage.settle()).toMatchObject({ kind: "done" });
    await expectSeen(mine);
    await stage.apply({});
    await byHand();
    await stage.run();
    expect(await writes()).toEqual([]);
    await expectSeen(theirs);
    expect(stage.entry(section)).toBeUndefined();
  });
});
