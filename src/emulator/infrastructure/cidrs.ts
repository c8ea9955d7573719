import ipaddr from "ipaddr.js";
import { badRequest } from "../failure.ts";

/** Address ranges in the form in which the service keeps them. What comes in was checked to be CIDR by the contract. */

/** Each range once, host bits cleared, IPv6 in its short form, in the order of the addresses. */
export function normalCidrs(cidrs: readonly string[]): readonly string[] {
  const byKey = new Map(cidrs.map((cidr) => [orderKey(cidr), normalCidr(cidr)]));
  return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, cidr]) => cidr);
}

function normalCidr(cidr: string): string {
  return `${networkOf(cidr).toString()}/${ipaddr.parseCIDR(cidr)[1]}`;
}

/** The same for every way to write one range, and in the order of the addresses. */
function orderKey(cidr: string): string {
  const bits = ipaddr.parseCIDR(cidr)[1];
  return Buffer.from([...networkOf(cidr).toByteArray(), bits]).toString("hex");
}

function networkOf(cidr: string): ipaddr.IPv4 | ipaddr.IPv6 {
  return isV6(cidr) ? ipaddr.IPv6.networkAddressFromCIDR(cidr) : ipaddr.IPv4.networkAddressFromCIDR(cidr);
}

function lastOf(cidr: string): ipaddr.IPv4 | ipaddr.IPv6 {
  return isV6(cidr) ? ipaddr.IPv6.broadcastAddressFromCIDR(cidr) : ipaddr.IPv4.broadcastAddressFromCIDR(cidr);
}

function isV6(cidr: string): boolean {
  return cidr.includes(":");
}

/** Whether a host is in a range; a name is in none, and an IPv4 address is the same one when it is written as IPv6. */
export function isWithin(cidr: string, host: string): boolean {
  if (!ipaddr.isValid(host)) return false;
  const address = ipaddr.process(host);
  return address.kind() === (isV6(cidr) ? "ipv6" : "ipv4") && address.match(ipaddr.parseCIDR(cidr));
}

/** Ranges from which nobody reaches a database over the internet. */
const PRIVATE: ReadonlySet<string> = new Set(["private", "uniqueLocal", "loopback", "linkLocal"]);

/** @throws ApiFailure 400 naming a range that lies within a private one @param field name of the list */
export function refusePrivate(cidrs: readonly string[], field: string): void {
  const found = cidrs.find((cidr) => PRIVATE.has(networkOf(cidr).range()) && PRIVATE.has(lastOf(cidr).range()));
  if (found !== undefined) throw badRequest(`${field}: expected public ranges, received the private one '${found}'`);
}
