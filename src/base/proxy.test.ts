import { describe, expect, it } from "vitest";
import { isLoopbackHost, proxyFor } from "./proxy.ts";

const httpsProxy = "http://proxy.corp:3128";

describe("proxyFor", () => {
  it.each([
    { server: "https://10.96.0.1", noProxy: "", direct: false, why: "nothing is excepted" },
    {
      server: "https://10.96.0.1",
      noProxy: "10.0.0.0/8,.svc",
      direct: true,
      why: "a CIDR range holds the service address of the apiserver",
    },
    { server: "https://11.96.0.1", noProxy: "10.0.0.0/8", direct: false, why: "outside of the range" },
    { server: "https://[fd00::1]:6443", noProxy: "fd00::/8", direct: true, why: "IPv6 ranges" },
    { server: "https://[fd00::1]:6443", noProxy: "fd00::1", direct: true, why: "an IPv6 address alone has no port" },
    { server: "https://[fd00::1]:6443", noProxy: "[fd00::1]:443", direct: false, why: "another port" },
    { server: "https://10.96.0.1", noProxy: "10.96.0.1", direct: true, why: "the address itself" },
    { server: "https://10.96.0.10", noProxy: "10.96.0.1", direct: false, why: "addresses have no suffixes" },
    {
      server: "https://api.corp.example",
      noProxy: "corp.example",
      direct: true,
      why: "a name holds for its subdomains",
    },
    { server: "https://corp.example", noProxy: "corp.example", direct: true, why: "and for itself" },
    {
      server: "https://corp.example",
      noProxy: ".corp.example",
      direct: false,
      why: "a leading dot means subdomains alone",
    },
    { server: "https://api.corp.example", noProxy: ".corp.example", direct: true, why: "which this is" },
    {
      server: "https://api.corp.example",
      noProxy: "*.corp.example",
      direct: true,
      why: "some write a star before the dot",
    },
    { server: "https://evilcorp.example", noProxy: "corp.example", direct: false, why: "a suffix begins at a dot" },
    {
      server: "https://API.Corp.Example.",
      noProxy: "corp.EXAMPLE",
      direct: true,
      why: "case and the final dot do not matter",
    },
    { server: "https://api.corp:6443", noProxy: "api.corp:6443", direct: true, why: "with the port of the server" },
    { server: "https://api.corp:6443", noProxy: "api.corp:443", direct: false, why: "another port" },
    { server: "https://api.corp", noProxy: "api.corp:443", direct: true, why: "the port that https: means" },
    { server: "https://api.corp", noProxy: "a.b, *", direct: true, why: "a star excepts everything" },
    { server: "https://api.corp", noProxy: " api.corp \t other", direct: true, why: "blanks separate as commas do" },
    { server: "https://api.corp", noProxy: "10.0.0.0/99", direct: false, why: "an ill-formed range matches nothing" },
    { server: "https://127.0.0.1:6443", noProxy: "", direct: true, why: "loopback is never proxied" },
    { server: "https://[::1]:6443", noProxy: "", direct: true, why: "loopback is never proxied" },
    { server: "https://localhost:6443", noProxy: "", direct: true, why: "loopback is never proxied" },
  ])("$server with NO_PROXY=$noProxy goes directly: $direct ($why)", ({ server, noProxy, direct }) => {
    expect(proxyFor(new URL(server), { httpsProxy, noProxy })).toBe(direct ? undefined : httpsProxy);
  });

  it("chooses by the scheme of the server", () => {
    const settings = { httpsProxy, httpProxy: "http://other:80" };
    expect(proxyFor(new URL("http://api.corp"), settings)).toBe("http://other:80");
    expect(proxyFor(new URL("http://api.corp"), { httpsProxy })).toBeUndefined();
    expect(proxyFor(new URL("https://api.corp"), { httpsProxy: "" })).toBeUndefined();
  });
});

describe("isLoopbackHost", () => {
  it.each([
    { host: "localhost", loopback: true, why: "by its name" },
    { host: "127.0.0.1", loopback: true, why: "the usual address" },
    { host: "127.8.9.10", loopback: true, why: "all of 127.0.0.0/8" },
    { host: "::1", loopback: true, why: "IPv6" },
    { host: "::ffff:127.0.0.1", loopback: true, why: "an IPv4 peer of a dual-stack socket" },
    { host: "::ffff:10.0.0.1", loopback: false, why: "such a peer from elsewhere" },
    { host: "0.0.0.0", loopback: false, why: "every interface" },
    { host: "::", loopback: false, why: "every interface, IPv6" },
    { host: "localhost.evil.example", loopback: false, why: "a name that only begins so" },
    { host: "127.evil.example", loopback: false, why: "no address at all" },
    { host: "", loopback: false, why: "nothing" },
  ])("$host: $loopback ($why)", ({ host, loopback }) => {
    expect(isLoopbackHost(host)).toBe(loopback);
  });
});
