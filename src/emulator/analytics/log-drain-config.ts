import { z } from "zod";
import { LOG_DRAIN_CONFIGS, type LogDrainBackend } from "../../api/contract/log-drains.ts";
import { hasUserForScheme, withoutPassword } from "../http/redact.ts";
import { isSecret } from "../../api/contract/secret-fields.ts";
import type { LogDrainConfigValue, LogDrainRecord } from "./log-drain-state.ts";
import { sha256 } from "../state/ids.ts";

/** "Header secrets come back as the literal `REDACTED`" (facts.md §2); the other secrets of a configuration do the same. */
const REDACTED = "REDACTED";

type Sealed = Pick<LogDrainRecord, "config" | "secretDigests">;

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/**
 * A configuration as it is kept: what the contract marks as secret is shown as REDACTED and remembered by its digest; of a URL, the
 * password within. What a client sends back as REDACTED is stored as that, like any other secret.
 *
 * @param config one that the form of the backend has accepted
 */
export function sealed(backend: LogDrainBackend, config: Readonly<Record<string, unknown>>): Sealed {
  const shown: Record<string, LogDrainConfigValue> = {};
  const secretDigests: Record<string, string> = {};
  const hide = (path: string, value: unknown): string => {
    secretDigests[path] = sha256(String(value));
    return REDACTED;
  };
  for (const [key, value] of Object.entries(config)) {
    if (isSecret(fieldOf(LOG_DRAIN_CONFIGS[backend], key))) shown[key] = hide(key, value);
    else if (typeof value === "object" && value !== null) {
      shown[key] = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hide(`${key}.${name}`, one)]));
    } else if (typeof value !== "string") shown[key] = scalar.parse(value);
    else shown[key] = hasUserForScheme(value) ? hide(key, value) : withoutPassword(value, REDACTED);
  }
  return { config: shown, secretDigests };
}

function fieldOf(form: z.ZodType, key: string): z.core.$ZodType | undefined {
  if (form instanceof z.ZodRecord) return form.valueType;
  if (!(form instanceof z.ZodObject)) return undefined;
  const fields: Readonly<Record<string, z.core.$ZodType>> = form.shape;
  return fields[key];
}
