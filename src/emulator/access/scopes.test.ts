import { describe, expect, it } from "vitest";
import { operations } from "../../api/contract/contract.ts";
import { OAUTH_SCOPES } from "../../api/contract/oauth.ts";
import { missingScopes } from "./scopes.ts";

const TWO = { scopes: ["a:read", "b:write"], retry: "once" } as const;

describe("scopes of an app's token", () => {
  it.each([
    { held: ["a:read", "b:write", "c:read"], missing: undefined },
    { held: ["a:read"], missing: "the scope b:write" },
    { held: ["a:write"], missing: "the scopes a:read and b:write" },
  ])("$held lack $missing", ({ held, missing }) => {
    expect(missingScopes(TWO, held)).toBe(missing);
  });

  it("cover every operation that lists some, all together", () => {
    const lacking = operations.filter((one) => one.scopes.length > 0 && missingScopes(one, OAUTH_SCOPES) !== undefined);
    expect(lacking.map(({ id }) => id)).toEqual([]);
  });

  it("let a token for which none was approved do nothing, not even what lists none", () => {
    const open = operations.filter((one) => missingScopes(one, []) === undefined);
    expect(open.map(({ id }) => id)).toEqual([]);
  });

  it("open what lists none where it only reads, and close it where it changes something", () => {
    const unlisted = operations.filter(({ scopes, access }) => scopes.length === 0 && access !== "public");
    const open = unlisted.filter((one) => missingScopes(one, OAUTH_SCOPES) === undefined);
    expect(open.map(({ id }) => id).toSorted()).toEqual([
      "addons.list",
      "analytics.apiCounts",
      "analytics.apiRequestsCount",
      "analytics.functionStats",
      "disk.autoscale",
      "disk.get",
      "disk.utilization",
      "jit.list",
      "profile.get",
      "realtime.get",
      "signingKeys.get",
      "storage.get",
      "transfers.preview",
    ]);
    expect(
      unlisted
        .filter((one) => !open.includes(one))
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual([
      "addons.apply",
      "addons.remove",
      "disk.update",
      "jit.delete",
      "jit.deleteInvite",
      "jit.invite",
      "jit.update",
      "oauth.authorizeProjectClaim",
      "organizations.create",
      "readReplicas.remove",
      "readReplicas.setup",
      "realtime.shutdown",
      "realtime.update",
      "storage.update",
      "transfers.create",
    ]);
  });
});
