import { afterEach } from "vitest";
import { seededRandom } from "../../../src/base/random.ts";
import type { ClientSettings } from "../../../src/api/client-options.ts";
import { createClient } from "../../../src/api/client.ts";
import type { ApiClient } from "../../../src/api/client.ts";
import type { Credentials } from "../../../src/api/credentials/credentials.ts";
import { PersonalToken } from "../../../src/api/credentials/personal-token.ts";
import { isApiError } from "../../../src/api/errors.ts";
import type { ApiError } from "../../../src/api/errors.ts";
import { startScriptedServer } from "./scripted-server.ts";
import type { Arrival, Reply, ScriptedServer } from "./scripted-server.ts";

/** The token that test clients send. */
export const TEST_TOKEN = "test-token-0123456789";
/** Whose token it is. */
export const TEST_PROFILE = { auth_id: "u1", primary_email: "ada@example.com", username: "ada" };

/** What a test may say of a client: anything, and credentials where it is about them. */
export interface TestClientOptions extends ClientSettings {
  readonly baseUrl?: string;
  readonly credentials?: Credentials;
}

/** A client of a loopback server, quiet, that waits for budget as the operator's does; closed by the caller. */
export function testClient(url: string, overrides: TestClientOptions = {}): ApiClient {
  return createClient({
    baseUrl: url,
    credentials: new PersonalToken(TEST_TOKEN),
    random: seededRandom(1),
    ...overrides,
    limits: { maxWaitMs: 1000, ...overrides.limits },
  });
}

export interface ScriptedClient {
  readonly client: ApiClient;
  readonly server: ScriptedServer;
  /** what arrived, look-ups of the profile left out */
  readonly calls: () => readonly Arrival[];
}

/**
 * Call in a test file: gives a function that starts a server and a client of it, both ended after each test. The server knows the
 * profile, unless `options.profile` says otherwise, and answers the rest by the script.
 */
export function scriptedClients(): (
  script: (arrival: Arrival, nth: number) => Reply,
  options?: TestClientOptions & { readonly profile?: (arrival: Arrival, nth: number) => Reply },
) => Promise<ScriptedClient> {
  const started: ScriptedClient[] = [];
  afterEach(async () => {
    for (const { client, server } of started.splice(0)) {
      await client.close();
      await server.stop();
    }
  });
  return async (script, { profile = () => ({ status: 200, body: TEST_PROFILE }), ...options } = {}) => {
    const isProfile = ({ url }: Arrival): boolean => url === "/v1/profile";
    const server = await startScriptedServer((arrival, nth) => (isProfile(arrival) ? profile : script)(arrival, nth));
    const calls = (): readonly Arrival[] => server.arrivals.filter((arrival) => !isProfile(arrival));
    const one = { client: testClient(server.url, options), server, calls };
    started.push(one);
    return one;
  };
}

/** The ApiError with which a call is expected to fail. */
export async function failureOf(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isApiError(error)) throw new Error("expected an ApiError", { cause: error });
  return error;
}

export const TEST_REF = "abcdefghijklmnopqrst";
/** A project as the platform answers it. */
export const TEST_PROJECT = {
  id: TEST_REF,
  ref: TEST_REF,
  organization_slug: "acme",
  name: "shop",
  region: "us-east-1",
  created_at: "2026-01-01T00:00:00Z",
  status: "ACTIVE_HEALTHY",
};
/** A secret value, as in the next input. */
export const TEST_SECRET = "s3cr3t-database-password";
export const TEST_CREATE = { body: { db_pass: TEST_SECRET, name: "shop", organization_slug: "acme" } } as const;
