import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DEFAULT_TIMINGS } from "../../src/emulator/state/settings.ts";
import { keepsTo } from "../support/emulator/machine.ts";
import { PROJECT, REF } from "../support/emulator/models/resource.ts";

/** Machines of a project's settings, each held to a model of the texts. */

const HOUR_MS = 3_600_000;
const { networkApplyMs, jitAccessMs, jwksResolveMs } = DEFAULT_TIMINGS;

describe("network restrictions", () => {
  /** "ssl PUT and network apply may answer before they are applied (… status stored)" (facts.md §5), each apply anew. */
  it("are stored, and a moment later applied", async () => {
    const restrictions = z.object({ status: z.string(), applied_at: z.string().optional() });
    const shown = await keepsTo<number, "apply" | "add" | "private">({
      initial: -Infinity,
      acts: ["apply", "add", "private"],
      waitsMs: [1, networkApplyMs - 1, networkApplyMs],
      request: (act) => {
        const path = `${PROJECT}/network-restrictions`;
        const body = { dbAllowedCidrs: [act === "private" ? "10.0.0.0/8" : "203.0.113.0/24"] };
        if (act === "add") return { method: "PATCH", path, body: { add: body } };
        return { method: "POST", path: `${path}/apply`, body };
      },
      answer: (act, storedAtMs, nowMs) =>
        act === "private" ? { code: 400, next: storedAtMs } : { code: act === "add" ? 200 : 201, next: nowMs },
      shown: (storedAtMs, nowMs) => {
        if (storedAtMs === -Infinity) return "applied";
        return nowMs < storedAtMs + networkApplyMs ? "stored" : "applied at a time";
      },
      read: async ({ call }) => {
        const { status, applied_at: at } = restrictions.parse(
          (await call("GET", `${PROJECT}/network-restrictions`)).json,
        );
        return at === undefined ? status : `${status} at a time`;
      },
      way: ["private", "apply", networkApplyMs - 1, "private", 1, "add", 1],
    });
    expect([...shown].toSorted()).toEqual(["applied", "applied at a time", "stored"]);
  });
});

describe("just-in-time access", () => {
  type Act = "enabled" | "disabled" | "away" | "back";
  interface Switch {
    readonly state: "enabled" | "disabled";
    readonly sinceMs: number;
    readonly isAway: boolean;
  }

  /** "{state enabled/disabled, appliedSuccessfully} or {state unavailable, unavailableReason}" (facts.md §1, jit-access) */
  it("is switched while it is available, and follows a moment later", async () => {
    const said = z.object({ state: z.string(), appliedSuccessfully: z.boolean().optional() });
    const shown = await keepsTo<Switch, Act>({
      initial: { state: "disabled", sinceMs: -Infinity, isAway: false },
      acts: ["enabled", "disabled", "away", "back"],
      waitsMs: [1, jitAccessMs - 1, jitAccessMs],
      request: async (act, _known, { control }) => {
        if (act === "enabled" || act === "disabled") {
          return { method: "PUT", path: `${PROJECT}/jit-access`, body: { state: act } };
        }
        await control.jit.setAvailability({
          ref: REF,
          unavailableReason: act === "away" ? "temporarily_unavailable" : null,
        });
        return undefined;
      },
      answer: (act, known, nowMs) => {
        if (act === "away" || act === "back") return { code: 0, next: { ...known, isAway: act === "away" } };
        if (known.isAway) return { code: 400, next: known };
        return { code: 200, next: act === known.state ? known : { ...known, state: act, sinceMs: nowMs } };
      },
      shown: ({ state, sinceMs, isAway }, nowMs) =>
        isAway ? "unavailable" : nowMs < sinceMs + jitAccessMs ? `${state} soon` : state,
      read: async ({ call }) => {
        const { state, appliedSuccessfully } = said.parse((await call("GET", `${PROJECT}/jit-access`)).json);
        return appliedSuccessfully === false ? `${state} soon` : state;
      },
      way: ["away", "enabled", "back", "enabled", jitAccessMs - 1, "enabled", 1, "away", "back", "disabled"],
    });
    expect([...shown].toSorted()).toEqual(["disabled", "disabled soon", "enabled", "enabled soon", "unavailable"]);
  });
});

describe("a backup schedule", () => {
  /** "at most 3 updates per 24 hours" (behaviour.md, Other limits); 404 until one is set (Errors 5). */
  it("is updated three times in 24 hours, whenever these begin", async () => {
    const TIMES = ["03:00:00", "23:30:00"] as const;
    type Updates = readonly { readonly time: string; readonly atMs: number }[];
    const path = `${PROJECT}/database/backups/schedule`;
    const shown = await keepsTo<Updates, (typeof TIMES)[number] | "24:00:00">({
      initial: [],
      acts: [...TIMES, "24:00:00"],
      waitsMs: [1, HOUR_MS, 8 * HOUR_MS, 24 * HOUR_MS - 1, 24 * HOUR_MS],
      request: (time) => ({ method: "PATCH", path, body: { schedule_for: time } }),
      answer: (time, known, nowMs) => {
        const recent = known.filter(({ atMs }) => nowMs < atMs + 24 * HOUR_MS);
        if (time === "24:00:00" || recent.length >= 3) return { code: 400, next: known };
        return { code: 200, next: [...known, { time, atMs: nowMs }] };
      },
      shown: (known) => known.at(-1)?.time ?? "404",
      read: async ({ call }) => {
        const { status, json } = await call("GET", path);
        return status === 404 ? "404" : z.object({ schedule_for: z.string() }).parse(json).schedule_for;
      },
      way: [
        "24:00:00",
        "23:30:00",
        8 * HOUR_MS,
        "23:30:00",
        "03:00:00",
        16 * HOUR_MS - 1,
        "23:30:00",
        1,
        "23:30:00",
        "03:00:00",
      ],
    });
    expect([...shown].toSorted()).toEqual([...TIMES, "404"]);
  });
});

describe("a vanity subdomain", () => {
  type Act = "shop" | "www" | "delete" | "serve hostname" | "drop hostname";
  interface Names {
    readonly name: string | undefined;
    readonly isHostnameServed: boolean;
  }

  /** "not-used, custom-domain-used, active" (facts.md §1); a custom hostname in service goes before it. */
  it("is active while no custom hostname is in service", async () => {
    const shown = await keepsTo<Names, Act>({
      project: { addons: ["cd_default"] },
      initial: { name: undefined, isHostnameServed: false },
      acts: ["shop", "www", "delete", "serve hostname", "drop hostname"],
      waitsMs: [1],
      request: async (act, { isHostnameServed }, { call }) => {
        const hostname = `${PROJECT}/custom-hostname`;
        if (act === "drop hostname") return { method: "DELETE", path: hostname };
        if (act === "delete") return { method: "DELETE", path: `${PROJECT}/vanity-subdomain` };
        if (act !== "serve hostname") {
          return { method: "POST", path: `${PROJECT}/vanity-subdomain/activate`, body: { vanity_subdomain: act } };
        }
        const body = { custom_hostname: "api.example.com" };
        if (isHostnameServed) return { method: "POST", path: `${hostname}/initialize`, body };
        await call("POST", `${hostname}/initialize`, { body });
        await call("POST", `${hostname}/reverify`);
        return { method: "POST", path: `${hostname}/activate` };
      },
      answer: (act, known) => {
        const { isHostnameServed } = known;
        if (act === "delete") return { code: 200, next: { ...known, name: undefined } };
        const served = act === "serve hostname";
        if (served) return { code: isHostnameServed ? 544 : 201, next: { ...known, isHostnameServed: served } };
        if (act === "drop hostname") {
          return { code: isHostnameServed ? 200 : 400, next: { ...known, isHostnameServed: served } };
        }
        return isHostnameServed || act === "www"
          ? { code: 400, next: known }
          : { code: 201, next: { ...known, name: act } };
      },
      shown: ({ name, isHostnameServed }) =>
        isHostnameServed ? "custom-domain-used" : name === undefined ? "not-used" : "active",
      read: async ({ call }) =>
        z.object({ status: z.string() }).parse((await call("GET", `${PROJECT}/vanity-subdomain`)).json).status,
      way: ["www", "shop", "serve hostname", "shop", "delete", "drop hostname", "drop hostname", "shop", "shop"],
    });
    expect([...shown].toSorted()).toEqual(["active", "custom-domain-used", "not-used"]);
  });
});

describe("the keys of other issuers", () => {
  type Act = "oidc" | "jwks" | "custom" | "no keys" | "remove first" | "publish" | "withdraw";
  interface Issuer {
    readonly type: string;
    readonly addedAtMs: number;
  }
  interface Issuers {
    readonly all: readonly Issuer[];
    readonly published: "made up" | "published" | "nothing";
  }
  const URL_OF_KEYS = "https://issuer.test/keys";
  const PATH = `${PROJECT}/config/auth/third-party-auth`;
  const keySet = (kid: string) => ({ keys: [{ kty: "oct", kid }] });
  const issuer = z.object({
    id: z.string(),
    type: z.string(),
    resolved_at: z.string().nullable(),
    resolved_jwks: z.unknown(),
  });
  const resolvedAtMs = ({ type, addedAtMs }: Issuer): number => addedAtMs + (type === "custom" ? 0 : jwksResolveMs);

  /** Lazily: after the answer to the addition, by what stands at the URL when somebody reads. */
  it("are resolved a while after the addition, and follow what is published", async () => {
    const shown = await keepsTo<Issuers, Act>({
      initial: { all: [], published: "made up" },
      acts: ["oidc", "jwks", "custom", "no keys", "remove first", "publish", "withdraw"],
      waitsMs: [1, jwksResolveMs - 1, jwksResolveMs],
      request: async (act, _known, { call }) => {
        if (act === "publish" || act === "withdraw") {
          const body = { url: URL_OF_KEYS, jwks: act === "publish" ? keySet("published") : null };
          return { method: "POST", path: "/_emulator/thirdPartyAuth.publish", body };
        }
        if (act === "remove first") {
          const [first] = z.array(issuer).parse((await call("GET", PATH)).json);
          return { method: "DELETE", path: `${PATH}/${first?.id ?? "00000000-0000-4000-8000-000000000000"}` };
        }
        if (act === "oidc") return { method: "POST", path: PATH, body: { oidc_issuer_url: URL_OF_KEYS } };
        if (act === "jwks") return { method: "POST", path: PATH, body: { jwks_url: URL_OF_KEYS } };
        return {
          method: "POST",
          path: PATH,
          body: { custom_jwks: act === "custom" ? keySet("own") : { keys: "none" } },
        };
      },
      answer: (act, known, nowMs) => {
        if (act === "no keys") return { code: 400, next: known };
        if (act === "publish") return { code: 200, next: { ...known, published: "published" } };
        if (act === "withdraw") return { code: 200, next: { ...known, published: "nothing" } };
        const { all } = known;
        if (act === "remove first") return { code: all.length > 0 ? 200 : 404, next: { ...known, all: all.slice(1) } };
        return { code: 201, next: { ...known, all: [...all, { type: act, addedAtMs: nowMs }] } };
      },
      shown: ({ all, published }, nowMs) =>
        all
          .map((one) => {
            const found = one.type === "custom" ? "own" : published;
            if (nowMs < resolvedAtMs(one) || found === "nothing") return `${one.type} unresolved`;
            return `${one.type} ${found} since ${new Date(resolvedAtMs(one)).toISOString()}`;
          })
          .join(", "),
      read: async ({ call }) =>
        z
          .array(issuer)
          .parse((await call("GET", PATH)).json)
          .map(({ type, resolved_at: at, resolved_jwks: keys }) => {
            const [, kid = ""] = /"kid":"(\w+)"/.exec(JSON.stringify(keys)) ?? [];
            return at === null
              ? `${type} unresolved`
              : `${type} ${/^[0-9a-f]+$/.test(kid) ? "made up" : kid} since ${at}`;
          })
          .join(", "),
      way: [
        "no keys",
        "remove first",
        "oidc",
        jwksResolveMs - 1,
        1,
        "publish",
        "jwks",
        jwksResolveMs,
        "withdraw",
        "custom",
        "remove first",
      ],
    });
    const each = [...shown].flatMap((all) => all.replaceAll(/ since [^,]*/g, "").split(", "));
    expect([...new Set(each)].toSorted()).toEqual([
      "",
      "custom own",
      "jwks published",
      "jwks unresolved",
      "oidc made up",
      "oidc published",
      "oidc unresolved",
    ]);
  });
});
