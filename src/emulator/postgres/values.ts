import type { ResultSet } from "./database.ts";

/**
 * Values between PostgreSQL's text and JSON. Numbers that JSON's readers keep exactly are numbers: smallint, integer, real, double precision
 * and those of bigint up to 2^53. Larger ones and numeric are strings, so that no digit is lost. Dates, times and intervals are the
 * ISO text that PostgreSQL gives, json is itself unless it is nested beyond reason, arrays are arrays, and everything else is its text.
 */

type Read = (text: string) => unknown;

const asNumber: Read = (text) => {
  const value = Number(text);
  return Number.isFinite(value) ? value : text; // JSON has neither NaN nor Infinity
};
const asBigint: Read = (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : text);
const asBoolean: Read = (text) => text === "t";
/** What is nested deeper than writers of JSON follow is its text. */
const asJson: Read = (text): unknown => (isDeep(text) ? text : JSON.parse(text));
const asText: Read = (text) => text;

const MOST_LEVELS = 1000;

/** Whether brackets outside of strings stand in more levels than that. */
function isDeep(text: string): boolean {
  if (text.length <= MOST_LEVELS) return false;
  let level = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === "[" || token === "{") level += 1;
    else if (token === "]" || token === "}") level -= 1;
    if (level > MOST_LEVELS) return true;
  }
  return false;
}

/** By OID (pg_type.dat); each with the OID of its array. */
const SCALARS: readonly (readonly [oid: number, array: number, read: Read])[] = [
  [16, 1000, asBoolean],
  [17, 1001, asText], // bytea
  [18, 1002, asText], // "char"
  [19, 1003, asText], // name
  [20, 1016, asBigint],
  [21, 1005, asNumber],
  [23, 1007, asNumber],
  [25, 1009, asText],
  [26, 1028, asNumber], // oid
  [114, 199, asJson],
  [650, 651, asText], // cidr
  [700, 1021, asNumber],
  [701, 1022, asNumber],
  [869, 1041, asText], // inet
  [1042, 1014, asText], // character
  [1043, 1015, asText], // character varying
  [1082, 1182, asText], // date
  [1083, 1183, asText], // time
  [1114, 1115, asText], // timestamp
  [1184, 1185, asText], // timestamp with time zone
  [1186, 1187, asText], // interval
  [1700, 1231, asText], // numeric
  [2950, 2951, asText], // uuid
  [3802, 3807, asJson],
];

const READERS: ReadonlyMap<number, Read> = new Map(
  SCALARS.flatMap(([oid, array, read]): readonly (readonly [number, Read])[] => [
    [oid, read],
    [array, (text) => readArray(text, read)],
  ]),
);

/** Rows as objects; of columns of the same name the last one counts. */
export function rowsAsJson({ fields, rows }: ResultSet): Record<string, unknown>[] {
  const columns = fields.map(({ name, type }) => ({ name, read: READERS.get(type) ?? asText }));
  return rows.map((row) =>
    Object.fromEntries(
      columns.map(({ name, read }, index) => {
        const text = row[index] ?? null;
        return [name, text === null ? null : read(text)];
      }),
    ),
  );
}

/** `{1,"two words",NULL,{nested}}`; one that does not begin at 1 says so before an equals sign. */
function readArray(text: string, read: Read): unknown {
  const stack: unknown[][] = [[]];
  const item = /\s*(?:([{}])|"((?:[^"\\]|\\.)*)"|([^,{}"]+))\s*,?/gs;
  item.lastIndex = text.startsWith("[") ? text.indexOf("=") + 1 : 0;
  for (let found = item.exec(text); found !== null; found = item.exec(text)) {
    const [, brace, quoted, bare] = found;
    if (brace === "{") {
      stack.push([]);
    } else if (brace === "}") {
      const done = stack.pop();
      stack.at(-1)?.push(done);
    } else {
      const value = quoted?.replaceAll(/\\(.)/gs, "$1") ?? bare ?? "";
      stack.at(-1)?.push(quoted === undefined && value === "NULL" ? null : read(value));
    }
  }
  return stack[0]?.[0];
}

/** A parameter of a request as PostgreSQL's text: an array as one of SQL, an object as a JSON document. */
export function parameterText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return arrayText(value);
  return typeof value === "object" ? JSON.stringify(value) : plainText(value);
}

function arrayText(items: readonly unknown[]): string {
  const texts = items.map((item) => {
    if (Array.isArray(item)) return arrayText(item);
    const text = parameterText(item);
    return text === null ? "NULL" : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  });
  return `{${texts.join(",")}}`;
}

function plainText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
