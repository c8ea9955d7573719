import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { parseBaseUrl } from "../../api/base-url.ts";
import { connectionKind } from "../../resources/connection/kind.ts";

/** The definition of a Connection and the client read the same URLs: what only the client refuses was accepted by kubectl, and fails later. */

function read(baseUrl: string): { readonly ok: boolean; readonly message?: string } {
  return connectionKind.parse({
    apiVersion: "baas.dev/v1alpha1",
    kind: "Connection",
    metadata: { name: "default", namespace: "ns", uid: "u", resourceVersion: "1" },
    spec: { baseUrl, token: { secretRef: { name: "platform" } } },
  });
}

function isClients(baseUrl: string): boolean {
  try {
    parseBaseUrl(baseUrl);
    return true;
  } catch {
    return false;
  }
}

describe("refused by the definition, as by the client", () => {
  it.each([
    { baseUrl: "https://h.example/v1", says: "drop the /v1 or /v2 at its end" },
    { baseUrl: "https://h.example/v2", says: "drop the /v1 or /v2 at its end" },
    { baseUrl: "http://127.0.0.1:8787/v1/", says: "the paths of the API begin with it" },
    { baseUrl: "https://h.example/platform/V1//", says: "the paths of the API begin with it" },
    { baseUrl: "https://h:99999", says: "a port up to 65535" },
    { baseUrl: "http://localhost:99999", says: "a port up to 65535" },
    { baseUrl: "https://h:65536", says: "a port up to 65535" },
    { baseUrl: "https://h:abc", says: "a port up to 65535" },
    { baseUrl: "https://[::1", says: "such as https://api.example.com" },
    { baseUrl: "https://1.2.3.4.5", says: "such as https://api.example.com" },
    { baseUrl: "https://256.256.256.256", says: "such as https://api.example.com" },
    { baseUrl: "https://api.123", says: "such as https://api.example.com" },
    { baseUrl: "https://%zz", says: "such as https://api.example.com" },
    { baseUrl: "https://<h>", says: "such as https://api.example.com" },
    { baseUrl: "https://a|b", says: "such as https://api.example.com" },
    { baseUrl: "http://127.999.0.1:1", says: "http:// is accepted for localhost" },
  ])("$baseUrl", ({ baseUrl, says }) => {
    expect(isClients(baseUrl)).toBe(false);
    expect(read(baseUrl)).toMatchObject({ ok: false, message: expect.stringContaining(says) });
  });
});

describe("taken by both", () => {
  it.each([
    "https://api.example.com",
    "https://api.example.com.",
    "https://api.example.com:65535/platform/",
    "https://gateway.example/v10",
    "https://gateway.example/v1/api",
    "https://10.0.0.255:8443",
    "https://[2001:db8::1]:443",
    "https://bücher.example",
    "https://4ever",
    "https://a_b-c.internal",
    "http://127.255.0.1:0",
    "http://[::1]:8787/a",
  ])("%s", (baseUrl) => {
    expect(read(baseUrl)).toMatchObject({ ok: true });
    expect(() => parseBaseUrl(baseUrl)).not.toThrow();
  });
});

test("no URL of names, addresses, ports and paths is taken by the definition alone", () => {
  const number = fc.oneof(fc.nat(300), fc.nat(99_999)).map(String);
  const label = fc.oneof(number, fc.stringMatching(/^[a-z0-9<>^|%:[\]"'`~!-]{1,4}$/));
  const url = fc.record({
    scheme: fc.constantFrom("https://", "http://", "http://127.", "http://localhost"),
    labels: fc.array(label, { minLength: 1, maxLength: 5 }),
    port: fc.option(number, { nil: undefined }),
    path: fc.constantFrom("", "/", "/a", "/v1", "/v1/", "/a/v2", "/V2//", "/v1/a", "/v11"),
  });
  const property = fc.property(url, ({ scheme, labels, port, path }) => {
    const baseUrl = `${scheme}${labels.join(".")}${port === undefined ? "" : `:${port}`}${path}`;
    // A hexadecimal number is one that the pattern does not know as such; the connection's condition tells of it.
    fc.pre(!/(^|\.|\/)0x/iu.test(baseUrl));
    expect(read(baseUrl).ok && !isClients(baseUrl)).toBe(false);
  });
  fc.assert(property, { numRuns: 2000 });
});
