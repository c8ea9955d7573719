import { z } from "zod";
import { celString } from "../rules.ts";
import { isSameWire, setting } from "./setting.ts";

/** Names of hosts, as specs have them: their forms, and the builder of a setting that is one. */

const label = "[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?";
/** The last label begins with a letter: what ends in a number is an address, or nothing. */
const lastLabel = "[A-Za-z]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?";

/** A name of several labels. */
export const domainName = `(${label}[.])+${lastLabel}`;
/** A name of any number of labels, such as localhost. */
export const hostName = `(${label}[.])*${lastLabel}`;

const byte = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const ipV6 = "[0-9A-Fa-f]{0,4}(:[0-9A-Fa-f]{0,4}){2,7}";
/** An address in the place of a name; of IPv6 its characters and groups alone. */
export const ipAddress = `(${byte}[.]){3}${byte}|${ipV6}`;

/** Longest name that DNS has, characters. */
export const LONGEST_HOST = 253;

interface Host {
  /** a regular expression that means the same to JavaScript and RE2 */
  readonly form: string;
  /** what to write instead */
  readonly message: string;
}

/** The name of a host, which may come back in lower case and without blanks around it. The empty text unsets it. */
export function host(wire: string, description: string, { form, message }: Host): z.ZodOptional<z.ZodString> {
  const pattern = `^(${form})?$`;
  const expression = new RegExp(pattern);
  const schema = z
    .string()
    .refine((value) => value.length <= LONGEST_HOST && expression.test(value), message)
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
