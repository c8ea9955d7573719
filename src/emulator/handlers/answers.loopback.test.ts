import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { EVERY_CALL, everyCallSeed } from "../../../test/support/emulator/every-call.ts";
import { play, type Played } from "../../../test/support/emulator/play.ts";
import { readCatalogue } from "../../../test/support/catalogue/compare.ts";
import type { CatalogueRow } from "../../../test/support/catalogue/rows.ts";

/**
 * What the emulator answers, held against the words of the catalogue rather than against the declarations: an answer's schema lets a field be
 * missing that a newer or older server leaves out, and says nothing of bodies that clients ignore.
 */

const read = (name: string): string =>
  readFileSync(new URL(`../../../docs/contract/${name}.md`, import.meta.url), "utf8");
const documents = { endpoints: read("endpoints"), behaviour: read("behaviour"), facts: read("facts") };
const catalogue = readCatalogue(documents);

function rowOf({ method, path }: Played["operation"]): CatalogueRow {
  const row = catalogue.rows.find((one) => one.method === method && one.path === path);
  if (row === undefined) throw new RangeError(`no row for ${method} ${path}`);
  return row;
}

/** Fields that are there only where there is something to say, by their last name. */
const WHERE_SET: readonly { readonly names: readonly string[]; readonly because: string }[] = [
  {
    names: ["git_branch", "pr_number", "latest_check_run_id", "notify_url"],
    because: "facts.md §3: Branch optional",
  },
  { names: ["review_requested_at", "deletion_scheduled_at"], because: "facts.md §3: Branch optional" },
  { names: ["applied_at"], because: "facts.md §3: old_config, updated_at, applied_at optional" },
  { names: ["expires_at", "allowed_networks"], because: "a role that was granted for ever, and from everywhere" },
  { names: ["metadata_xml", "attribute_mapping", "name_id_format"], because: "a provider has what it was given" },
  { names: ["import_map_path", "entrypoint_path"], because: "a function has what its deploys said" },
  { names: ["description"], because: "a log drain has one where it was given one" },
  { names: ["hostname", "password", "port", "schema", "url", "username"], because: "a drain of another backend" },
  { names: ["meta"], because: "nullable, and there is nothing more to say of most variants" },
  { names: ["ownership_verification"], because: 'facts.md §5: in service there are "no records"' },
  { names: ["validation_errors"], because: "the emulator's certificate authority finds nothing wrong" },
  { names: ["throughput_mibps"], because: "facts.md §2: io2 has none" },
  { names: ["error"], because: "nothing failed" },
  { names: ["status"], because: "why a region cannot be chosen: these can" },
  { names: ["cursor"], because: "there is no next page" },
];
const optional = new Set(WHERE_SET.flatMap(({ names }) => names));

/** "a[].b{}.c" as a, [], b, {}, c; a setting's name may have a dot within. */
const stepsOf = (path: string): readonly string[] => path.match(/\[\]|\{\}|cron\.log_statement|\w+/g) ?? [];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function valuesAt(value: unknown, steps: readonly string[]): readonly unknown[] {
  const [step, ...further] = steps;
  if (step === undefined) return [value];
  if (step === "[]") return Array.isArray(value) ? value.flatMap((one: unknown) => valuesAt(one, further)) : [];
  if (!isObject(value)) return [];
  if (step === "{}") return Object.values(value).flatMap((one) => valuesAt(one, further));
  return Object.hasOwn(value, step) ? valuesAt(value[step], further) : [];
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

/** Where an answer has not the shape of its row. */
function differences({ operation, received }: Played): readonly string[] {
  // only overrides are returned (facts.md §3)
  const leavesOut = operation.id.startsWith("postgresConfig.") ? () => true : (name: string) => optional.has(name);
  const shape = [...catalogue.shapeOf(rowOf(operation).answer.shape)];
  if (shape.length === 1) return []; // "no fields shown": rows of SQL, a document
  return shape.flatMap(([path, type]) => {
    const steps = stepsOf(path);
    const name = steps.at(-1) ?? "";
    const wrong = valuesAt(received.json, steps)
      .filter((value) => value !== null)
      .map(typeOf)
      .filter((own) => type !== "" && own !== type && !(type === "number" && own === "integer"));
    if (wrong.length > 0) return [`${operation.id} ${path}: ${type} / ${wrong.join(", ")}`];
    if (/^\W*$/.test(name) || leavesOut(name)) return [];
    const parents = valuesAt(received.json, steps.slice(0, -1)).filter(isObject);
    return parents.every((parent) => Object.hasOwn(parent, name)) ? [] : [`${operation.id} ${path}: ${type} / none`];
  });
}

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

describe("the answers of every operation", () => {
  it("have the fields and types that the catalogue shows, and the bodies that it and the facts say", async () => {
    await using under = await emulatorUnderTest({ timings: { signingKeyRestMs: 60_000 }, seed: everyCallSeed });
    const wrong = new Set<string>();
    const empty = new Set<string>();
    await play(under, EVERY_CALL, (played) => {
      const { operation, received } = played;
      if (operation.success.kind === "json") for (const one of differences(played)) wrong.add(one);
      if (operation.success.kind !== "empty" && operation.success.kind !== "count") return;
      empty.add(operation.id);
      const body = bodyOf(operation);
      if (received.text !== body) wrong.add(`${operation.id}: '${body}' / '${received.text}'`);
    });
    expect([...wrong]).toEqual([]);
    expect([...withoutBody].filter((id) => !empty.has(id))).toEqual([]);
  });

  it("are bare where the facts' words say so", () => {
    expect(documents.facts).toContain(WITHOUT_BODY);
    expect(documents.facts).toContain(WITH_MESSAGE);
  });
});
