import { z } from "zod";
import { celString, ruled } from "../rules.ts";

/** Address ranges in CIDR form, of both families: their well-formedness, which are private, and one form for each however it is written. Pure. */

/** A range of addresses. */
interface Cidr {
  /** bits of an address */
  readonly width: 32 | 128;
  /** the first address of the range */
  readonly network: bigint;
  /** leading bits that all addresses of the range have in common */
  readonly prefix: number;
}

/** Ranges from which nobody reaches a database over the internet. */
const PRIVATE = [
  "10.0.0.0/8",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "::1/128",
  "fc00::/7",
  "fe80::/10",
] as const;

const LONGEST = 43; // 8 groups of 4 with colons, and /128

const formMessage = "write a range in CIDR form, such as 203.0.113.0/24, 203.0.113.7/32 (one address) or 2001:db8::/32";
const privateMessage = `write a public range: nobody reaches the database over the internet from ${PRIVATE.join(", ")}`;

/** A range from which the database may be reached. CEL's isCIDR and cidr: Kubernetes 1.31. */
export const publicCidr = ruled(z.string().describe("A range in CIDR form, IPv4 or IPv6.").max(LONGEST), [
  {
    // IPv4 within IPv6 would be two ways to write one range.
    cel: `isCIDR(self) && !(self.contains(':') && self.contains('.'))`,
    message: formMessage,
    holds: (text) => parseCidr(text) !== undefined,
  },
  {
    cel: `!isCIDR(self) || ![${PRIVATE.map(celString).join(", ")}].exists(range, cidr(range).containsCIDR(cidr(self)))`,
    message: privateMessage,
    holds: (text) => !isPrivateCidr(text),
  },
]);

function isPrivateCidr(text: string): boolean {
  const cidr = parseCidr(text);
  return cidr !== undefined && PRIVATE.some((range) => contains(parseCidr(range), cidr));
}

function contains(outer: Cidr | undefined, inner: Cidr): boolean {
  if (outer === undefined || outer.width !== inner.width || outer.prefix > inner.prefix) return false;
  return masked(inner.network, outer) === outer.network;
}

function masked(address: bigint, { width, prefix }: Pick<Cidr, "width" | "prefix">): bigint {
  const rest = BigInt(width - prefix);
  return (address >> rest) << rest;
}

/** A range taken apart; undefined for text that is none. Host bits are cleared. */
export function parseCidr(text: string): Cidr | undefined {
  const [, address = "", bits = ""] = /^([0-9A-Fa-f.:]+)\/(0|[1-9][0-9]{0,2})$/.exec(text) ?? [];
  const parsed = address.includes(":") ? parseV6(address) : parseV4(address);
  const width = address.includes(":") ? 128 : 32;
  const prefix = Number(bits);
  if (parsed === undefined || prefix > width) return undefined;
  return { width, prefix, network: masked(parsed, { width, prefix }) };
}

function parseV4(text: string): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256)) {
    return undefined;
  }
  return parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

const GROUPS = 8;

function parseV6(text: string): bigint | undefined {
  const [head = "", tail, ...more] = text.split("::");
  if (more.length > 0) return undefined;
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  if (before === undefined || after === undefined) return undefined;
  const missing = GROUPS - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...before, ...Array.from({ length: missing }, () => 0n), ...after];
  return groups.reduce((sum, group) => (sum << 16n) | group, 0n);
}

function groupsOf(text: string): readonly bigint[] | undefined {
  if (text === "") return [];
  const groups = text.split(":");
  return groups.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))
    ? groups.map((group) => BigInt(`0x${group}`))
    : undefined;
}

/** One text for each range, however it is written: host bits cleared, IPv6 in its short form (RFC 5952). Text that is none stays as it is. */
export function normalCidr(text: string): string {
  const cidr = parseCidr(text.trim());
  if (cidr === undefined) return text;
  return `${cidr.width === 32 ? formatV4(cidr.network) : formatV6(cidr.network)}/${cidr.prefix}`;
}

function formatV4(address: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 0xffn).join(".");
}

function formatV6(address: bigint): string {
  const groups = Array.from({ length: GROUPS }, (_, index) => (address >> BigInt(16 * (7 - index))) & 0xffffn);
  const texts = groups.map((group) => group.toString(16));
  const longest = [...texts.join(":").matchAll(/(?<![0-9a-f])0(:0)+(?![0-9a-f])/g)].reduce<string>(
    (best, [run]) => (run.length > best.length ? run : best),
    "",
  );
  if (longest === "") return texts.join(":");
  const text = texts.join(":");
  const at = text.search(new RegExp(`(?<![0-9a-f])${longest}(?![0-9a-f])`));
  return `${text.slice(0, at).replace(/:$/, "")}::${text.slice(at + longest.length).replace(/^:/, "")}`;
}

/** Whether a range is of IPv6. */
export function isV6Cidr(text: string): boolean {
  return text.includes(":");
}
