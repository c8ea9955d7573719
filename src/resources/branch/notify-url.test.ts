import { describe, expect, it } from "vitest";
import { z } from "zod";
import { notifyUrl } from "./notify-url.ts";

/** As the request has it. */
const sent = z.url();

describe("notifyUrl", () => {
  it.each([
    "https://hooks.example.com",
    "http://localhost:8080/x?y#z",
    "https://10.0.0.1:65535/",
    "https://[2001:db8::1]/x",
    "https://münchen.example/x",
    "https://EXAMPLE.com.",
  ])("takes %s, as the request does", (url) => {
    expect(notifyUrl.safeParse(url).success).toBe(true);
    expect(sent.safeParse(url).success).toBe(true);
  });

  it.each([
    "https://:80",
    "https://example.com:99999/",
    "https://a|b",
    "https://a<b",
    "https://%zz",
    "https://1.2.3.4.5",
    "https://example.256",
    "https://[::1",
    "https://[:::]/",
    "https://user@example.com",
    "ftp://example.com",
    "example.com",
  ])("refuses %s, and says what to write", (url) => {
    const { error } = notifyUrl.safeParse(url);
    expect(error?.issues.map(({ message }) => message)).toContain(
      "write a URL such as https://hooks.example.com/branches, with a port up to 65535 or none, without user name or blanks",
    );
  });
});
