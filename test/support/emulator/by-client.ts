import { FormData } from "undici";
import type { ApiClient } from "../../../src/api/client.ts";
import { operations } from "../../../src/api/contract/contract.ts";
import type { Operation } from "../../../src/api/contract/operation.ts";
import { coerceQuery } from "../../../src/emulator/http/validation.ts";
import type { EmulatorUnderTest, Received, Sent } from "./api.ts";

/** Calls that are written as they stand on the wire, made by the typed client instead: what its types cannot show, the wire can. */

type Call = (input: unknown, options: unknown) => Promise<unknown>;

/** The emulator as before, but whatever is called goes through the client. Rejects with the client's ApiError. */
export function byClient(under: EmulatorUnderTest, client: ApiClient, parentRef: string): EmulatorUnderTest {
  const sections = client as unknown as Readonly<Record<string, Readonly<Record<string, Call>>>>; // by id, which no type can follow
  const call = async (method: string, target: string, sent: Sent = {}): Promise<Received> => {
    const { operation, params, query } = operationAt(method, target);
    const [section = "", verb = ""] = operation.id.split(".");
    const input = { ...params, ...query, ...(await bodyOf(operation, sent.body)) };
    const output = await sections[section]?.[verb]?.(input, { parentRef });
    return { status: operation.success.status, headers: {}, text: "", json: output };
  };
  return { ...under, call, [Symbol.asyncDispose]: () => under[Symbol.asyncDispose]() };
}

interface Found {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
}

/** The operation whose path fits; of two, the one that says more of it. */
function operationAt(method: string, target: string): Found {
  const { pathname, searchParams } = new URL(target, "http://emulator.test");
  const fitting = operations.flatMap((operation) => {
    const pattern = operation.path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)").replaceAll(".", String.raw`\.`);
    const found = operation.method === method ? new RegExp(`^${pattern}$`).exec(pathname) : null;
    return found === null ? [] : [{ operation, params: { ...found.groups } }];
  });
  const [best] = fitting.toSorted((a, b) => Object.keys(a.params).length - Object.keys(b.params).length);
  if (best === undefined) throw new Error(`no operation at ${method} ${pathname}`);
  return { ...best, query: coerceQuery(best.operation.query, Object.fromEntries(searchParams)) };
}

async function bodyOf({ body: declared }: Operation, body: unknown): Promise<Readonly<Record<string, unknown>>> {
  // on the wire nothing may stand for an object without fields; in the client's types it may not
  if (body === undefined) return declared === undefined ? {} : { body: {} };
  if (body instanceof URLSearchParams) return { body: Object.fromEntries(body) };
  if (!(body instanceof FormData)) return { body };
  const files = body.getAll("file").flatMap((file) => (typeof file === "string" ? [] : [file]));
  const text = body.get("metadata");
  const metadata: unknown = typeof text === "string" ? JSON.parse(text) : undefined;
  const read = files.map(async (file) => ({ path: file.name, content: await file.bytes() }));
  return { body: { metadata, files: await Promise.all(read) } };
}
