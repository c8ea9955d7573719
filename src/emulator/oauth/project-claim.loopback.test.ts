import { describe, expect, it } from "vitest";
import { account, accountsIn, answer, ASKED, BROWSER, consent } from "../../../test/support/emulator/consent.ts";
import { emulatorWithApps, REF } from "../../../test/support/emulator/oauth.ts";

describe("claiming a project", () => {
  const claimPath = (query: Readonly<Record<string, string>> = {}) =>
    `/v1/oauth/authorize/project-claim?${new URLSearchParams({ ...ASKED, project_ref: REF, ...query }).toString()}`;

  it.each([
    { because: "there is no token", token: null, query: {}, status: 401, says: "Unauthorized" },
    {
      because: "the project is unknown",
      token: "test-token",
      query: { project_ref: "z".repeat(20) },
      status: 404,
      says: "Project not found",
    },
    {
      because: "the user is no administrator of it",
      token: "dev-token",
      query: {},
      status: 403,
      says: "The role Developer lacks: organization_admin_write and project_admin_write.",
    },
    {
      because: "the token lacks permissions",
      token: "fine-token",
      query: {},
      status: 403,
      says: "The token lacks: organization_admin_write.",
    },
    {
      because: "the app is unknown",
      token: "test-token",
      query: { client_id: "nobody" },
      status: 400,
      says: "client_id",
    },
    {
      because: "scopes are no part of it",
      token: "test-token",
      query: { scope: "projects:read" },
      status: 400,
      says: "scope",
    },
  ])("is refused with $status when $because", async ({ token, query, status, says }) => {
    await using under = await emulatorWithApps();
    await under.control.tokens.add({ token: "dev-token", user: "dev" });
    await under.control.tokens.add({ token: "fine-token", user: "owner", permissions: ["project_admin_write"] });
    const refused = await under.call("GET", claimPath(query), { token });
    expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(says)]);
  });

  it("is begun by a token: 204, and a browser's user who approves gets the project", async () => {
    await using under = await emulatorWithApps();
    expect((await under.call("GET", claimPath())).status).toBe(204);
    const asked = await consent(under, {}, claimPath());
    expect(asked.page.text).toContain(`<strong>shop (${REF})</strong>`);
    expect(accountsIn(asked.page).map(([, , label]) => label)).toEqual([
      "Acme, as owner (Owner)",
      "Beta, as owner (Owner)",
    ]);
    const fields = { decision: "approve", account: account(asked.page, "Beta, as owner (Owner)") };
    const back = await answer(under, asked, fields);
    expect(new URL(back.headers["location"] ?? "").searchParams.has("code")).toBe(true);
    expect((await under.call("GET", `/v1/projects/${REF}`)).json).toMatchObject({ organization_slug: "beta" });
  });

  it("leads a browser back to the app with what is not as declared, once there is a token", async () => {
    await using under = await emulatorWithApps();
    const wrong = claimPath({ code_challenge_method: "md5" });
    const sent = await under.call("GET", wrong, { headers: BROWSER });
    const back = new URL(sent.headers["location"] ?? "");
    expect([sent.status, Object.fromEntries(back.searchParams)]).toEqual([
      303,
      expect.objectContaining({ error: "invalid_request", state: ASKED.state }),
    ]);
    expect((await under.call("GET", wrong, { headers: BROWSER, token: null })).status).toBe(401);
    expect((await under.call("GET", wrong)).status).toBe(400);
  });

  it("is refused on the page once the project goes down, wherever it is", async () => {
    await using under = await emulatorWithApps();
    await under.control.settings.patch({ timings: { goingDownMs: 60_000 } });
    const asked = await consent(under, {}, claimPath());
    expect((await under.call("DELETE", `/v1/projects/${REF}`)).status).toBe(200);
    for (const label of ["Acme, as owner (Owner)", "Beta, as owner (Owner)"]) {
      const refused = await answer(under, asked, { decision: "approve", account: account(asked.page, label) });
      expect([label, refused.status, refused.text]).toEqual([label, 404, expect.stringContaining("Project not found")]);
    }
  });

  it("is refused on the page where the organization has a project of that name", async () => {
    await using under = await emulatorWithApps();
    const body = { name: "shop", db_pass: "long enough", organization_slug: "beta" };
    expect((await under.call("POST", "/v1/projects", { body })).status).toBe(201);
    const asked = await consent(under, {}, claimPath());
    const fields = { decision: "approve", account: account(asked.page, "Beta, as owner (Owner)") };
    const refused = await answer(under, asked, fields);
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining("The target organization has a project named &quot;shop&quot;"),
    ]);
    expect((await under.call("GET", `/v1/projects/${REF}`)).json).toMatchObject({ organization_slug: "acme" });
  });
});
