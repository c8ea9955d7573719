import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authConfigUpdateSchema } from "../../src/api/contract/auth-config.ts";
import type { AuthField } from "../../src/api/contract/auth-config-field.ts";
import { authConfigRows } from "../../src/api/contract/auth-config-fields.ts";
import { authSettings } from "../../src/resources/settings/auth/auth.ts";
import type { Wire } from "../../src/resources/settings/setting.ts";
import {
  type DeclaredSetting,
  declaredSettings,
  declaring,
  keyOf,
  VALUES,
  valuesOf,
  wordForNull,
} from "../support/sections/declared.ts";
import { branchSeed } from "../support/sections/levers.ts";
import { type AnyStage, openBranchStage, openSectionStage } from "../support/sections/stage.ts";
import { writing } from "../support/sections/writing.ts";

/**
 * Every field that a request to change the auth configuration may carry, by the contract's table and not by ours: declared, seen on the platform, changed
 * there by somebody else, repaired, rotated where it is secret, taken out of the spec and left alone, with every call counted. The same of a Branch, under
 * its own ref, for fields of each group that are drawn: what is one field's own is the same for both. `BRANCH_SEED=<seed of a failure>` draws those again.
 */

const fields = authConfigRows.filter(([, { responseOnly }]) => responseOnly !== true);
const settings = new Map(declaredSettings(authSettings).map((one) => [one.wire, one]));

/** Of each group a field that chance draws, and one that is secret, with some more: in time each field has its turn. */
function sampled(): typeof fields {
  const groupOf = ([wire, { secret }]: (typeof fields)[number]): string =>
    `${settings.get(wire)?.path.split(".", 1)[0]} ${secret === true}`;
  const draw = (of: typeof fields, numRuns: number): typeof fields =>
    fc.sample(fc.constantFrom(...of), { numRuns, seed: branchSeed });
  const ofGroups = [...Map.groupBy(fields, groupOf).values()].flatMap((group) => draw(group, 1));
  return [...new Set([...ofGroups, ...draw(fields, 12)])];
}

const KINDS = [
  { whose: "Project", its: fields, open: openSectionStage, isCounted: () => true },
  // Of its reads there are those of its parent, too.
  {
    whose: `Branch (BRANCH_SEED=${branchSeed})`,
    its: sampled(),
    open: openBranchStage,
    isCounted: (id: string) => writing.has(id) || id.startsWith("authConfig."),
  },
] as const;

let stage: AnyStage;
let isCounted: (id: string) => boolean;

async function begin(one: (typeof KINDS)[number]): Promise<void> {
  ({ isCounted } = one);
  stage = await one.open();
  const { client, ref } = stage;
  // What one field needs of others: a mail server of one's own.
  const smtp = {
    smtp_host: "mail.test",
    smtp_port: "25",
    smtp_user: "u",
    smtp_pass: "p",
    smtp_admin_email: "a@mail.test",
  };
  await client.authConfig.update({ ref, body: smtp });
}

/** What a read shows of a value that was sent (facts.md §6.3 and §6.4). */
function shown({ secret, normal }: AuthField, value: Wire): Wire {
  if (typeof value !== "string") return value;
  if (secret === true) return createHash("sha256").update(value).digest("hex");
  return normal === "name" ? value.trim().toLowerCase() : value;
}

const FOLDED = "external_apple_additional_client_ids";
const FIRST = {
  path: "providers.apple.clientId",
  wire: "external_apple_client_id",
  value: "com.example.shop",
} as const;

/** The wire value that a read answers for the field. */
async function remote(wire: string): Promise<unknown> {
  const { client, ref } = stage;
  const answer: Readonly<Record<string, unknown>> = await client.authConfig.get({ ref });
  if (wire !== FOLDED) return answer[wire];
  const [, ...rest] = String(answer[FIRST.wire]).split(",");
  return rest.join(",");
}

async function byHand(wire: string, value: Wire): Promise<void> {
  const { client, ref } = stage;
  await client.authConfig.update({ ref, body: authConfigUpdateSchema.parse({ [wire]: value }) });
}

function declare(path: string, value: unknown): Promise<unknown> {
  const first: readonly (readonly [string, unknown])[] =
    path.endsWith("additionalClientIds") && path.includes("apple") ? [[FIRST.path, FIRST.value]] : [];
  return stage.apply({ auth: declaring([...first, [path, value]]) });
}

async function calls(): Promise<readonly string[]> {
  return (await stage.calls()).filter((id) => isCounted(id)).map((operation) => operation.replace("authConfig.", ""));
}

/** Values that differ on the wire from each other and from what there is. */
function samples(
  setting: DeclaredSetting,
  there: unknown,
): readonly { readonly declared: unknown; readonly wire: Wire }[] {
  const drawn = fc.sample(valuesOf(setting), { numRuns: 40, seed: 11 });
  const found: { declared: unknown; wire: Wire }[] = [];
  for (const declared of drawn) {
    const wire = setting.encode(setting.source === "document" ? inlineOf(declared) : declared);
    if (wire === null || setting.isSame(wire, there) || found.some((one) => setting.isSame(one.wire, wire))) continue;
    found.push({ declared, wire });
  }
  return found;
}

function inlineOf(declared: unknown): unknown {
  const inline: unknown =
    typeof declared === "object" && declared !== null ? Reflect.get(declared, "inline") : undefined;
  return inline ?? documentText;
}

const documentText = "<p>in a ConfigMap</p>";

describe.each(KINDS)("of a $whose,", (one) => {
  beforeAll(() => begin(one));

  afterAll(() => stage[Symbol.asyncDispose]());

  describe.each(one.its)("auth field %s", (wire, field) => {
    it("is set, seen, repaired, rotated where it is secret, taken out and left alone, with as few writes as can be", async () => {
      await stage.theatre.pass(120_000); // another window of requests
      const setting = settings.get(wire);
      if (setting === undefined) throw new Error(`${wire} has no setting: add a line to src/resources/settings/auth`);
      const secret = field.secret === true;
      const [mine, others] = secret ? await secretSamples(setting) : plainSamples(setting, await remote(wire));
      stage.putConfigMap(VALUES, { [keyOf(setting)]: documentText });

      // set, in one request, and seen
      await stage.calls();
      expect(await declare(setting.path, mine.declared)).toMatchObject({ kind: "done" });
      expect(await calls()).toEqual(["get", "update"]);
      expect(await remote(wire)).toEqual(shown(field, mine.wire));

      // another look writes nothing, however it reads back
      await stage.calls();
      await stage.run();
      expect(await calls()).toEqual(["get"]);

      // drifted, and repaired by one request
      await byHand(wire, others.wire);
      expect(await remote(wire)).not.toEqual(shown(field, mine.wire));
      await stage.calls();
      await stage.run();
      expect(await calls()).toEqual(["get", "update"]);
      expect(await remote(wire)).toEqual(shown(field, mine.wire));

      if (secret) await rotate(setting, field);
      else if (field.default === null && wordForNull(setting) !== undefined) await unset(setting, others);

      // taken out: looked at no more, and as it is
      const last = await remote(wire);
      await stage.calls();
      await stage.apply({});
      await stage.run();
      expect(await calls()).toEqual([]);
      expect(await remote(wire)).toEqual(last);
      expect(stage.entry("auth")).toBeUndefined();
    });
  });
});

interface Sample {
  readonly declared: unknown;
  readonly wire: Wire;
}

function plainSamples(setting: DeclaredSetting, there: unknown): readonly [Sample, Sample] {
  const [mine, others] = samples(setting, there);
  if (mine === undefined) throw new Error(`no value for ${setting.path}`);
  // A switch has one other value.
  const opposite = { declared: undefined, wire: typeof mine.wire === "boolean" ? !mine.wire : null };
  return [mine, others ?? opposite];
}

async function secretSamples(setting: DeclaredSetting): Promise<readonly [Sample, Sample]> {
  const [declared] = fc.sample(valuesOf(setting), 1);
  stage.putSecret(VALUES, { [keyOf(setting)]: "first secret" });
  return Promise.resolve([
    { declared, wire: "first secret" },
    { declared, wire: "somebody else's secret" },
  ]);
}

/** Declared as the word for null, where the platform answers null for it: so it is then, and again after somebody gave it a value. */
async function unset(setting: DeclaredSetting, others: Sample): Promise<void> {
  await declare(setting.path, wordForNull(setting));
  expect(await calls()).toEqual(["get", "get", "update"]); // of `remote` and of the run
  expect(setting.isSame(null, await remote(setting.wire))).toBe(true);
  await byHand(setting.wire, others.wire ?? "other");
  await stage.calls();
  await stage.run();
  expect(await calls()).toEqual(["get", "update"]);
  expect(setting.isSame(null, await remote(setting.wire))).toBe(true);
}

async function rotate(setting: DeclaredSetting, field: AuthField): Promise<void> {
  stage.putSecret(VALUES, { [keyOf(setting)]: "second secret" });
  await stage.calls();
  await stage.run("change");
  expect(await calls()).toEqual(["get", "update"]);
  expect(await remote(setting.wire)).toEqual(shown(field, "second secret"));
  await stage.calls();
  await stage.run();
  expect(await calls()).toEqual(["get"]);
}
