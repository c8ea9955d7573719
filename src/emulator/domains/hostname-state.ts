import { z } from "zod";

/** Custom hostnames, vanity subdomains, and what the world's name servers answer. */

/** The steps of a custom hostname that the strict machine of facts.md §5 shows. */
const HOSTNAME_STEPS = ["2_initiated", "4_origin_setup_completed", "5_services_reconfigured"] as const;

const customHostnameRecord = z
  .strictObject({
    id: z.string(),
    /** lower case */
    hostname: z.string(),
    status: z.enum(HOSTNAME_STEPS),
    /** the TXT record that proves who owns the name */
    ownership: z.strictObject({ name: z.string(), value: z.string() }).readonly(),
    /** the TXT record by which the certificate is issued */
    certificate: z.strictObject({ name: z.string(), value: z.string() }).readonly(),
    /** what the last verification missed, in words */
    missing: z.array(z.string()).readonly(),
  })
  .readonly();
export type CustomHostnameRecord = z.output<typeof customHostnameRecord>;
/** null: none */
export const customHostnames = {
  name: "customHostnames",
  row: customHostnameRecord.nullable(),
  default: null,
} as const;

/** A name in lower case, under the platform's domain; null: none. */
export const vanitySubdomains = { name: "vanitySubdomains", row: z.string().nullable(), default: null } as const;

/** What name servers know of a name, under the name in lower case. */
const dnsRecord = z
  .strictObject({
    texts: z.array(z.string()).readonly(),
    /** the owner of the name sets whatever record somebody asks for, also under it */
    obeys: z.boolean(),
    /** nobody answers for the name nor for what is under it */
    silent: z.boolean().optional(),
  })
  .readonly();
export const dns = { name: "dns", row: dnsRecord } as const;

/** Names under the platform's domain that are nobody's vanity subdomain. */
export const RESERVED_SUBDOMAINS: ReadonlySet<string> = new Set([
  "www",
  "api",
  "app",
  "admin",
  "auth",
  "dashboard",
  "db",
  "docs",
  "mail",
  "status",
  "support",
]);
