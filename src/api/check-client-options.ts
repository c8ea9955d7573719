import { z } from "zod";
import { issueLines, issueWords } from "../base/schema-words.ts";
import type { ClientLimits, ClientSettings } from "./client-options.ts";

/**
 * Whether the options of a client are what their types say, which JavaScript does not ask: a limit whose name is misspelled would leave the
 * default in its place, and a pacer that is none would fail in the middle of the first call.
 */

const above0 = z.custom<number>((value) => typeof value === "number" && value > 0, "expected a number above 0");
const notBelow0 = z.custom<number>(
  (value) => typeof value === "number" && value >= 0,
  "expected a number of 0 or more",
);

const limits = z.strictObject({
  deadlineMs: above0.optional(),
  uploadDeadlineMs: above0.optional(),
  attemptMs: above0.optional(),
  maxWaitMs: notBelow0.optional(),
  maxResponseBytes: above0.optional(),
  connections: z.int().min(1).optional(),
} satisfies Record<keyof ClientLimits, z.ZodType>);

const settings = {
  pacer: having("a Pacer", "acquire").optional(),
  clock: having("a Clock", "now", "monotonic", "setTimer").optional(),
  random: z.custom<unknown>(isFunction, "expected a function").optional(),
  log: having("a Logger", "trace", "debug", "info", "warn", "error", "child").optional(),
  meter: having("a Meter", "counter", "gauge", "observableGauge", "histogram").optional(),
  tracer: having("a Tracer", "root", "child").optional(),
  limits: limits.optional(),
  mayStart: z.custom<unknown>(isFunction, "expected a function").optional(),
  ca: z.string().optional(),
  proxy: z
    .strictObject({
      httpsProxy: z.string().optional(),
      httpProxy: z.string().optional(),
      noProxy: z.string().optional(),
    })
    .optional(),
  dispatcher: having("a Dispatcher", "dispatch").optional(),
  userAgent: z.string().min(1).optional(),
} satisfies Record<keyof ClientSettings, z.ZodType>;

/** As `process.env["…"] ?? ""` gives one that is not set. */
const EMPTY_TOKEN = "is empty: set the variable that it is read from, or write an access token";

const optionsSchema = z.strictObject({
  ...settings,
  /** has an error of its own: BaseUrlError */
  baseUrl: z.unknown(),
  token: z.string().min(1, EMPTY_TOKEN).optional(),
  credentials: having("Credentials", "token", "onRejected").optional(),
});

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

/** Something that has methods, whoever made it. */
function having(what: string, ...methods: readonly string[]): z.ZodType {
  return z.custom<unknown>(
    (value) =>
      typeof value === "object" && value !== null && methods.every((name) => isFunction(Reflect.get(value, name))),
    `expected ${what}, with ${methods.join(", ")}`,
  );
}

/** @throws TypeError naming the option, never a value */
export function checkClientOptions(options: unknown): void {
  const [wrong] = issueLines(optionsSchema.safeParse(options, { error: issueWords }).error?.issues ?? []);
  if (wrong !== undefined) throw new TypeError(`createClient: ${wrong}`);
}
