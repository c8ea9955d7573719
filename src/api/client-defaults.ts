import { systemClock } from "../base/clock.ts";
import { silentLogger } from "../base/log.ts";
import { silentMeter } from "../base/meter.ts";
import { systemRandom } from "../base/random.ts";
import { silentTracer } from "../base/tracer.ts";
import { DEFAULT_LIMITS } from "./client-options.ts";
import type { ClientLimits, ClientOptions, ClientSettings } from "./client-options.ts";
import type { Credentials } from "./credentials/credentials.ts";
import { PersonalToken } from "./credentials/personal-token.ts";
import { Pacer } from "./pacing/pacer.ts";

type FilledSettings = Required<
  Pick<ClientSettings, "clock" | "random" | "log" | "meter" | "tracer" | "pacer" | "mayStart" | "userAgent">
>;

/** Everything that a client stands on, whether its maker gave it or not. */
export interface ClientParts extends FilledSettings {
  readonly credentials: Credentials;
  /** the pacer is nobody else's and ends with the client */
  readonly ownsPacer: boolean;
  readonly limits: Required<ClientLimits>;
}

/**
 * Fills in what a client was not told, so that a program without Kubernetes needs a base URL and a token only.
 *
 * @throws TypeError unless there is exactly one of token and credentials, as the type says
 */
export function withDefaults(options: ClientOptions): ClientParts {
  const { clock = systemClock, random = systemRandom, log = silentLogger, meter = silentMeter } = options;
  return {
    credentials: credentialsOf(options),
    clock,
    random,
    log,
    meter,
    tracer: options.tracer ?? silentTracer,
    pacer: options.pacer ?? new Pacer({ clock, random, meter }),
    ownsPacer: options.pacer === undefined,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    mayStart: options.mayStart ?? (() => true),
    userAgent: options.userAgent ?? "baas-operator",
  };
}

/** JavaScript may have given both or none. */
function credentialsOf({ token, credentials }: { token?: string; credentials?: Credentials }): Credentials {
  if (token !== undefined && credentials === undefined) return new PersonalToken(token);
  if (credentials !== undefined && token === undefined) return credentials;
  throw new TypeError("createClient: give exactly one of token and credentials");
}
