import { describe, expect, it } from "vitest";
import { operations } from "../../src/api/contract/contract.ts";
import { isOpenToApps } from "../../src/api/contract/operation.ts";
import { depthMeanings, depths } from "../../src/emulator/depth.ts";
import { operationsPage, windowsInWords } from "./operations.ts";

const page = operationsPage();
const lines = page.split("\n");

/** The cells of an operation's row. */
function cells(id: string): readonly string[] {
  const row = lines.find((line) => line.startsWith(`| \`${id}\`<br>`)) ?? "";
  return row
    .split(/(?<!\\)\|/u)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

describe("the page of operations", () => {
  it.each(operations.map((one) => [one.id, one] as const))(
    "has %s, in its section, with what a caller needs to know",
    (id, one) => {
      const [, request, scopes, permissions, plans, limit, notes, retry, depth] = cells(id);
      expect(request).toBe(`\`${one.method} ${one.path}\``);
      expect(one.scopes.filter((scope) => !scopes?.includes(`\`${scope}\``))).toEqual([]);
      expect(one.permissions.flat().filter((name) => !permissions?.includes(`\`${name}\``))).toEqual([]);
      expect(plans).toBe((one.plans ?? []).join(", "));
      expect(limit?.startsWith(`\`${one.limitClass?.name ?? ""}\``) ?? false).toBe(one.limitClass !== undefined);
      expect(notes?.split(", ").includes("deprecated")).toBe(one.deprecated === true);
      expect(notes?.includes("a branch id is deprecated")).toBe(one.path.includes("{branch_id_or_ref}"));
      expect(notes?.includes("of apps partners' alone")).toBe(one.apps === "partner");
      expect(notes?.split(", ").includes("no apps")).toBe(one.access !== "public" && !isOpenToApps(one));
      expect(notes?.includes(one.stability)).toBe(one.stability !== "stable");
      expect([retry, depth]).toEqual([one.retry, Reflect.get(depths, id)]);
      const heading = lines
        .slice(
          0,
          lines.findIndex((line) => line.startsWith(`| \`${id}\``)),
        )
        .findLast((line) => line.startsWith("## "));
      expect(heading).toBe(`## ${id.split(".", 1)[0]}`);
    },
  );

  it("says in words what its columns mean", () => {
    const words = [...Object.keys(depthMeanings), "read", "idempotent", "once"];
    expect(words.filter((word) => !page.includes(`| ${word} | `))).toEqual([]);
  });

  it("tells alternatives from what is needed together", () => {
    const name = (id: string): string => cells(id)[3] ?? "";
    expect(name("authConfig.update")).toBe("`auth_config_write` and `project_admin_write`");
    expect(name("branches.list")).toBe("`branching_production_read` or `branching_development_read`");
  });

  it("tells what the secrets of an answer need besides", () => {
    expect(cells("apiKeys.list")[3]).toBe("`api_gateway_keys_read`; for secrets `api_gateway_keys_secret_read`");
    expect(cells("dataApi.get")[3]).toContain("; for secrets `data_api_config_secret_read`");
    expect(cells("branches.get")[3]).toContain("; for secrets `project_admin_write`");
  });

  it.each([
    { windows: [{ requests: 120, windowMs: 60_000 }], words: "120 per minute" },
    { windows: [{ requests: 120, windowMs: 180_000 }], words: "120 per 3 minutes" },
    {
      windows: [
        { requests: 10, windowMs: 60_000 },
        { requests: 1, windowMs: 1000 },
      ],
      words: "10 per minute and 1 per second",
    },
    { windows: [{ requests: 5, windowMs: 90_000 }], words: "5 per 90 seconds" },
  ])("says limits as $words", ({ windows, words }) => {
    expect(windowsInWords({ name: "any", windows })).toBe(words);
  });
});
