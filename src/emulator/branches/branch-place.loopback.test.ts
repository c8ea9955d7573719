import { describe, expect, it } from "vitest";
import { REGIONS } from "../../api/contract/fields.ts";
import { type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { message } from "../../../test/support/emulator/scenario.ts";
import type { SeedInput } from "../state/seed.ts";

/** Where the project of a branch is made, how large, and in which channel. */

const REF = "abcdefghijklmnopqrst";
const branched = { name: "shop", ref: REF, region: "eu-west-1", branches: [{ name: "main" }] } as const;
const seed = { projects: [{ ...branched, branches: [...branched.branches] }] } satisfies SeedInput;

const creation = (under: EmulatorUnderTest, body: object, ref = REF) =>
  under.call("POST", `/v1/projects/${ref}/branches`, { body: { branch_name: "dev", ...body } });

/** Compute size and region of the projects that there are, the branch's last. */
async function places(under: EmulatorUnderTest): Promise<readonly string[]> {
  const { projects } = await under.control.state.read();
  return projects.map(({ region, instanceSize }) => `${instanceSize} ${region}`);
}

describe("the region of a branch", () => {
  it("is one that there is, whatever text the catalogue allows, also of a default branch", async () => {
    await using under = await emulatorUnderTest({ seed: { projects: [...seed.projects, { name: "bare" }] } });
    const bare = (await under.control.state.read()).projects[1]?.ref ?? "";
    for (const ref of [REF, bare]) {
      const refused = await creation(under, { region: "nowhere" }, ref);
      expect([refused.status, message(refused)]).toEqual([400, expect.stringMatching(/^region: .*'us-east-1' \| /)]);
      expect(message(refused)).toContain("received 'nowhere'");
    }
    for (const region of REGIONS) expect((await creation(under, { branch_name: region, region })).status).toBe(201);
    expect((await places(under)).slice(2)).toEqual(REGIONS.map((region) => `micro ${region}`));
  });

  it("is the project's where none is said, which must have room as any other", async () => {
    await using under = await emulatorUnderTest({ seed });
    await under.control.regions.patch({ region: "eu-west-1", largestSize: null });
    const refused = await creation(under, {});
    expect([refused.status, message(refused)]).toEqual([
      400,
      "region: there is no room for the size micro in eu-west-1 on the plan pro",
    ]);
    expect((await creation(under, { region: "eu-west-2" })).status).toBe(201);
    expect(await places(under)).toEqual(["micro eu-west-1", "micro eu-west-2"]);
  });

  it.each([
    { size: "pico", largestSize: "nano", status: 201 },
    { size: "medium", largestSize: "medium", status: 201 },
    { size: "large", largestSize: "medium", status: 400 },
    { size: "pico", largestSize: null, status: 400 },
  ] as const)("has room for $size: $status where $largestSize is the largest", async (row) => {
    await using under = await emulatorUnderTest({ seed });
    await under.control.regions.patch({ region: "us-west-1", largestSize: row.largestSize });
    const answer = await creation(under, { region: "us-west-1", desired_instance_size: row.size });
    expect(answer.status).toBe(row.status);
    expect(await places(under)).toHaveLength(row.status === 201 ? 2 : 1);
  });

  it("matters to the default branch in no way: its project is there", async () => {
    await using under = await emulatorUnderTest({ seed: { projects: [{ name: "bare", ref: REF }] } });
    await under.control.regions.patch({ region: "us-east-1", largestSize: null });
    expect((await creation(under, {})).status).toBe(201);
  });
});

describe("the release channel of a branch", () => {
  it.each(["internal", "alpha", "beta", "ga", "withdrawn", "preview"])("may be %s", async (channel) => {
    await using under = await emulatorUnderTest({ seed });
    expect((await creation(under, { release_channel: channel })).status).toBe(201);
  });
});
