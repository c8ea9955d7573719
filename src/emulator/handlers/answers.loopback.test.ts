import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it, test } from "vitest";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { EVERY_CALL, everyCallSeed } from "../../../test/support/emulator/every-call.ts";
import { play, type Played } from "../../../test/support/emulator/play.ts";
import { departures } from "../../../test/support/catalogue/answers.ts";
import { readCatalogue } from "../../../test/support/catalogue/compare.ts";

/**
 * What the emulator answers, held against the words of the catalogue rather than against the declarations: an answer's schema lets a field be
 * missing that a newer or older server leaves out. Clients that were generated elsewhere read strictly: what is missing, null or of another
 * type ends them.
 */

const read = (name: string): string =>
  readFileSync(new URL(`../../../docs/contract/${name}.md`, import.meta.url), "utf8");
const documents = { endpoints: read("endpoints"), behaviour: read("behaviour"), facts: read("facts") };
const catalogue = readCatalogue(documents);

/** A departure from the fields that a row names, which the documents allow. */
interface Allowed {
  readonly of: RegExp;
  readonly departs: RegExp;
  /** what the documents say, word for word */
  readonly words: string;
  readonly because: string;
}

const ALLOWED: readonly Allowed[] = [
  {
    of: /^authConfig\./,
    departs: /^(?!.*_enabled: )\w+: null$/,
    words: "229 nullable (unset provider ids/secrets are null; `*_enabled` are false)",
    because: "what is not set is null",
  },
  {
    of: /^postgresConfig\./,
    departs: /^[\w.]+: missing$/,
    words: "PostgresConfig: **only overrides** are returned",
    because: "the others have no override",
  },
  {
    of: /^pooler\.(get|update)$/,
    departs: /^(\[\]\.)?(default_pool_size|max_client_conn): null$/,
    words: "Pooler default_pool_size, max_client_conn null by default",
    because: "nobody set them",
  },
  { of: /^dataApi\./, departs: /^db_pool: null$/, words: "db_pool null", because: "the pool is sized automatically" },
  {
    of: /^apiKeys\./,
    departs: /(description|secret_jwt_template): null$/,
    words: "ApiKey: only `name` is certain",
    because: "not every key has one",
  },
  {
    of: /^branches\./,
    departs:
      /(git_branch|pr_number|latest_check_run_id|notify_url|review_requested_at|deletion_scheduled_at|preview_project_status): missing$/,
    words:
      "Branch optional: git_branch, pr_number, latest_check_run_id, notify_url, review_requested_at, deletion_scheduled_at, preview_project_status",
    because: "they are optional",
  },
  {
    of: /^networkRestrictions\./,
    departs: /^(old_config|updated_at|applied_at): missing$/,
    words: "NetworkRestrictions: old_config, updated_at, applied_at optional",
    because: "they are optional",
  },
  {
    of: /^thirdPartyAuth\./,
    departs: /(oidc_issuer_url|jwks_url): null$/,
    words: "ThirdPartyAuth urls nullable",
    because: "an integration has one of the two",
  },
  {
    of: /^thirdPartyAuth\.create$/,
    departs: /^resolved_at: null$/,
    words: "custom_jwks nullable, resolved_jwks nullable",
    because: "as long as no keys are resolved, there is no time at which they were",
  },
  {
    of: /^disk\.get$/,
    departs: /^attributes\.throughput_mibps: missing$/,
    words: "io2 {iops, size_gb}",
    because: "io2 has none",
  },
  {
    of: /^(upgrades\.status|projects\.health|analytics\.\w+)$/,
    departs: /(^|\.)error: missing$/,
    words: "error enum (example 1_upgraded_instance_launch_failed)",
    because: "nothing failed, and no value says so",
  },
  {
    of: /^customHostname\.(get|activate)$/,
    departs: /^data\.result\.ownership_verification: missing$/,
    words: "activate → 201 `5_services_reconfigured` (ssl active, no records)",
    because: "in service there is none left",
  },
  {
    of: /^projects\.availableRegions$/,
    departs: /\.status: missing$/,
    words: "specific [{name, code, type, provider, status}]",
    because: "a region with room is in no state that a document names",
  },
  {
    of: /^jit\./,
    departs: /(expires_at|allowed_networks): missing$/,
    words: "{role string, expires_at integer, allowed_networks {allowed_cidrs [{cidr string}]",
    because: "any number would be an end, and any list a bound, of a role that has none",
  },
  {
    of: /^ssoProviders\./,
    departs: /\.(metadata_xml|metadata_url|attribute_mapping|name_id_format): missing$/,
    words:
      "B type R enum, metadata_xml O string, metadata_url O string, domains O array of string, attribute_mapping O object",
    because: "what nobody gave",
  },
  {
    of: /^functions\./,
    departs: /(import_map_path|entrypoint_path): missing$/,
    words: "import_map_path, static_patterns[], verify_jwt, name optional",
    because: "any text would be a path",
  },
  {
    of: /^migrations\.get$/,
    departs: /^(statements|rollback|created_by|idempotency_key): missing$/,
    words: "B query R string, name O string, rollback O string",
    because:
      "this one was put into the table by SQL, with a version and a name; one that is applied has no idempotency_key ever: no request takes one",
  },
  {
    of: /^snippets\.list$/,
    departs: /^cursor: missing$/,
    words: "{data: [Snippet summary], cursor string}",
    because: "the last page leads nowhere",
  },
  {
    of: /^advisors\./,
    departs: /\.metadata\.(entity|fkey_name|fkey_columns): missing$/,
    words: "metadata {schema, name, entity, type (example table), fkey_name strings; fkey_columns array of integer}",
    because: "a table without row security is about no foreign key and no other entity",
  },
  {
    of: /^logDrains\./,
    departs: /\.config\.\w+: (missing|not named)$/,
    words: "Config forms (no other keys): webhook{url,http(http1/http2),gzip,headers}",
    because: "each backend has fields of its own",
  },
  {
    of: /^organizations\.entitlements$/,
    departs: /\.config\.value: not named$/,
    words: "an unknown enum value or an\nextra response field is never an error",
    because: "a numeric entitlement has its number",
  },
];

/** "Success bodies" of facts.md §5, of operations whose rows say "-> 2xx {}". */
const WITHOUT_BODY =
  "POST/DELETE secrets, PATCH storage, DELETE vanity, DELETE bans, DELETE hostname, POST pause/restore, webhooks/enable → **empty body**";
const withoutBody = new Set([
  "secrets.create",
  "secrets.delete",
  "storage.update",
  "vanitySubdomain.delete",
  "networkBans.delete",
  "customHostname.delete",
  "projects.pause",
  "projects.restore",
  "database.enableWebhooks",
]);
const WITH_MESSAGE = 'DELETE function, DELETE branch → {"message":"ok"}';

/** The body of a success whose row shows no field. */
function bodyOf({ id, success }: Played["operation"]): string {
  if (success.status === 204 || success.kind === "count" || withoutBody.has(id)) return "";
  return id === "functions.delete" ? '{"message":"ok"}' : "{}";
}

describe("every answer, to one who reads strictly what the documents say", () => {
  const answers: Played[] = [];

  beforeAll(async () => {
    await using under = await emulatorUnderTest({ timings: { signingKeyRestMs: 60_000 }, seed: everyCallSeed });
    await play(under, EVERY_CALL, (played) => void answers.push(played));
  });

  it("has each field that is named, of the type that is named", () => {
    const used = new Set<Allowed>();
    const wrong = answers.flatMap(({ operation: { id, method, path, success }, received }) => {
      const row = catalogue.rows.find((one) => one.method === method && one.path === path);
      const shape = catalogue.shapeOf(row?.answer.shape ?? "");
      if (success.kind !== "json" || shape.size <= 1) return []; // "-> 200 {}": the row names no field
      const found = departures(shape, received.json).map((one) => ({
        one,
        allowed: ALLOWED.find(({ of, departs }) => of.test(id) && departs.test(one)),
      }));
      for (const { allowed } of found) if (allowed !== undefined) used.add(allowed);
      return found.filter(({ allowed }) => allowed === undefined).map(({ one }) => `${id} ${one}`);
    });
    expect(wrong).toEqual([]);
    expect(ALLOWED.filter((one) => !used.has(one)).map(({ of }) => of.source)).toEqual([]);
  });

  it("has a body, and a type of it, where the operation has one, and neither with 204", () => {
    const JSON_TYPE = "application/json; charset=utf-8";
    const wrong = answers.filter(({ operation: { success }, received: { status, headers, text } }) => {
      const type = headers["content-type"];
      if (status === 204) return text !== "" || type !== undefined || "content-length" in headers;
      if (success.kind === "json") return type !== JSON_TYPE;
      return success.kind === "empty" && type !== (text === "" ? undefined : JSON_TYPE);
    });
    expect(wrong.map(({ operation }) => operation.id)).toEqual([]);
  });

  it("has the body that the row and the facts say, where the row shows no field", () => {
    const bare = answers.filter(({ operation: { success } }) => success.kind === "empty" || success.kind === "count");
    const wrong = bare.filter(({ operation, received }) => received.text !== bodyOf(operation));
    expect(wrong.map(({ operation, received }) => `${operation.id}: '${received.text}'`)).toEqual([]);
    expect([...withoutBody].filter((id) => !bare.some(({ operation }) => operation.id === id))).toEqual([]);
    expect([WITHOUT_BODY, WITH_MESSAGE].filter((words) => !documents.facts.includes(words))).toEqual([]);
  });

  it("tells the budget in whole numbers", () => {
    const names = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];
    const wrong = answers.filter(({ received }) => !names.every((name) => /^\d+$/.test(received.headers[name] ?? "")));
    expect(wrong.map(({ operation }) => operation.id)).toEqual([]);
  });

  test.each(ALLOWED)("$of may have $departs: $because", ({ words }) => {
    expect(Object.values(documents).some((text) => text.includes(words))).toBe(true);
  });
});
