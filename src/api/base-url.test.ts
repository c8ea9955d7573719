import { describe, expect, test } from "vitest";
import { BaseUrlError, parseBaseUrl } from "./base-url.ts";

describe("accepted", () => {
  const cases: readonly { readonly text: string; readonly href: string; readonly why: string }[] = [
    { text: "https://api.example.com", href: "https://api.example.com", why: "the usual form" },
    { text: "https://API.Example.com:443///", href: "https://api.example.com", why: "the same written otherwise" },
    { text: "https://gateway.example/platform/", href: "https://gateway.example/platform", why: "behind a path" },
    { text: "https://gateway.example/v10", href: "https://gateway.example/v10", why: "no version of the API" },
    { text: "https://gateway.example/v1/api", href: "https://gateway.example/v1/api", why: "a gateway's own version" },
    { text: "http://127.0.0.1:8787", href: "http://127.0.0.1:8787", why: "loopback" },
    { text: "http://127.9.8.7", href: "http://127.9.8.7", why: "all of 127.0.0.0/8 is loopback" },
    { text: "http://2130706433/", href: "http://127.0.0.1", why: "127.0.0.1 as one number" },
    { text: "http://[::1]:80/", href: "http://[::1]", why: "loopback, IPv6" },
    { text: "http://localhost:3000/", href: "http://localhost:3000", why: "loopback by name" },
  ];
  test.each(cases)("$text, $why", ({ text, href }) => {
    expect(parseBaseUrl(text).href).toBe(href);
  });

  test("origin and prefix are told apart", () => {
    expect(parseBaseUrl("https://gateway.example:8443/a/b/")).toEqual({
      origin: "https://gateway.example:8443",
      prefix: "/a/b",
      href: "https://gateway.example:8443/a/b",
    });
  });
});

describe("refused", () => {
  const cases: readonly { readonly text: string; readonly says: RegExp }[] = [
    { text: "", says: /not a URL/ },
    { text: "api.example.com", says: /not a URL/ },
    { text: "ftp://api.example.com", says: /must begin with https/ },
    { text: "http://api.example.com", says: /loopback addresses only/ },
    { text: "http://10.0.0.1", says: /loopback addresses only/ },
    { text: "http://127.0.0.1.example.com", says: /loopback addresses only/ },
    { text: "http://localhost.example.com", says: /loopback addresses only/ },
    { text: "http://[::2]", says: /loopback addresses only/ },
    { text: "https://ada:hunter2@api.example.com", says: /user name or password/ },
    { text: "https://api.example.com/?a=b", says: /query or fragment/ },
    { text: "https://api.example.com/#", says: /query or fragment/ },
    { text: "https://api.example.com/v1", says: /must not end in \/v1: drop it/ },
    { text: "http://127.0.0.1:8787/v1/", says: /must not end in \/v1: drop it/ },
    { text: "https://gateway.example/platform/v2", says: /must not end in \/v2: drop it/ },
  ];
  test.each(cases)("$text", ({ text, says }) => {
    expect(() => parseBaseUrl(text)).toThrow(BaseUrlError);
    expect(() => parseBaseUrl(text)).toThrow(says);
    expect(() => parseBaseUrl(text)).not.toThrow(/hunter2/);
  });
});
