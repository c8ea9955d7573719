import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { contract, operations } from "../../api/contract/contract.ts";
import { secret, untold } from "../../api/contract/fields.ts";
import { isHidden } from "../../api/contract/secret-fields.ts";
import { BODIES, CANARY, CANARY_NUMBER, WRAPPINGS } from "../../../test/support/emulator/any-request/bodies.ts";
import { secretPaths, valueAt, withValue } from "../../../test/support/emulator/secret-paths.ts";
import { bodySummary } from "./body.ts";
import { refusalWords } from "./refusal-words.ts";
import { shown, shownQuery } from "./shown.ts";
import { validate } from "./validation.ts";

const TELLING = /s3cret|987654321/;
const key = {
  kty: "oct",
  k: "s3cret",
  d: "s3cret",
  p: "s3cret",
  q: "s3cret",
  dp: "s3cret",
  dq: "s3cret",
  qi: "s3cret",
};

describe("what is neither logged nor told", () => {
  it.each([
    { of: "somebody's keys", operation: contract.thirdPartyAuth.create, value: { custom_jwks: { keys: [key] } } },
    { of: "one that is no set of them", operation: contract.thirdPartyAuth.create, value: { custom_jwks: key } },
    { of: "codes to sign in with", operation: contract.authConfig.update, value: { sms_test_otp: "49=s3cret" } },
    { of: "a code that is a number", operation: contract.authConfig.update, value: { sms_test_otp: 987_654_321 } },
  ])("shows nothing of $of, nor of it in what nobody asked for", ({ operation: { body }, value }) => {
    const hidden = Object.fromEntries(Object.keys(value).map((name) => [name, "[redacted]"]));
    expect(bodySummary({ kind: "json", value }, body)).toEqual(hidden);
    for (const wrapped of [value, ...WRAPPINGS.map((wrap) => wrap(value))]) {
      expect(JSON.stringify(bodySummary({ kind: "json", value: wrapped }, body))).not.toMatch(TELLING);
      expect(() => validate(body.schema, wrapped, "body")).not.toThrow(TELLING);
    }
  });

  const bodies = operations.flatMap(({ id, body }) => {
    const schema = body?.encoding === "multipart" ? body.metadata : body?.schema;
    const paths = schema === undefined ? [] : secretPaths(schema, [], isHidden);
    return schema === undefined || paths.length === 0 ? [] : [{ id, schema, paths }];
  });

  it.each(bodies)("is not logged of $id, whatever structure is around it at any depth", ({ id, schema, paths }) => {
    const wrapping = fc.array(fc.constantFrom(...WRAPPINGS), { minLength: 1, maxLength: 3 });
    const secrets = fc.constantFrom<unknown[]>(CANARY, CANARY_NUMBER, [CANARY], { a: { b: CANARY } });
    const wrapped = fc
      .tuple(fc.constantFrom(...paths), fc.nat(), wrapping, secrets)
      .map(([path, depth, wraps, one]) => {
        const whole = withValue(BODIES[id], path, one);
        const around = path.slice(0, depth % (path.length + 1));
        const made = wraps.reduce((value, wrap) => wrap(value), valueAt(whole, around));
        return withValue(whole, around, made);
      });
    fc.assert(
      fc.property(wrapped, (body) => {
        expect(JSON.stringify(shown(schema, body))).not.toMatch(new RegExp(`${CANARY}|${CANARY_NUMBER}`));
      }),
    );
  });

  it.each(bodies)("is not told by a refusal of $id where a number stands for what has it", ({ schema, paths }) => {
    const places = paths.flatMap((path) => path.map((_, end) => path.slice(0, end)));
    const said = [...places, ...paths].map((place) => {
      const value = withValue(undefined, place, CANARY_NUMBER);
      const { error } = schema.safeParse(value, { reportInput: true });
      return refusalWords(error?.issues ?? [], { schema, value, part: "body" });
    });
    expect(said.filter((words) => words.includes(String(CANARY_NUMBER)))).toEqual([]);
  });

  it("hides no more of a list that nobody asked for than of what is in it", () => {
    const body = [{ site_url: "https://shop.test", sms_test_otp: "49=s3cret" }];
    expect(shown(contract.authConfig.update.body.schema, body)).toEqual([
      { site_url: "https://shop.test", sms_test_otp: "[redacted]" },
    ]);
  });

  it.each([
    [secret(z.string().nullable())],
    [secret(z.string()).nullable()],
    [secret(z.union([z.number(), z.string()]))],
  ])("is hidden whether the mark is within what wraps its schema or on that", (place) => {
    const wrapped = z.strictObject({ place: place.optional() });
    expect(shown(wrapped, [{ place: ["s3cret", true] }])).toEqual([{ place: "[redacted]" }]);
  });

  it.each([
    { keys: untold(z.strictObject({ k: secret(z.string()) })), shows: "[redacted]", within: "what is not told" },
    {
      keys: z.union([z.unknown(), z.strictObject({ k: secret(z.string()) })]),
      shows: { k: "[redacted]" },
      within: "what is shown whatever it is",
    },
  ])("is known wherever it stands once more: a secret within $within", ({ keys, shows }) => {
    const schema = z.strictObject({ keys, name: z.string() });
    expect(shown(schema, { keys: { k: "s3cret" }, name: "s3cret" })).toEqual({ keys: shows, name: "[redacted]" });
  });

  it("is found on the one walk that finds what is declared", () => {
    let reads = 0;
    const body = Object.defineProperty({}, "name", { enumerable: true, get: () => ((reads += 1), "shop") });
    expect(shown(z.strictObject({ name: z.string(), token: secret(z.string()) }), body)).toEqual({ name: "shop" });
    expect(reads).toBe(1);
  });

  it.each([
    { levels: 1, width: 4000 },
    { levels: 400, width: 10 },
    { levels: 400, width: 1000 },
  ])("is found by looking at each value once: $levels levels of $width", ({ levels, width }) => {
    let looks = 0;
    const watch = (value: object): object =>
      new Proxy(value, { get: (target, key) => ((looks += 1), Reflect.get(target, key) as unknown) });
    const row = Array.from({ length: width }, () => 1);
    const body = Array.from({ length: levels }).reduce<object>((value) => watch([value, ...row]), watch([]));
    shown(contract.authConfig.update.body.schema, body);
    const size = levels * (width + 1);
    expect([looks >= size, looks <= size + 10 * levels]).toEqual([true, true]);
  });

  it("is hidden where it is of another alternative than that which the value names", () => {
    const schema = z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("a"), place: z.string() }),
      z.strictObject({ kind: z.literal("b"), dsn: secret(z.string()), note: z.string() }),
    ]);
    expect(shown(schema, { kind: "a", place: "x", dsn: "s3cret", note: "y" })).toEqual({
      kind: "a",
      place: "x",
      dsn: "[redacted]",
      note: "[redacted]",
    });
  });
});

describe("shownQuery", () => {
  const health = contract.projects.health.query;

  it.each([
    { query: { services: "db,auth" }, why: "a list is one text" },
    { query: { services: "db" }, why: "of one item, too" },
    { query: { services: ["db", "auth"] }, why: "or is given item by item" },
    { query: { services: "db,auth", timeout_ms: "5000" }, why: "and numbers are texts" },
  ])("shows a query as it came: $why", ({ query }) => {
    expect(shownQuery(health, query)).toEqual(query);
  });

  it("shows nothing of what is secret or not declared", () => {
    const schema = z.strictObject({ keys: z.array(secret(z.string())), at: z.array(z.string()) });
    expect(shownQuery(schema, { keys: "a,b", at: "a,c", other: "s3cret" })).toEqual({
      keys: "[redacted],[redacted]",
      at: "[redacted],c",
      other: "[redacted]",
    });
    expect(shownQuery(undefined, { services: "db" })).toEqual({ services: "[redacted]" });
  });
});
