import { expect, it } from "vitest";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";

const NAMES = ["localhost:1", "LOCALHOST.", "127.0.0.1", "127.8.9.10:80", "[::1]:80", "0.0.0.0:80", "[::]"];
const OTHERS = [
  "evil.test",
  "localhost.evil.test",
  "127.0.0.1.evil.test",
  "evil.test#localhost",
  "evil.test:80\\@localhost",
  "203.0.113.1",
  "[::2]",
  "localhost:80:80",
  "",
];

/** A web page has the name under which it asks; one that leads here must be none that a page can have. */
it.each([...NAMES.map((host) => ({ host, status: 200 })), ...OTHERS.map((host) => ({ host, status: 403 }))])(
  "a control call to $host: $status",
  async ({ host, status }) => {
    await using under = await emulatorUnderTest();
    const called = await under.call("POST", "/_emulator/time.read", { body: {}, headers: { host } });
    expect(called.status).toBe(status);
  },
);

it.each(["0.0.0.0", "::"])(
  "an emulator that listens on %s takes control calls at the address it tells",
  async (host) => {
    await using under = await emulatorUnderTest({ host });
    expect((await under.call("POST", "/_emulator/time.read", { body: {} })).status).toBe(200);
  },
);
