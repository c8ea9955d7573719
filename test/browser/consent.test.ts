import { createHash } from "node:crypto";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startWebApp, type WebApp } from "../support/browser/app.ts";
import { launchChromium } from "../support/browser/chromium.ts";
import { type EmulatorUnderTest, emulatorUnderTest } from "../support/emulator/api.ts";
import { askToken, tokensOf } from "../support/emulator/oauth.ts";

/** The consent page in a real browser: what headers and cookies promise is kept by whoever reads them. */

const CLIENT = { client_id: "shop", client_secret: "secret of shop" };
const VERIFIER = "a-verifier-that-only-the-app-knows-0123456789";

let browser: Browser;
let app: WebApp;
let under: EmulatorUnderTest;
let page: Page;
/** requests that left this machine */
let strays: string[] = [];

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

beforeEach(async () => {
  app = await startWebApp();
  under = await emulatorUnderTest({
    seed: {
      organizations: [
        { slug: "acme", name: "Acme", members: { owner: "Owner" } },
        { slug: "beta", name: "Beta & Sons", members: { owner: "Owner", dev: "Developer" } },
      ],
      oauthApps: [
        {
          clientId: CLIENT.client_id,
          clientSecret: CLIENT.client_secret,
          name: `Shop <script>document.title="broken"</script>`,
          redirectUris: [app.callback],
          scopes: ["organizations:read", "projects:read"],
        },
      ],
    },
  });
  page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(15_000);
  strays = [];
  page.on("request", (request) => {
    const { hostname } = new URL(request.url());
    if (hostname !== "127.0.0.1" && hostname !== "localhost") strays.push(request.url());
  });
  app.show(`<a href="${authorizeUrl()}">Connect</a>`);
});
afterEach(async () => {
  await page.context().close();
  await under[Symbol.asyncDispose]();
  await app.stop();
  if (strays.length > 0) throw new Error(`the page asked for ${strays.join(", ")}`);
});

function authorizeUrl(): string {
  const query = new URLSearchParams({
    client_id: CLIENT.client_id,
    response_type: "code",
    redirect_uri: app.callback,
    state: "of this browser",
    code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
    code_challenge_method: "S256",
  });
  return `${under.emulator.url}/v1/oauth/authorize?${query.toString()}`;
}

/** The user follows the app's link. */
async function toConsent(): Promise<void> {
  await page.goto(app.url);
  await page.getByRole("link", { name: "Connect" }).click();
  await page.waitForURL(`${under.emulator.url}/oauth/consent/*`);
}

const button = (name: string) => page.getByRole("button", { name });

describe("the consent page in Chromium", () => {
  it("shows what is asked for, and no text of the app's becomes part of the page", async () => {
    await toConsent();
    expect(await page.title()).toBe(`Authorize Shop <script>document.title="broken"</script>`);
    expect(await page.getByRole("listitem").allTextContents()).toEqual(["organizations:read", "projects:read"]);
    expect(await page.locator("script").count()).toBe(0);
    expect(await page.getByRole("combobox", { name: "Organization" }).locator("option").allTextContents()).toEqual([
      "Acme, as owner (Owner)",
      "Beta & Sons, as owner (Owner)",
      "Beta & Sons, as dev (Developer)",
    ]);
    const font = await page.evaluate("getComputedStyle(document.body).fontFamily"); // the style's hash is accepted
    expect(font).toContain("system-ui");
  });

  it("leads back to the app with a code when the user approves, and the app gets tokens for it", async () => {
    await toConsent();
    await page.getByRole("combobox").selectOption({ label: "Beta & Sons, as owner (Owner)" });
    await button("Approve").click();
    await page.waitForURL(`${app.callback}?*`);
    const [back] = app.arrivals;
    expect([back?.get("state"), back?.has("error")]).toEqual(["of this browser", false]);
    const grant = { grant_type: "authorization_code", code: back?.get("code") ?? "", redirect_uri: app.callback };
    const { access_token: token } = tokensOf(await askToken(under, { ...CLIENT, ...grant, code_verifier: VERIFIER }));
    expect((await under.call("GET", "/v1/organizations", { token })).text).toContain('"slug":"beta"');
    expect(await under.control.oauth.grants()).toMatchObject([
      { clientId: "shop", user: "owner", organization: "beta" },
    ]);
  });

  it("leads back with access_denied when the user denies, and nothing is granted", async () => {
    await toConsent();
    await button("Deny").click();
    await page.waitForURL(`${app.callback}?*`);
    expect(app.arrivals.map((query) => Object.fromEntries(query))).toEqual([
      { error: "access_denied", error_description: "The user said no.", state: "of this browser" },
    ]);
    expect(await under.control.oauth.grants()).toEqual([]);
  });

  it("is answered once: going back and approving again changes nothing", async () => {
    await toConsent();
    const address = page.url();
    await button("Deny").click();
    await page.waitForURL(`${app.callback}?*`);
    const answer = await page.goto(address);
    expect([answer?.status(), await button("Approve").count()]).toEqual([404, 0]);
    expect(await under.control.oauth.grants()).toEqual([]);
  });

  it("takes no answer that another site's page sends, in the very browser that was asked", async () => {
    await toConsent();
    const account = await page.getByRole("combobox").inputValue();
    app.show(
      `<form method="post" action="${page.url()}"><input name="decision" value="approve">` +
        `<input name="account" value="${account}"><button>Win a prize</button></form>`,
    );
    await page.goto(app.url);
    const answered = page.waitForResponse((response) => response.url().includes("/oauth/consent/"));
    await button("Win a prize").click();
    expect((await answered).status()).toBe(403);
    expect([await under.control.oauth.grants(), app.arrivals]).toEqual([[], []]);
  });

  it("is not shown within another site's page", async () => {
    await toConsent();
    app.show(`<iframe src="${page.url()}"></iframe>`);
    await page.goto(app.url);
    const frame = page.frames().find((one) => one !== page.mainFrame());
    expect(await frame?.getByRole("button").count()).toBe(0);
  });
});
