import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Lever, nested } from "../../../test/support/sections/lever.ts";
import { levers } from "../../../test/support/sections/levers.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";
import { writing } from "../../../test/support/sections/writing.ts";

/** What a section is called that differs and is left so by `driftPolicy: Ignore`: not as declared, by whichever look. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "enterprise" }] } });
});

afterEach(() => stage[Symbol.asyncDispose]());

/** One of each section. */
const one = [...new Map(levers.map((lever) => [lever.section, lever])).values()];

describe("under driftPolicy Ignore", () => {
  it.each(one)("$section that somebody changed is left, with its field, and Ready names it", async (lever: Lever) => {
    const { section, path, mine, restMs = 60_001, spec = (declared) => nested(path, declared) } = lever;
    const field = `spec.${lever.told ?? path}`;
    await stage.theatre.pass(60_001);
    await lever.prepare?.(stage);
    await lever.byHand(stage);
    await stage.theatre.pass(restMs);
    await stage.start({ driftPolicy: "Ignore", ...spec(mine.declared) });
    await lever.afterwards?.by(stage);
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(stage.condition("Ready")?.message).toBe("the project is as declared");
    await stage.theatre.pass(restMs);
    await lever.byHand(stage);
    await stage.theatre.pass(restMs);
    await stage.calls();
    await stage.run("drift");
    expect((await stage.calls()).filter((id) => writing.has(id))).toEqual([]);
    const told = `driftPolicy Ignore leaves different: ${field}`;
    expect(stage.entry(section)).toMatchObject({ fields: [field], left: { ignored: [field] } });
    expect(stage.entry(section)?.message).toContain(told);
    expect(stage.condition("Ready")).toMatchObject({ status: "True", message: expect.stringContaining(told) });
    expect(stage.condition("Drifted")).toBeUndefined();
    // a run that does not look at it says no other thing
    await stage.run("change");
    expect(stage.condition("Ready")?.message).toContain(told);
  });
});
