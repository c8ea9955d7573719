import { z } from "zod";

/** Custom hostnames, vanity subdomains, and what the world's name servers answer. */

/** The steps of a custom hostname that the strict machine of facts.md §5 shows. */
export const HOSTNAME_STEPS = ["2_initiated", "4_origin_setup_completed", "5_services_reconfigured"] as const;

export const customHostnameRecordSchema = z
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
export type CustomHostnameRecord = z.output<typeof customHostnameRecordSchema>;

/** Texts that a name server answers for a name, under the name in lower case. */
export const dnsRecordSchema = z.array(z.string()).readonly();

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
