import fc from "fast-check";
import { FormData } from "undici";
import { z } from "zod";
import type { Operation } from "../../../../src/api/contract/operation.ts";
import { isHidden } from "../../../../src/api/contract/secret-fields.ts";
import { type Sent, TOKEN } from "../api.ts";
import { secretPaths, withValue } from "../secret-paths.ts";
import { BODIES, CANARY, CANARY_NUMBER, drainTo, KNOWN, WRAPPINGS } from "./bodies.ts";
import { BROKEN_URLS_WITH_PASSWORD, URLS_WITH_PASSWORD } from "./url-passwords.ts";

/** test/support/emulator/any-request: requests of any operation: as they should be, a little wrong, and altogether wrong. */

const odd = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    "",
    ".",
    "..",
    "null",
    "%00",
    "__proto__",
    "constructor",
    "a".repeat(3000),
    "ä\u0000\uD800",
    "-1",
    "1e999",
  ),
);
const json = fc.jsonValue({ maxDepth: 3 });

/** A place for logs whose URL has a password, which stands in no field of its own, however it is written. */
const drainWithPassword = fc
  .tuple(
    fc.string({ unit: fc.constantFrom("@", ":", ",", " ", "%", "'", '"', "&", "=", "ä", "\t"), maxLength: 4 }),
    fc.string({ maxLength: 3 }),
    fc.nat(),
  )
  .map(([before, name, form]) => {
    const password = `${before}${CANARY}`;
    const urls = [...URLS_WITH_PASSWORD(password), ...BROKEN_URLS_WITH_PASSWORD(password)].filter(
      (url) => !isHost(url),
    );
    return drainTo(urls[form % urls.length] ?? "", { name: `to ${name}` });
  });
/** Whether what was to be the password is behind the last at sign of a URL: that is its host, which is told. */
const isHost = (url: string): boolean =>
  url.lastIndexOf("@") < url.indexOf(CANARY) && url.includes("@") && URL.canParse(url);
const DRAINS = new Set(["logDrains.create", "logDrains.update"]);

/** In the place of a secret: one of another type, or in something that nobody asked for. */
const misplaced = fc.constantFrom<unknown[]>(
  CANARY_NUMBER,
  -CANARY_NUMBER,
  [CANARY_NUMBER],
  [CANARY],
  { a: CANARY_NUMBER },
  { a: { b: CANARY } },
  ...BROKEN_URLS_WITH_PASSWORD(CANARY),
);

/** A body with one of these wherever its schema has a secret, and all of such a body within what nobody asked for. */
function withMisplaced({ body }: Operation, good: unknown): readonly fc.Arbitrary<unknown>[] {
  const schema = body?.encoding === "multipart" ? body.metadata : body?.schema;
  if (schema === undefined) return [];
  const anywhereOf = (paths: ReturnType<typeof secretPaths>): readonly fc.Arbitrary<unknown>[] =>
    paths.length === 0
      ? []
      : [fc.tuple(fc.constantFrom(...paths), misplaced).map(([path, value]) => withValue(good, path, value))];
  const wrapped = anywhereOf(secretPaths(schema, [], isHidden)).map((one) =>
    fc.tuple(one, fc.constantFrom(...WRAPPINGS)).map(([value, wrap]) => wrap(value)),
  );
  return [...anywhereOf(secretPaths(schema)), ...wrapped];
}

/** A body as it should be, or with a field removed, replaced or added, or something else altogether. */
function bodyOf(operation: Operation): fc.Arbitrary<unknown> {
  const good = BODIES[operation.id];
  if (good === undefined) return fc.oneof(fc.constant(undefined), json);
  const first = fieldsOf(Array.isArray(good) ? good[0] : good);
  const changed = fc
    .record({ key: fc.constantFrom(...Object.keys(first), "__proto__", "extra"), value: json, drop: fc.boolean() })
    .map((change) => {
      const entries = Object.entries(first).filter(([key]) => key !== change.key);
      const made = Object.fromEntries(change.drop ? entries : [...entries, [change.key, change.value]]);
      return Array.isArray(good) ? [made] : made;
    });
  return fc.oneof(
    { weight: 5, arbitrary: fc.constant(good) },
    ...(DRAINS.has(operation.id) ? [{ weight: 5, arbitrary: drainWithPassword }] : []),
    ...withMisplaced(operation, good).map((arbitrary) => ({ weight: 3, arbitrary })),
    { weight: 3, arbitrary: changed },
    { weight: 1, arbitrary: json },
  );
}

/** The same as a form, whose values are texts. */
function formOf(operation: Operation): fc.Arbitrary<URLSearchParams> {
  return bodyOf(operation).map((body) => new URLSearchParams(Object.entries(fieldsOf(body)).map(asTexts)));
}

const asTexts = ([name, value]: readonly [string, unknown]): [string, string] => [
  name,
  typeof value === "string" ? value.toWellFormed() : JSON.stringify(value),
];

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

const multipart = fc
  .record({
    metadata: fc.oneof(json, fc.constant({ entrypoint_path: "index.ts", name: "hello" })),
    names: fc.array(odd, { maxLength: 3 }),
    asFile: fc.boolean(),
  })
  .map(({ metadata, names, asFile }) => {
    const form = new FormData();
    const text = JSON.stringify(metadata);
    if (asFile) form.append("metadata", new Blob([text]), "m.json");
    else form.append("metadata", text);
    for (const name of ["index.ts", ...names]) form.append("file", new Blob(["1"]), name);
    return form;
  });

const brokenJson = fc.oneof(
  json.map((value) => ({ type: "application/json", text: JSON.stringify([value]) })),
  fc.constant({ type: "application/json", text: "\u0000\u0001" }),
);
const brokenForm = fc.constant({
  type: "multipart/form-data; boundary=b",
  text: '--b\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{"name":"hello","entrypoint_path":"index.ts"}\r\n',
});

/** What breaks off in the middle, or is no text at all, under the content type of what it was to be: mostly that which the operation reads. */
function malformed({ body }: Operation): fc.Arbitrary<Sent> {
  const isForm = body?.encoding === "multipart";
  return fc
    .record({
      whole: fc.oneof(
        { weight: isForm ? 1 : 3, arbitrary: brokenJson },
        { weight: isForm ? 3 : 1, arbitrary: brokenForm },
      ),
      share: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    })
    .map(({ whole: { type, text }, share }) => ({
      body: text.slice(0, 1 + Math.floor(share * (text.length - 1))),
      headers: { "content-type": type },
      token: TOKEN,
    }));
}

function sentTo(operation: Operation): fc.Arbitrary<Sent> {
  const body =
    operation.body?.encoding === "multipart"
      ? fc.oneof(multipart, json)
      : operation.method === "GET" || operation.method === "HEAD"
        ? fc.constant(undefined)
        : fc.oneof(
            { weight: 12, arbitrary: operation.body?.encoding === "form" ? formOf(operation) : bodyOf(operation) },
            { weight: 1, arbitrary: fc.string() },
            { weight: 1, arbitrary: multipart },
          );
  const contentType = fc.constantFrom(
    "application/json",
    "application/json; charset=x",
    "text/plain",
    "application/vnd.denoland.eszip",
    "multipart/form-data",
    "multipart/form-data; boundary=b",
  );
  const headers = fc.oneof(
    { weight: 12, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: contentType.map((type) => ({ "content-type": type })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("multipart/form-data", "*/*;q=x", "text/html").map((accept) => ({ accept })),
    },
  );
  const token = fc.oneof(
    { weight: 12, arbitrary: fc.constant(TOKEN) },
    { weight: 1, arbitrary: fc.constantFrom("fine", "guest", "wrong", null) },
  );
  return fc.record({ body, headers, token }).map(({ body: content, headers: extra, token: text }) => ({
    ...(content === undefined ? {} : { body: content }),
    headers: content instanceof FormData || content instanceof URLSearchParams ? {} : extra,
    token: text,
  }));
}

function pathOf(operation: Operation): fc.Arbitrary<string> {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const values = names.map((name) =>
    fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...(KNOWN[name] ?? [""])) }, { weight: 1, arbitrary: odd }),
  );
  const query = fc.oneof({ weight: 5, arbitrary: goodQuery(operation) }, { weight: 1, arbitrary: oddQuery(operation) });
  return fc.record({ values: fc.tuple(...values), query }).map((made) => {
    let index = 0;
    const path = operation.path.replaceAll(/\{\w+\}/g, () => encode(String(made.values[index++])));
    return made.query.length === 0 ? path : `${path}?${new URLSearchParams(made.query).toString()}`;
  });
}

type Query = [string, string][];

/** What has to be there, and some of the rest, with values as their schemas want them. */
function goodQuery(operation: Operation): fc.Arbitrary<Query> {
  const shape: Readonly<Record<string, z.ZodType>> = operation.query.shape;
  const fields = Object.entries(shape).filter(([name]) => name !== "page" && name !== "filter");
  return fc
    .tuple(
      ...fields.map(([name, schema]) => {
        const there = fc.constantFrom(...(KNOWN[name] ?? valuesOf(schema))).map((value): Query => [[name, value]]);
        const left: fc.Arbitrary<Query> = fc.constant([]);
        return schema.safeParse(undefined).success
          ? fc.oneof({ weight: 3, arbitrary: left }, { weight: 1, arbitrary: there })
          : there;
      }),
    )
    .map((parts) => parts.flat());
}

/** Texts that a field of a query takes. */
function valuesOf(schema: z.ZodType): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return valuesOf(schema.unwrap() as z.ZodType); // what zod wraps is one of its types
  }
  if (schema instanceof z.ZodEnum) return schema.options.map(String);
  if (schema instanceof z.ZodArray) return valuesOf(schema.element as z.ZodType); // the same
  if (schema instanceof z.ZodBoolean) return ["true", "false"];
  return schema instanceof z.ZodNumber ? ["10", "0", "1"] : ["hello", "2026-01-01T00:00:00Z", "ACTIVE_HEALTHY"];
}

/** Names and values of which most mean nothing. */
function oddQuery(operation: Operation): fc.Arbitrary<Query> {
  const known = Object.keys(operation.query.shape).flatMap((key) =>
    key === "page" ? ["page[size]", "page[after]", "page[x]", key] : key === "filter" ? ["filter[role]", key] : [key],
  );
  const key = fc.oneof(fc.constantFrom("limit", ...known), odd);
  const value = fc.oneof(fc.constantFrom("true", "false", "1", "db,rest", "hello", "ACTIVE_HEALTHY"), odd);
  return fc.array(fc.tuple(key, value), { maxLength: 2 });
}

/** A dot segment would be gone before it is sent: the client, too, reads it as another path. */
function encode(text: string): string {
  return encodeURIComponent(/^\.{1,2}$/.test(text) ? `${text}x` : text.toWellFormed());
}

export interface AnyRequest {
  readonly id: string;
  readonly path: string;
  readonly sent: Sent;
  /** its body is none of its content type */
  readonly isMalformed: boolean;
}

function anySent(operation: Operation): fc.Arbitrary<Pick<AnyRequest, "sent" | "isMalformed">> {
  const sound = sentTo(operation).map((sent) => ({ sent, isMalformed: false }));
  if (operation.method === "GET" || operation.method === "HEAD") return sound;
  return fc.oneof(
    { weight: 12, arbitrary: sound },
    // one operation alone reads a form of files: with as few as the others have, none might come
    {
      weight: operation.body?.encoding === "multipart" ? 4 : 1,
      arbitrary: malformed(operation).map((sent) => ({ sent, isMalformed: true })),
    },
  );
}

/** By id, since a whole declaration fills the report of a failure. */
export function anyRequestOf(operations: readonly Operation[]): fc.Arbitrary<AnyRequest> {
  return fc
    .constantFrom(...operations)
    .chain((operation) =>
      fc
        .record({ path: pathOf(operation), asked: anySent(operation) })
        .map(({ path, asked }) => ({ id: operation.id, path, ...asked })),
    );
}
