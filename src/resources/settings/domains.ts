import { z } from "zod";
import { text } from "../fields.ts";
import { exactlyOne, type Rule, ruled } from "../rules.ts";
import { domainName, LONGEST_HOST } from "./hosts.ts";

const hostname = text("The host name that the project is to be reached by.", {
  max: LONGEST_HOST,
  pattern: `^${domainName}$`,
  message: "write a host name such as api.example.com, without scheme, port or path",
});

const absent = (what: string) =>
  z
    .literal(true)
    .describe(`true takes away the ${what} that there is. Removing the section leaves it as it is.`)
    .optional();

/** spec.customHostname. Source: facts.md §5, custom hostname machine. */
export const customHostnameSettings = ruled(
  z
    .object({ hostname: hostname.optional(), absent: absent("custom hostname") })
    .describe(
      "A host name of your own. Needs the add-on customDomain. The DNS records to create stand in status.customHostname.records; once they are found, " +
        "the hostname is put into service. Another hostname deletes the old one first, which serves no more even where the new one is refused.",
    ),
  [exactlyOne(["hostname", "absent"], "set exactly one of hostname and absent")],
);

/** spec.vanitySubdomain. Source: facts.md §2, vanity subdomain. */
export const vanitySubdomainSettings = ruled(
  z
    .object({
      name: text("The name below the platform's own domain, in lower case.", {
        max: 63,
        pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
        message: "write one label of a host name in lower case, such as shop: letters, digits and inner hyphens",
      }).optional(),
      absent: absent("vanity subdomain"),
    })
    .describe(
      "A name below the platform's own domain. Not together with a custom hostname, beside which the platform has none; needs a paid plan.",
    ),
  [exactlyOne(["name", "absent"], "set exactly one of name and absent")],
);

interface Named {
  readonly addons?: { readonly customDomain?: boolean | undefined } | undefined;
  readonly customHostname?: { readonly hostname?: string | undefined } | undefined;
  readonly vanitySubdomain?: { readonly name?: string | undefined } | undefined;
}

const isNamed = ({ customHostname }: Named): boolean => customHostname?.hostname !== undefined;

/** Rules of a spec with both sections: one takes away, or stands in the way of, what the other asks for. */
export const domainRules: readonly Rule<Named>[] = [
  {
    cel: "!has(self.addons) || !has(self.addons.customDomain) || self.addons.customDomain || !has(self.customHostname) || !has(self.customHostname.hostname)",
    message:
      "a custom hostname needs the add-on, without which it would be out of service: write customDomain: true, or customHostname.absent: true",
    fieldPath: ".addons.customDomain",
    holds: (spec) => spec.addons?.customDomain !== false || !isNamed(spec),
  },
  {
    cel: "!has(self.vanitySubdomain) || !has(self.vanitySubdomain.name) || !has(self.customHostname) || !has(self.customHostname.hostname)",
    message: "the platform has no vanity subdomain beside a custom hostname: remove vanitySubdomain or customHostname",
    fieldPath: ".vanitySubdomain",
    holds: (spec) => spec.vanitySubdomain?.name === undefined || !isNamed(spec),
  },
];
