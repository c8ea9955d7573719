import { describe, expect, it } from "vitest";
import { operations } from "../../api/contract/contract.ts";
import type { Operation } from "../../api/contract/operation.ts";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";

/** Who is told what opens a project, whichever answer holds it: nobody by the role Read-only, whatever the token. */

const REF = "abcdefghijklmnopqrst";
const ROLES = ["Owner", "Administrator", "Developer", "Read-only"] as const;

/** What an answer holds of secrets, by the operations that name a permission for them and only read. */
const HELD: Readonly<Record<string, { readonly path: string; readonly secrets: readonly string[] }>> = {
  "apiKeys.list": { path: `/v1/projects/${REF}/api-keys?reveal=true`, secrets: ["api_key"] },
  "apiKeys.get": { path: `/v1/projects/${REF}/api-keys/anon?reveal=true`, secrets: ["api_key"] },
  "branches.get": { path: `/v1/branches/${REF}`, secrets: ["db_user", "jwt_secret"] },
  "dataApi.get": { path: `/v1/projects/${REF}/postgrest`, secrets: ["jwt_secret"] },
};
/** The answer without its secret would be another one: it is refused. */
const REFUSED: ReadonlySet<string> = new Set(["apiKeys.list", "apiKeys.get"]);

const holding = operations.filter((one: Operation) => one.secretPermission !== undefined && one.retry === "read");

const asRoles = () =>
  emulatorUnderTest({
    seed: {
      organizations: [{ slug: "acme", members: { owner: "Owner", ...Object.fromEntries(ROLES.map((r) => [r, r])) } }],
      tokens: ROLES.map((role) => ({ token: role, user: role })),
      projects: [{ name: "shop", ref: REF, branches: [{ name: "main" }] }],
    },
  });

describe("a secret that an answer holds beside what it is for", () => {
  it("is looked for in every operation that has one", () => {
    expect(holding.map(({ id }) => id).toSorted()).toEqual(Object.keys(HELD).toSorted());
  });

  it.each(holding)("$id tells to who may know it by their role", async ({ id, secretPermission }: Operation) => {
    await using under = await asRoles();
    const { path = "", secrets = [] } = HELD[id] ?? {};
    const isOfAdministration = secretPermission === "project_admin_write";
    const lacks = (role: string): string => `The role ${role} lacks: ${secretPermission}.`;
    const untold = (role: string): unknown[] => (REFUSED.has(id) ? [403, [], lacks(role)] : [200, [], undefined]);
    for (const role of ROLES) {
      const answer = await under.call("GET", path, { token: role });
      const shown = secrets.filter((name) => answer.text.includes(`"${name}":"`));
      const isTold = role === "Owner" || role === "Administrator" || (role === "Developer" && !isOfAdministration);
      const said = /The role .*?\./.exec(answer.text)?.[0];
      expect([role, answer.status, shown, said]).toEqual([
        role,
        ...(isTold ? [200, secrets, undefined] : untold(role)),
      ]);
    }
  });

  it("leaves the rest of the answer to a member who only reads", async () => {
    await using under = await asRoles();
    const keys = await under.call("GET", `/v1/projects/${REF}/api-keys`, { token: "Read-only" });
    expect([keys.status, keys.text.includes("***")]).toEqual([200, true]);
    const api = await under.call("GET", `/v1/projects/${REF}/postgrest`, { token: "Read-only" });
    expect([api.json, api.text.includes("jwt_secret")]).toEqual([expect.objectContaining({ max_rows: 1000 }), false]);
  });
});
