import { describe, expect, it } from "vitest";
import {
  BRANCH_INSTANCE_SIZES,
  INSTANCE_SIZES,
  POSTGRES_ENGINES,
  REGIONS,
  RELEASE_CHANNELS,
  SMART_GROUPS,
} from "../../src/api/contract/fields.ts";
import { SECRET_NAME_MAX } from "../../src/api/contract/secrets.ts";
import {
  branchSizes,
  postgresEngines,
  projectSizes,
  regionCodes,
  regionGroups,
  releaseChannels,
} from "../../src/resources/platform.ts";
import { secretSpec } from "../../src/resources/secret/spec.ts";

/** Our kinds import nothing but zod, and the contract knows no kinds: what both list of the platform stands in each, and must stay the same. */
describe("the platform's closed sets", () => {
  it.each([
    { what: "regions", kinds: regionCodes, contract: REGIONS },
    { what: "parts of the world", kinds: regionGroups, contract: SMART_GROUPS },
    { what: "sizes of a project", kinds: projectSizes, contract: INSTANCE_SIZES },
    { what: "sizes of a branch", kinds: branchSizes, contract: BRANCH_INSTANCE_SIZES },
    { what: "engines of a branch", kinds: postgresEngines, contract: POSTGRES_ENGINES },
    { what: "channels of releases", kinds: releaseChannels, contract: RELEASE_CHANNELS },
  ])("$what are the same for kinds and contract", ({ kinds, contract }) => {
    expect(kinds).toEqual(contract);
  });

  it("the longest name of a secret is the same for the kind and the contract", () => {
    const named = (length: number) =>
      secretSpec.safeParse({
        projectRef: { name: "shop" },
        from: [{ secretRef: { name: "env" }, keys: [{ key: "k", as: "A".repeat(length) }] }],
      }).success;
    expect([named(SECRET_NAME_MAX), named(SECRET_NAME_MAX + 1)]).toEqual([true, false]);
  });
});
