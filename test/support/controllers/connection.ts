import { createClient } from "../../../src/api/client.ts";
import { PersonalToken } from "../../../src/api/credentials/personal-token.ts";
import { Pacer } from "../../../src/api/pacing/pacer.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { ManualClock } from "../../../src/base/manual-clock.ts";
import { silentMeter } from "../../../src/base/meter.ts";
import { seededRandom } from "../../../src/base/random.ts";
import type { Session } from "../../../src/controllers/shared/sessions.ts";

/** A connection `default` of a namespace that works, to a server that nobody listens on: for tests that ask it nothing. */
export function connectionOf(namespace: string, parts: Partial<Session> = {}): Session {
  const clock = new ManualClock();
  const random = seededRandom(3);
  const server = "http://127.0.0.1:1";
  return {
    id: `Connection/${namespace}/default`,
    kind: "Connection",
    name: "default",
    generation: 1,
    client: createClient({
      baseUrl: server,
      credentials: new PersonalToken("token"),
      pacer: new Pacer({ clock, random, meter: silentMeter }),
      clock,
      random,
      log: silentLogger,
      meter: silentMeter,
    }),
    server,
    account: "account",
    defaults: undefined,
    reservedSecretPrefix: "PLATFORM_",
    allowedOrganizations: undefined,
    allowedRefs: undefined,
    deletionOnly: false,
    ...parts,
  };
}
