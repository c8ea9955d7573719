import { z } from "zod";
import { celString } from "../rules.ts";
import { octet } from "../url-forms.ts";
import { isSameWire, setting } from "./setting.ts";

/** Names of hosts, as specs have them: their forms, and the builder of a setting that is one. */

const label = "[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?";
/** The last label begins with a letter: what ends in a number is an address, or nothing. */
const lastLabel = "[A-Za-z]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?";

/** A name of several labels. */
export const domainName = `(${label}[.])+${lastLabel}`;
/** A name of any number of labels, such as localhost. */
export const hostName = `(${label}[.])*${lastLabel}`;

/** A name that resolvers look up: an absolute one ends in a dot, and networks of one's own have underscores in theirs. */
export const serverName =
  "([A-Za-z0-9_]([-A-Za-z0-9_]{0,61}[A-Za-z0-9_])?[.])*[A-Za-z_]([-A-Za-z0-9_]{0,61}[A-Za-z0-9_])?[.]?";

const ipV4 = `(${octet}[.]){3}${octet}`;
const group = "[0-9A-Fa-f]{0,4}";
/** Of a mapped address the last two groups are one of IPv4. */
const ipV6 = `${group}(:${group}){2,7}|${group}(:${group}){1,5}:${ipV4}`;
/** An address in the place of a name; of IPv6 its characters and groups alone. */
export const ipAddress = `${ipV4}|${ipV6}`;

/** Longest name that DNS has, characters. */
export const LONGEST_HOST = 253;

interface Host {
  /** a regular expression that means the same to JavaScript and RE2 */
  readonly form: string;
  /** what to write instead */
  readonly message: string;
}

/**
 * The name of a host, which may come back in lower case and without blanks around it. The empty text unsets it. Its form is asked for at apply alone: what was
 * stored before that is read, for the platform takes it, and a section that is refused has no drift repaired and no password rotated.
 */
export function host(wire: string, description: string, { form, message }: Host): z.ZodOptional<z.ZodString> {
  const pattern = `^(${form})?$`;
  const schema = z
    .string()
    .refine((value) => value.length <= LONGEST_HOST, message)
    .meta({
      description,
      maxLength: LONGEST_HOST,
      pattern,
      "x-kubernetes-validations": [{ rule: `self.matches(${celString(pattern)})`, message }],
    });
  const normal = <Value>(value: Value) => (typeof value === "string" ? value.trim().toLowerCase() : value);
  return setting(schema, {
    wire,
    source: "spec",
    encode: (value) => schema.parse(value) || null,
    isSame: (wanted, observed) => isSameWire(normal(wanted), normal(observed)),
  });
}
