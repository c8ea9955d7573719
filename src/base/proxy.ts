import { BlockList, isIP } from "node:net";

/** Proxies as the environment of a process names them, which src/main.ts alone reads; empty strings count as absent. */
export interface ProxySettings {
  /** For https: servers (HTTPS_PROXY). */
  readonly httpsProxy?: string | undefined;
  /** For http: servers (HTTP_PROXY). */
  readonly httpProxy?: string | undefined;
  /** Servers that are reached directly (NO_PROXY): names, suffixes, addresses, CIDR ranges, each with or without a port, or "*". */
  readonly noProxy?: string | undefined;
}

/**
 * The proxy through which `server` is reached, or undefined for directly.
 *
 * NO_PROXY reads as Go's programs read it, since one value serves a whole cluster: `example.com` and `.example.com` hold for
 * subdomains too (the latter for those alone), `10.0.0.0/8` for addresses within, and loopback is never proxied.
 */
export function proxyFor(server: URL, settings: ProxySettings): string | undefined {
  const proxy = server.protocol === "https:" ? settings.httpsProxy : settings.httpProxy;
  if (proxy === undefined || proxy === "") return undefined;
  const host = hostOf(server);
  if (isLoopbackHost(host)) return undefined;
  const port = server.port === "" ? defaultPort(server) : server.port;
  const entries = (settings.noProxy ?? "").split(/[\s,]+/).filter((entry) => entry !== "");
  return entries.some((entry) => bypasses(entry.toLowerCase(), host, port)) ? undefined : proxy;
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Whether a host, as `hostOf` gives it, is this machine itself: localhost, 127.0.0.0/8 (also as an IPv6 address) or ::1. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || isIn(loopback, host);
}

/** The host of a URL in lower case, without the brackets of an IPv6 address and the final dot of a name. */
export function hostOf(url: URL): string {
  return url.hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/(.)\.$/, "$1");
}

function defaultPort(url: URL): string {
  return url.protocol === "https:" ? "443" : "80";
}

function bypasses(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  const [range, prefix] = entry.split("/");
  if (range !== undefined && prefix !== undefined) return inRange(host, range, Number(prefix));
  const { name, entryPort } = splitPort(entry);
  if (entryPort !== undefined && entryPort !== port) return false;
  if (isIP(name) !== 0) return name === host;
  const suffix = name.replace(/^\*?\./, "").replace(/\.$/, "");
  if (host.endsWith(`.${suffix}`)) return true;
  return host === suffix && !/^\*?\./.test(name);
}

function splitPort(entry: string): { readonly name: string; readonly entryPort?: string } {
  const bracketed = /^\[(.+)\](?::(\d+))?$/.exec(entry);
  const matched = bracketed ?? (isIP(entry) === 6 ? null : /^([^:]+):(\d+)$/.exec(entry));
  const name = matched?.[1];
  if (name === undefined) return { name: entry };
  const entryPort = matched?.[2];
  return entryPort === undefined ? { name } : { name, entryPort };
}

function inRange(host: string, range: string, prefix: number): boolean {
  const family = isIP(range);
  const widest = family === 4 ? 32 : 128;
  if (family === 0 || isIP(host) !== family || !Number.isInteger(prefix) || prefix < 0 || prefix > widest) return false;
  const list = new BlockList();
  list.addSubnet(range, prefix, family === 4 ? "ipv4" : "ipv6");
  return isIn(list, host);
}

function isIn(list: BlockList, host: string): boolean {
  const family = isIP(host);
  return family !== 0 && list.check(host, family === 4 ? "ipv4" : "ipv6");
}
