import { describe, expect, it } from "vitest";
import { REGIONS } from "../../api/contract/fields.ts";
import { type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { message, NEW_PROJECT } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const crowded = (): Promise<EmulatorUnderTest> =>
  emulatorUnderTest({
    seed: {
      organizations: [{ slug: "acme", plan: "pro", members: { owner: "Owner" } }],
      regions: [
        { region: "eu-central-1", largestSize: null },
        { region: "eu-west-1", largestSize: "large" },
        { region: "eu-north-1", plans: ["enterprise"] },
      ],
    },
  });

describe("available regions", () => {
  it("are all of them, and those of North America are recommended where no continent is named", async () => {
    await using under = await emulatorUnderTest();
    await using client = typedClient(under);
    const { all, recommendations } = await client.projects.availableRegions({ organization_slug: "acme" });
    expect(all.specific.map(({ code }) => code)).toEqual([...REGIONS]);
    expect(all.specific.every((region) => !("status" in region))).toBe(true);
    expect(all.smartGroup.map(({ code }) => code)).toEqual(["americas", "emea", "apac"]);
    expect(recommendations.smartGroup.code).toBe("americas");
    expect(recommendations.specific[0]).toEqual({
      code: "us-east-1",
      name: "East US (North Virginia)",
      type: "specific",
      provider: "AWS",
    });
  });

  it.each([
    { continent: "NA", group: "americas", includes: "us-west-2", excludes: "sa-east-1" },
    { continent: "SA", group: "americas", includes: "sa-east-1", excludes: "us-east-1" },
    { continent: "EU", group: "emea", includes: "eu-west-2", excludes: "us-east-1" },
    { continent: "AF", group: "emea", includes: "eu-west-2", excludes: "ap-south-1" },
    { continent: "AS", group: "apac", includes: "ap-south-1", excludes: "ap-southeast-2" },
    { continent: "OC", group: "apac", includes: "ap-southeast-2", excludes: "ap-south-1" },
    { continent: "AN", group: "apac", includes: "ap-southeast-2", excludes: "eu-west-1" },
  ] as const)("near $continent are those of $group, such as $includes", async (row) => {
    await using under = await emulatorUnderTest();
    await using client = typedClient(under);
    const { continent } = row;
    const { recommendations } = await client.projects.availableRegions({ organization_slug: "acme", continent });
    const codes = recommendations.specific.map(({ code }) => code);
    expect(recommendations.smartGroup.code).toBe(row.group);
    expect([codes.includes(row.includes), codes.includes(row.excludes)]).toEqual([true, false]);
  });

  it.each([
    { size: undefined, full: ["eu-central-1 capacity", "eu-north-1 other"] },
    { size: "large", full: ["eu-central-1 capacity", "eu-north-1 other"] },
    { size: "xlarge", full: ["eu-central-1 capacity", "eu-north-1 other", "eu-west-1 capacity"] },
  ] as const)("say which have no room for the size $size, or none for the plan", async ({ size, full }) => {
    await using under = await crowded();
    await using client = typedClient(under);
    const query = size === undefined ? {} : { desired_instance_size: size };
    const { all, recommendations } = await client.projects.availableRegions({
      organization_slug: "acme",
      continent: "EU",
      ...query,
    });
    const unavailable = all.specific.filter(({ status }) => status !== undefined);
    expect(unavailable.map(({ code, status }) => `${code} ${status}`).toSorted()).toEqual(full);
    const recommended = recommendations.specific.map(({ code }) => code);
    expect(recommended.filter((code) => full.some((one) => one.startsWith(code)))).toEqual([]);
    expect(recommended).toContain("eu-west-2");
  });

  it.each([
    ["organization_slug=acme&continent=XX", "continent"],
    ["organization_slug=acme&desired_instance_size=pico", "desired_instance_size"],
    ["organization_slug=nobody", "Organization not found"],
    ["", "organization_slug"],
  ])("are refused for ?%s with 400", async (query, says) => {
    await using under = await emulatorUnderTest();
    const refused = await under.call("GET", `/v1/projects/available-regions?${query}`);
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
  });
});

describe("creating a project", () => {
  const specific = (code: string) => ({ region_selection: { type: "specific", code } });
  const group = (code: string) => ({ region_selection: { type: "smartGroup", code } });

  it.each([
    { wanted: specific("eu-central-1"), region: undefined, because: "nothing fits there" },
    { wanted: { region: "eu-central-1" }, region: undefined, because: "nor with the old field" },
    { wanted: { ...specific("eu-west-1"), desired_instance_size: "xlarge" }, region: undefined, because: "too large" },
    { wanted: { ...specific("eu-west-1"), desired_instance_size: "large" }, region: "eu-west-1", because: "it fits" },
    { wanted: specific("eu-north-1"), region: undefined, because: "the plan has no room there" },
    { wanted: group("emea"), region: "eu-west-1", because: "a group stands for its first region with room" },
    { wanted: group("apac"), region: "ap-southeast-1", because: "the usual region has room" },
    { wanted: {}, region: "us-east-1", because: "so it is where nothing is said" },
  ])("with $wanted leads to $region: $because", async ({ wanted, region }) => {
    await using under = await crowded();
    const made = await under.call("POST", "/v1/projects", { body: { ...NEW_PROJECT, name: "shop", ...wanted } });
    const refused = [400, expect.objectContaining({ message: expect.stringContaining("no room") })];
    const created = [201, expect.objectContaining({ region })];
    expect([made.status, made.json]).toEqual(region === undefined ? refused : created);
    const { projects } = await under.control.state.read();
    expect(projects.map((project) => project.region)).toEqual(region === undefined ? [] : [region]);
  });

  it("in a group leads past its usual region where that is for higher plans", async () => {
    await using under = await crowded();
    await under.control.regions.patch({ region: "us-east-1", plans: ["team", "enterprise"] });
    const body = { ...NEW_PROJECT, name: "shop", ...group("americas") };
    const made = await under.call("POST", "/v1/projects", { body });
    expect([made.status, made.json]).toMatchObject([201, { region: "us-east-2" }]);
  });

  it("finds room again once a control call makes some", async () => {
    await using under = await crowded();
    await under.control.regions.patch({ region: "eu-central-1" });
    const body = { ...NEW_PROJECT, name: "shop", ...specific("eu-central-1") };
    expect((await under.call("POST", "/v1/projects", { body })).status).toBe(201);
  });
});
