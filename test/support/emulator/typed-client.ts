import type { ApiClient } from "../../../src/api/client.ts";
import { PersonalToken } from "../../../src/api/credentials/personal-token.ts";
import { testClient } from "../api-server/test-client.ts";
import { type EmulatorUnderTest, TOKEN } from "./api.ts";

/** A typed client of an emulator, on its clock; ends with the test that says `await using`. */
export function typedClient(under: EmulatorUnderTest, token: string = TOKEN): ApiClient & AsyncDisposable {
  const client = testClient(under.emulator.url, { clock: under.clock, credentials: new PersonalToken(token) });
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}
