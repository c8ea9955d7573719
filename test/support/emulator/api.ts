import { Agent, FormData, request } from "undici";
import { z } from "zod";
import { ManualClock } from "../../../src/base/manual-clock.ts";
import { seededRandom } from "../../../src/base/random.ts";
import { errorBodySchema } from "../../../src/api/contract/fields.ts";
import type { Operation } from "../../../src/api/contract/operation.ts";
import { type Emulator, type EmulatorOptions, startWithWorld } from "../../../src/emulator/emulator.ts";
import { DEFAULT_TIMINGS } from "../../../src/emulator/state/settings.ts";
import type { World } from "../../../src/emulator/state/world.ts";

/**
 * A plain client of the emulator for its own tests: no pacing, no retries, no knowledge of the contract but where a test hands it in,
 * so that what the emulator really sends is seen.
 */

export const TOKEN = "test-token";

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** the body as JSON; undefined where it is none */
  readonly json: unknown;
}

export interface Sent {
  /** JSON, a form of either kind, or bytes and text as they are */
  readonly body?: unknown;
  /** null: none */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface EmulatorUnderTest extends AsyncDisposable {
  readonly emulator: Emulator;
  readonly control: Emulator["control"];
  /** all that it holds, for those who ask whether anything at all has changed */
  readonly world: World;
  readonly clock: ManualClock;
  readonly call: (method: string, path: string, sent?: Sent) => Promise<Received>;
}

/** Starts an emulator whose time stands still until the test moves it; bundling takes no time unless the test says so. */
export async function emulatorUnderTest(options: EmulatorOptions = {}): Promise<EmulatorUnderTest> {
  const clock = new ManualClock();
  const { emulator, world } = await startWithWorld({
    tokens: [TOKEN],
    clock,
    random: seededRandom(7),
    ...options,
    timings: { ...DEFAULT_TIMINGS, bundleMs: 0, ...options.timings },
  });
  const agent = new Agent();
  return {
    emulator,
    control: emulator.control,
    world,
    clock,
    call: (method, path, sent = {}) => callOnce({ agent, url: `${emulator.url}${path}`, method, sent }),
    [Symbol.asyncDispose]: async () => {
      await agent.destroy();
      await emulator.stop();
    },
  };
}

interface Once {
  readonly agent: Agent;
  readonly url: string;
  readonly method: string;
  readonly sent: Sent;
}

async function callOnce({ agent, url, method, sent }: Once): Promise<Received> {
  const { token = TOKEN } = sent;
  const response = await request(url, {
    dispatcher: agent,
    method: method as "GET", // any token is a method on the wire
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(isJson(sent.body) ? { "content-type": "application/json" } : {}),
      ...(sent.body instanceof URLSearchParams ? { "content-type": "application/x-www-form-urlencoded" } : {}),
      ...sent.headers,
    },
    ...(sent.body === undefined ? {} : { body: encoded(sent.body) }),
  });
  const text = await response.body.text();
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
  return { status: response.statusCode, headers, text, json: parsed(text) };
}

function isJson(body: unknown): boolean {
  if (body instanceof FormData || body instanceof Uint8Array || body instanceof URLSearchParams) return false;
  return body !== undefined && typeof body !== "string";
}

function encoded(body: unknown): string | FormData | Uint8Array {
  if (body instanceof FormData || body instanceof Uint8Array || typeof body === "string") return body;
  return body instanceof URLSearchParams ? body.toString() : JSON.stringify(body);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The body by a schema; fails the test where it does not fit. */
export function bodyAs<S extends z.ZodType>(schema: S, received: Received): z.output<S> {
  const result = schema.safeParse(received.json);
  if (!result.success) throw new Error(`${received.status} ${received.text}: ${result.error.message}`);
  return result.data;
}

/** Why an answer is not one that the contract declares for the operation; undefined when it is one. */
export function undeclared(operation: Operation, received: Received): string | undefined {
  const { success, errors, id, method } = operation;
  if (received.status === success.status) {
    const wrong = wrongSuccess(operation, received);
    return wrong === undefined ? undefined : `${id}: ${wrong} in ${received.text}`;
  }
  // "an operation's errors are those listed, the rows of section 5 here, 400 for a bad request, and 401, 403, 429" (facts.md, head)
  if (![400, 401, 403, 404, 429, ...errors].includes(received.status)) {
    return `${id}: status ${received.status} is not declared: ${received.text}`;
  }
  if (method === "HEAD") return undefined; // no answer to it has a body
  const bare = operation.bareErrors?.includes(received.status) === true;
  const wrong = wrongJson(bare ? z.union([errorBodySchema, z.string()]) : errorBodySchema, received);
  return wrong === undefined ? undefined : `${id}: ${received.status}: ${wrong} in the body ${received.text}`;
}

function wrongSuccess({ success }: Operation, received: Received): string | undefined {
  const { text, headers } = received;
  switch (success.kind) {
    case "json":
      return wrongJson(success.schema, received);
    case "empty":
      if (success.body === undefined) return text === "" ? undefined : "a body";
      return wrongJson(z.strictObject(exactly(success.body)), received);
    case "multipart":
      return isOfType(received, success.bundleMediaType ?? "") ? undefined : wrongForm(success.metadata, received);
    case "text":
      return isOfType(received, "text/plain") ? undefined : notOfType(received);
    case "count":
      if (text !== "") return "a body";
      return /^\d+$/.test(headers["x-total-count"] ?? "") ? undefined : "no count";
    default:
      return success satisfies never;
  }
}

const exactly = (values: Readonly<Record<string, string>>): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, z.literal(value)]));

function wrongJson(schema: z.ZodType, received: Received): string | undefined {
  if (!isOfType(received, "application/json")) return notOfType(received);
  return received.json === undefined ? "no JSON" : schema.safeParse(received.json).error?.message;
}

/** Whole from the first boundary to the last one, with the metadata in it. */
function wrongForm(metadata: z.ZodType, received: Received): string | undefined {
  if (!isOfType(received, "multipart/form-data")) return notOfType(received);
  const [, boundary = "none"] = /boundary="?([^";]+)/.exec(received.headers["content-type"] ?? "") ?? [];
  const [before, ...parts] = received.text.split(`--${boundary}`);
  if (before !== "" || parts.pop()?.trim() !== "--") return "no whole form";
  const part = parts.find((one) => / name="metadata"/.test(one)) ?? "";
  return metadata.safeParse(parsed(part.slice(part.indexOf("\r\n\r\n")))).error?.message;
}

function isOfType({ headers }: Received, mediaType: string): boolean {
  return headers["content-type"]?.split(";", 1)[0] === mediaType;
}

function notOfType({ headers }: Received): string {
  return `the content type ${headers["content-type"] ?? "of none"}`;
}

/** A function's files and metadata as a deploy carries them. */
export function deployForm(
  metadata: unknown,
  files: Readonly<Record<string, string>>,
  order: "metadata first" | "files first" = "metadata first",
): FormData {
  const form = new FormData();
  if (order === "metadata first") form.append("metadata", JSON.stringify(metadata));
  for (const [path, content] of Object.entries(files)) form.append("file", new Blob([content]), path);
  if (order === "files first") form.append("metadata", JSON.stringify(metadata));
  return form;
}
