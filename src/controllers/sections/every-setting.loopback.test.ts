import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Lever, nested } from "../../../test/support/sections/lever.ts";
import { branchLevers, branchSeed, levers } from "../../../test/support/sections/levers.ts";
import { type AnyStage, openBranchStage, openSectionStage } from "../../../test/support/sections/stage.ts";
import { writing } from "../../../test/support/sections/writing.ts";
import { sections } from "./sections.ts";

/**
 * Everything that a project can be configured to be: set, seen on the platform, changed there by somebody else, repaired, taken out of the spec and left
 * alone, with every call counted; and the same of a Branch, under its own ref, for one setting of each section that is drawn: `BRANCH_SEED=<seed of a failure>`
 * draws those again. What there is comes from the schemas of the spec and from the contract's requests (every-setting.test.ts), so that nothing goes unproven.
 * Auth, whose secrets are rotated too, has its own in test/sections/auth-fields.test.ts.
 */

let stage: AnyStage;

async function begin(open: typeof openSectionStage | typeof openBranchStage): Promise<void> {
  stage = await open({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "enterprise" }] } });
}

afterEach(() => stage[Symbol.asyncDispose]());

/** What a section asks the platform by. */
function operationsOf(name: string): ReadonlySet<string> {
  return new Set(sections.find((section) => section.name === name)?.operations);
}

const KINDS = [
  { kind: "Project", its: levers, open: openSectionStage, isCounted: () => true },
  // Of its reads there are those of its parent, too.
  {
    kind: `Branch (BRANCH_SEED=${branchSeed})`,
    its: branchLevers,
    open: openBranchStage,
    isCounted: (id: string, section: string) => writing.has(id) || operationsOf(section).has(id),
  },
] as const;

const calls = async (): Promise<readonly string[]> => (await stage.calls()).toSorted();
const writes = async (): Promise<readonly string[]> => (await stage.calls()).filter((id) => writing.has(id));

/** Questions whose answers are how far something is: each poll asks them once. */
const POLLS: ReadonlySet<string> = new Set(["customHostname.reverify"]);
/** More runs than any object takes to come to rest. */
const MOST_RUNS = 100;

/**
 * Lets the object come to rest, with what somebody does meanwhile, and returns what was written. However often it is polled, each run asks for no more than a
 * look does; one that writes, for no more than that costs.
 */
async function rest({ section, afterwards, costs }: Lever): Promise<readonly string[]> {
  const own = operationsOf(section);
  await afterwards?.by(stage);
  const written: string[] = [];
  for (let run = 0; run < MOST_RUNS; run += 1) {
    await stage.calls();
    const outcome = await stage.run(run === 0 ? "change" : "progress");
    const asked = (await stage.calls()).filter((id) => own.has(id) && !POLLS.has(id));
    const wrote = asked.filter((id) => writing.has(id));
    const most = wrote.length === 0 ? costs.look : [...costs.look, ...costs.set];
    expect(asked.length).toBeLessThanOrEqual(most.length);
    written.push(...wrote);
    if (outcome.kind === "done") return written;
    await stage.theatre.pass("retryAfterMs" in outcome ? (outcome.retryAfterMs ?? 1000) : 1000);
  }
  throw new Error("does not come to rest");
}

const cases = KINDS.flatMap(({ its, ...kind }) =>
  its.map((lever) => ({ ...kind, lever, title: [lever.path, lever.way ?? []].flat().join(" ") })),
);

describe.each(cases)("of a $kind, spec.$title", ({ lever, open, isCounted }) => {
  const counted = (ids: readonly string[]): readonly string[] =>
    ids.filter((id) => isCounted(id, lever.section)).toSorted();
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

  beforeEach(() => begin(open));

  it("is set, seen, repaired, taken out and left alone, with as few calls as can be", async () => {
    await stage.theatre.pass(60_001);
    await lever.prepare?.(stage);
    await byHand();

    // set by one request, and seen
    await stage.start(spec(mine.declared));
    expect(counted(await calls())).toEqual(counted(costs.set));
    expect(await rest(lever)).toEqual(lever.afterwards?.writes ?? []);
    expect(stage.entry(section)).toMatchObject({ state: "InSync" });
    await expectSeen(mine);

    // another look writes nothing, however it reads back
    await stage.theatre.pass(60_001);
    await stage.calls();
    expect(await stage.run()).toMatchObject({ kind: "done" });
    expect(counted(await calls())).toEqual(counted(costs.look));

    // drifted, and repaired as cheaply
    await byHand();
    await stage.run();
    expect(counted(await calls())).toEqual(counted(costs.repair));
    expect(await rest(lever)).toEqual(lever.afterwards?.writes ?? []);
    await expectSeen(mine);
    const told = stage.life.events.findLast(({ reason }) => reason === "DriftCorrected");
    expect(told?.note).toContain(`spec.${lever.told ?? path}`);

    // taken out: looked at no more, and left to whoever changes it
    await stage.apply({});
    await byHand();
    await stage.run();
    expect(counted(await calls())).toEqual([]);
    await expectSeen(theirs);
    expect(stage.entry(section)).toBeUndefined();
  });
});

describe("of a Project, spec.disk.sizeGb", () => {
  beforeEach(() => begin(openSectionStage));

  it("is set, left where somebody makes the disk larger, and left alone when it is taken out", async () => {
    const { client, ref, theatre } = stage;
    const attributes = async () => (await client.disk.get({ ref })).attributes;
    const before = await attributes();
    await stage.calls();
    await stage.apply({ disk: { sizeGb: before.size_gb + 10 } });
    expect(await writes()).toEqual(["disk.update"]);
    await theatre.pass(6 * 3_600_000);
    const larger = { type: "gp3", iops: before.iops, size_gb: before.size_gb + 20 } as const;
    await client.disk.update({ ref, body: { attributes: larger } });
    await stage.calls();
    await stage.run();
    await stage.apply({});
    expect(await calls()).toEqual(["disk.autoscale", "disk.get"]);
    expect(await attributes()).toMatchObject(larger);
  });
});

describe("of a Project, spec.database.webhooksEnabled", () => {
  beforeEach(() => begin(openSectionStage));

  it("is written once, and neither looked at nor taken back", async () => {
    const fault = { kind: "status", status: 201, body: {} } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "database.enableWebhooks", count: null, fault });
    await stage.apply({ database: { webhooksEnabled: true } });
    expect(await calls()).toEqual(["database.enableWebhooks"]);
    await stage.run();
    await stage.apply({});
    await stage.run();
    expect(await calls()).toEqual([]);
  });
});
