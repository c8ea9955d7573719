import type { Shape } from "./shapes.ts";

/**
 * How an answer departs from the shape that the catalogue's text gives it, as a client sees that was generated from that text and reads
 * strictly: "path: missing", "path: null", "path: string instead of integer", "path: not named". What the text leaves open is open.
 */
export function departures(shape: Shape, answer: unknown): readonly string[] {
  const found: string[] = [];
  const at = (path: string, value: unknown): void => {
    const wrong = wrongType(shape.get(path) ?? "", value) ?? wrongTime(path, value);
    if (wrong !== undefined) found.push(`${path}: ${wrong}`);
    if (Array.isArray(value) && hasWithin(shape, `${path}[]`)) for (const item of value) at(`${path}[]`, item);
    if (isObject(value)) for (const [name, field] of Object.entries(value)) inObject(path, name, field);
    if (isObject(value)) {
      found.push(...fieldsOf(shape, path).flatMap((name) => (name in value ? [] : [`${joined(path, name)}: missing`])));
    }
  };
  const inObject = (path: string, name: string, field: unknown): void => {
    const fields = fieldsOf(shape, path);
    if (fields.includes(name)) at(joined(path, name), field);
    else if (hasWithin(shape, `${path}{}`)) at(`${path}{}`, field);
    else if (fields.length > 0) found.push(`${joined(path, name)}: not named`);
  };
  at("", answer);
  return [...new Set(found)];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const joined = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

const hasWithin = (shape: Shape, path: string): boolean => [...shape.keys()].some((one) => one.startsWith(path));

/** Names may have dots themselves (cron.log_statement): a field is what no other field contains. */
function fieldsOf(shape: Shape, path: string): readonly string[] {
  const prefix = path === "" ? "" : `${path}.`;
  const below = [...shape.keys()]
    .filter((one) => one !== "" && one.startsWith(prefix))
    .map((one) => one.slice(prefix.length));
  return below.filter((name) => {
    const steps = name.split(".").slice(0, -1);
    return !/[[{]/.test(name) && !steps.some((_, at) => below.includes(steps.slice(0, at + 1).join(".")));
  });
}

function wrongType(type: string, value: unknown): string | undefined {
  if (type === "" || (type === "integer" && Number.isInteger(value))) return undefined;
  if (value === null) return "null";
  const own = Array.isArray(value) ? "array" : typeof value;
  return own === type ? undefined : `${own} instead of ${type}`;
}

/** "ISO 8601 timestamp string" (behaviour.md, types), by the names that times have. */
function wrongTime(path: string, value: unknown): string | undefined {
  if (typeof value !== "string" || !/(?:_at|_until|timestamp)$/.test(path)) return undefined;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(value) ? undefined : `no time: ${value}`;
}
