import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aProject, NEW_PROJECT } from "../../../test/support/emulator/scenario.ts";

const FACTS = readFileSync(new URL("../../../docs/contract/facts.md", import.meta.url), "utf8");

/** What a read of a fresh project answers, beside what facts.md §4 says of it, word for word. */
interface Row {
  readonly words: string;
  readonly read: string;
  readonly answers: unknown;
}

const key = (type: string, name: string, more: object = {}): unknown =>
  expect.objectContaining({ type, name, ...more });

const ROWS: readonly Row[] = [
  {
    words: 'id = ref; database.host `db.<ref>.<host>`, version like 17.6.1.x, engine "17", channel ga',
    read: "",
    answers: expect.objectContaining({
      id: "REF",
      ref: "REF",
      database: {
        host: "db.REF.emulator.test",
        version: expect.stringMatching(/^17\.6\.1\.\d+$/),
        postgres_engine: "17",
        release_channel: "ga",
      },
    }),
  },
  { words: "postgres config `{}`", read: "/config/database/postgres", answers: {} },
  {
    words: "{entitlement: allowed, dbAllowedCidrs:[0.0.0.0/0], dbAllowedCidrsV6:[::/0], status: applied}",
    read: "/network-restrictions",
    answers: {
      entitlement: "allowed",
      config: { dbAllowedCidrs: ["0.0.0.0/0"], dbAllowedCidrsV6: ["::/0"] },
      status: "applied",
    },
  },
  {
    words: "ssl {database:false, appliedSuccessfully:true}",
    read: "/ssl-enforcement",
    answers: { currentConfig: { database: false }, appliedSuccessfully: true },
  },
  {
    words:
      "postgrest db_schema `public,graphql_public`, max_rows 1000, db_extra_search_path `public, extensions` (with a blank), db_pool null",
    read: "/postgrest",
    answers: {
      db_schema: "public,graphql_public",
      max_rows: 1000,
      db_extra_search_path: "public, extensions",
      db_pool: null,
      jwt_secret: expect.any(String),
    },
  },
  {
    words: "storage fileSizeLimit 52428800 (50 MiB)",
    read: "/config/storage",
    answers: expect.objectContaining({ fileSizeLimit: 52_428_800 }),
  },
  {
    words: "pooler port 6543, transaction, sizes null",
    read: "/config/database/pooler",
    answers: [
      expect.objectContaining({
        db_port: 6543,
        pool_mode: "transaction",
        default_pool_size: null,
        max_client_conn: null,
      }),
    ],
  },
  { words: "functions [], branches [], sso {items:[]}, bans []", read: "/functions", answers: [] },
  { words: "functions [], branches [], sso {items:[]}, bans []", read: "/branches", answers: [] },
  {
    words: "functions [], branches [], sso {items:[]}, bans []",
    read: "/config/auth/sso/providers",
    answers: { items: [] },
  },
  {
    words: "functions [], branches [], sso {items:[]}, bans []",
    read: "/network-bans/retrieve",
    answers: { banned_ipv4_addresses: [] },
  },
  {
    words:
      "legacy anon + service_role (id = name, masked unless reveal), publishable `default`, secret `default` (template role service_role)",
    read: "/api-keys",
    answers: [
      key("legacy", "anon", { id: "anon", api_key: expect.stringMatching(/\*\*\*$/) }),
      key("legacy", "service_role", { id: "service_role", api_key: expect.stringMatching(/\*\*\*$/) }),
      key("publishable", "default"),
      key("secret", "default", { secret_jwt_template: { role: "service_role" } }),
    ],
  },
  {
    words: "add-on ci_micro",
    read: "/billing/addons",
    answers: expect.objectContaining({
      selected_addons: [{ type: "compute_instance", variant: expect.objectContaining({ id: "ci_micro" }) }],
    }),
  },
  {
    words:
      "auth: site_url http://localhost:3000, jwt_exp 3600, mailer_otp_length 8, mailer_otp_exp 3600, mfa_max_enrolled_factors 10, rate limits 30 (token_refresh 150), sessions_* 0, db_max_pool_size 10 connections",
    read: "/config/auth",
    answers: expect.objectContaining({
      site_url: "http://localhost:3000",
      jwt_exp: 3600,
      mailer_otp_length: 8,
      mailer_otp_exp: 3600,
      mfa_max_enrolled_factors: 10,
      rate_limit_otp: 30,
      rate_limit_token_refresh: 150,
      sessions_timebox: 0,
      sessions_inactivity_timeout: 0,
      db_max_pool_size: 10,
      db_max_pool_size_unit: "connections",
    }),
  },
  {
    words: "pgsodium root_key 64 hex",
    read: "/pgsodium",
    answers: { root_key: expect.stringMatching(/^[0-9a-f]{64}$/) },
  },
  { words: "vanity {status: not-used}", read: "/vanity-subdomain", answers: { status: "not-used" } },
  {
    words: "backups walg_enabled true, pitr_enabled false",
    read: "/database/backups",
    answers: expect.objectContaining({ walg_enabled: true, pitr_enabled: false }),
  },
];

describe("a fresh project", () => {
  let under: EmulatorUnderTest;
  let ref = "";
  beforeAll(async () => {
    under = await emulatorUnderTest();
    ref = await aProject(under);
  });
  afterAll(async () => under[Symbol.asyncDispose]());

  it("is UNKNOWN right after the request, then COMING_UP, then ACTIVE_HEALTHY", async () => {
    expect(FACTS).toContain("status right after POST is `UNKNOWN` (then COMING_UP → ACTIVE_HEALTHY)");
    await under.control.settings.patch({ timings: { unknownMs: 1000, comingUpMs: 1000 } });
    const made = await under.call("POST", "/v1/projects", { body: { ...NEW_PROJECT, name: "newer" } });
    expect(made.json).toMatchObject({ status: "UNKNOWN" });
    const { projects } = await under.control.state.read();
    const status = async () => (await under.call("GET", `/v1/projects/${projects.at(-1)?.ref ?? ""}`)).json;
    under.clock.advance(1000);
    expect(await status()).toMatchObject({ status: "COMING_UP" });
    under.clock.advance(1000);
    expect(await status()).toMatchObject({ status: "ACTIVE_HEALTHY" });
  });

  it.each(ROWS)("has $words: $read", async ({ words, read, answers }) => {
    expect(FACTS).toContain(words);
    const method = read.endsWith("/retrieve") ? "POST" : "GET";
    const { text } = await under.call(method, `/v1/projects/${ref}${read}`);
    expect(JSON.parse(text.replaceAll(ref, "REF"))).toEqual(answers);
  });
});
