import { describe, expect, it } from "vitest";
import { isLoopback } from "./routes.ts";

describe("the loopback check", () => {
  it.each([
    ["127.0.0.1", true],
    ["127.8.9.10", true],
    ["::1", true],
    ["[::1]", true],
    ["::ffff:127.0.0.1", true],
    ["localhost", true],
    ["10.0.0.1", false],
    ["0.0.0.0", false],
    ["::", false],
    ["127.0.0.1.example.test", false],
    ["::ffff:192.168.0.1", false],
    ["", false],
  ])("takes %s for local: %s", (host, local) => {
    expect(isLoopback(host)).toBe(local);
  });
});
