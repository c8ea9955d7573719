import { z } from "zod";
import { slugSchema } from "../api/contract/fields.ts";
import { issueLines, issueWords } from "../base/schema-words.ts";
import { tokenText } from "./access/token-text.ts";
import { settingsSchema, timingsSchema } from "./state/settings.ts";

/** Whether the options of an emulator are what their types say, which JavaScript does not ask. The seed has its own schema (state/seed.ts). */

const has = (what: string, ...methods: readonly string[]): z.ZodType =>
  z.custom<unknown>(
    (value) =>
      typeof value === "object" &&
      value !== null &&
      methods.every((name) => typeof Reflect.get(value, name) === "function"),
    `expected ${what}, with ${methods.join(", ")}`,
  );

/** One schema for each option. */
export const optionShape = {
  host: z.string().min(1).optional(),
  port: z.int().min(0).max(65_535).optional(),
  tokens: z.array(tokenText).optional(),
  org: slugSchema.optional(),
  clock: has("a Clock", "now", "monotonic", "setTimer").optional(),
  random: z.custom<unknown>((value) => typeof value === "function", "expected a function").optional(),
  speed: settingsSchema.shape.speed.optional(),
  timings: timingsSchema.partial().optional(),
  seed: z.unknown().optional(),
  log: has("a Logger", "debug", "info", "warn", "error").optional(),
  dataDir: z.string().min(1).optional(),
  limits: settingsSchema.pick({ requestsPerMinute: true, retryAfter: true }).partial().optional(),
} as const;

/** @throws TypeError naming the option, never a token */
export function checkOptions(options: unknown, shape: Readonly<Record<string, z.ZodType>>): void {
  const [wrong] = issueLines(z.strictObject(shape).safeParse(options, { error: issueWords }).error?.issues ?? []);
  if (wrong !== undefined) throw new TypeError(`startEmulator: ${wrong}`);
}

/** Nobody could call: no token was given, and neither the seed nor the data folder has one. */
export class NoTokenError extends Error {
  readonly code = "NO_TOKEN";

  constructor() {
    super("tokens: expected at least one, here, in the seed or in the data folder");
    this.name = "NoTokenError";
  }
}
