import { describe, expect, it } from "vitest";
import type { ApiKey } from "../../api/contract/api-keys.ts";
import type { PoolerConfig } from "../../api/contract/pooler.ts";
import type { OutputVariable } from "../../resources/outputs/variables.ts";
import { known, withheld } from "./looked.ts";
import { type OutputFacts, valueOf } from "./values.ts";

const REF = "abcdefghijklmnopqrst";

function key(type: ApiKey["type"], name: string, api_key: string | null = `${type}-${name}`): ApiKey {
  return { type, name, api_key };
}

function pooler(pool_mode: string, db_port: number, database_type = "PRIMARY"): PoolerConfig {
  return {
    identifier: REF,
    database_type,
    is_using_scram_auth: true,
    db_user: `postgres.${REF}`,
    db_host: `${database_type.toLowerCase()}.pooler.test`,
    db_port,
    db_name: "postgres",
    connection_string: "",
    default_pool_size: null,
    max_client_conn: null,
    pool_mode,
  };
}

function facts(given: Partial<OutputFacts> = {}): OutputFacts {
  return {
    ref: REF,
    host: known(`db.${REF}.example.test`),
    login: known({ port: 5432, username: "postgres", password: known("secret") }),
    keys: known([]),
    poolers: known([pooler("transaction", 6543)]),
    ...given,
  };
}

function text(variable: OutputVariable, given: Partial<OutputFacts>): unknown {
  const looked = valueOf(variable, facts(given));
  return looked.kind === "known" ? looked.value : looked;
}

describe("keys", () => {
  it.each<{ why: string; variable: OutputVariable; keys: readonly ApiKey[]; value: unknown }>([
    {
      why: "the anon key goes before a publishable one",
      variable: "anon-key",
      keys: [key("publishable", "default"), key("legacy", "anon")],
      value: "legacy-anon",
    },
    {
      why: "[K-08] the publishable key stands in where there is no anon key",
      variable: "anon-key",
      keys: [key("publishable", "web"), key("publishable", "default"), key("secret", "default")],
      value: "publishable-default",
    },
    {
      why: "of publishable keys without a default one, always the same",
      variable: "publishable-key",
      keys: [key("publishable", "web"), key("publishable", "app")],
      value: "publishable-app",
    },
    {
      why: "a key of another kind that is called anon is none",
      variable: "anon-key",
      keys: [key("secret", "anon")],
      value: { kind: "awaited", why: "the platform has no anon-key yet" },
    },
    {
      why: "a legacy key whose kind the platform leaves out",
      variable: "service-key",
      keys: [key(null, "service_role", "role"), key("secret", "default")],
      value: "role",
    },
    {
      why: "a secret key stands in for service_role",
      variable: "service-key",
      keys: [key("secret", "default")],
      value: "secret-default",
    },
    {
      why: "[K-08] nothing is there yet",
      variable: "service-key",
      keys: [],
      value: { kind: "awaited", why: "the platform has no service-key yet" },
    },
    {
      why: "a mask is no key",
      variable: "anon-key",
      keys: [key("legacy", "anon", "eyJhb***")],
      value: {
        kind: "withheld",
        reason: "Forbidden",
        why: "the platform shows the API keys masked: the token needs api_gateway_keys_secret_read",
      },
    },
    {
      why: "nor is nothing",
      variable: "anon-key",
      keys: [key("legacy", "anon", null)],
      value: expect.objectContaining({ kind: "withheld", reason: "Forbidden" }),
    },
  ])("$why", ({ variable, keys, value }) => {
    expect(text(variable, { keys: known(keys) })).toEqual(value);
  });
});

describe("addresses", () => {
  it("of the project's own APIs are beside the database", () => {
    expect(text("url", {})).toBe(`https://${REF}.example.test`);
    expect(text("url", { host: known("10.0.0.1") })).toMatchObject({ kind: "withheld", reason: "ValueNotOffered" });
  });

  it.each([
    { password: "a b", encoded: "a%20b" },
    { password: "p@ss:w/rd?#[]%", encoded: "p%40ss%3Aw%2Frd%3F%23%5B%5D%25" },
    { password: "it's (so) fine!*", encoded: "it%27s%20%28so%29%20fine%21%2A" },
    { password: "ü$&", encoded: "%C3%BC%24%26" },
  ])("hold $password percent-encoded, as whoever reads a URI has it back", ({ password, encoded }) => {
    const login = known({ port: 5433, username: "postgres", password: known(password) });
    const uri = String(text("uri", { login }));
    expect(uri).toBe(`postgresql://postgres:${encoded}@db.${REF}.example.test:5433/postgres`);
    expect(decodeURIComponent(new URL(uri).password)).toBe(password);
  });

  it("with a password that nobody knows are not known either", () => {
    const password = withheld("PasswordUnknown", "who knows");
    const login = known({ port: 5432, username: "postgres", password });
    for (const name of ["password", "uri", "pooler-session-uri", "pooler-transaction-uri"] as const) {
      expect(text(name, { login })).toEqual(password);
    }
    expect(text("username", { login })).toBe("postgres");
  });
});

describe("the pooler", () => {
  it.each([
    { why: "one entry", list: [pooler("transaction", 6543)], ports: ["6543", "5432"] },
    {
      why: "an entry for each mode",
      list: [pooler("session", 5433), pooler("transaction", 6544)],
      ports: ["6544", "5433"],
    },
    {
      why: "replicas have poolers of their own",
      list: [pooler("transaction", 7000, "READ_REPLICA"), pooler("transaction", 6543)],
      ports: ["6543", "5432"],
    },
  ])("serves both modes: $why", ({ list, ports }) => {
    const poolers = known(list);
    expect([text("pooler-transaction-port", { poolers }), text("pooler-session-port", { poolers })]).toEqual(ports);
    expect(text("pooler-host", { poolers })).toBe("primary.pooler.test");
  });

  it("that was set to session mode serves that alone", () => {
    const poolers = known([pooler("session", 6543)]);
    expect(text("pooler-session-port", { poolers })).toBe("6543");
    expect(text("pooler-transaction-uri", { poolers })).toEqual({
      kind: "withheld",
      reason: "ValueNotOffered",
      why: "the pooler serves session mode at port 6543",
    });
  });

  it("is awaited while the platform tells of none", () => {
    expect(text("pooler-session-uri", { poolers: known([]) })).toMatchObject({ kind: "awaited" });
  });
});
