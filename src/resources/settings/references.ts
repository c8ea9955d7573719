import { z } from "zod";
import { text } from "../fields.ts";
import { exactlyOne, ruled } from "../rules.ts";
import { isSameWire, setting, type Wire } from "./setting.ts";

/** Builders of settings whose values lie in a Secret or may lie in a ConfigMap, as builders.ts has those of the spec itself. */

const LONGEST = 253;
const tooLong = `must have at most ${LONGEST} characters`;
const isShort = (value: string): boolean => value.length <= LONGEST;

/**
 * Names a key of a Secret or ConfigMap. There are so many of them that a definition keeps under 250 KiB only where each is short: what a name may be
 * is told in one rule, and of a key that is none the section says that it is not there.
 */
function keyRef(kind: "Secret" | "ConfigMap") {
  const message = `write the metadata.name of a ${kind} of this namespace`;
  // An RFC 1123 subdomain, as short as may be: letters and digits, with one dot or any hyphens between them.
  const pattern = "^[a-z0-9]+((-+|[.])[a-z0-9]+)*$";
  const matches = new RegExp(pattern);
  const name = z
    .string()
    .refine((value) => matches.test(value), message)
    .refine(isShort, tooLong)
    .meta({
      description: `Name of the ${kind}.`,
      maxLength: LONGEST,
      "x-kubernetes-validations": [{ rule: `self.matches('${pattern}')`, message }],
    });
  const key = z
    .string()
    .refine(isShort, tooLong)
    .meta({ description: `Key in the ${kind}.`, maxLength: LONGEST });
  return { name, key };
}

type KeyRef = ReturnType<typeof keyRef>;
type SecretSchema = z.ZodObject<{
  secretKeyRef: z.ZodObject<{ name: KeyRef["name"]; key: z.ZodDefault<KeyRef["key"]> }>;
}>;

/** A value that lies in a Secret of the object's namespace (engine.md §6). */
export function secret(wire: string, description: string, defaultKey: string): z.ZodOptional<SecretSchema> {
  const { name, key } = keyRef("Secret");
  const secretKeyRef = z.object({ name, key: key.default(defaultKey) }).meta({ description: "Where it is." });
  const schema = z.object({ secretKeyRef }).meta({ description });
  return setting(schema, { wire, source: "secret", encode: (read) => z.string().parse(read), isSame: () => true });
}

const configMapKeyRef = z.object(keyRef("ConfigMap")).describe("Where it is.");

type DocumentSchema = z.ZodObject<{
  inline: z.ZodOptional<z.ZodString>;
  configMapKeyRef: z.ZodOptional<typeof configMapKeyRef>;
}>;

/** Long text, inline or in a ConfigMap of the object's namespace. */
export function document(wire: string, description: string, max: number): z.ZodOptional<DocumentSchema> {
  const schema = ruled(
    z
      .object({
        inline: text("The text itself.", { max }).optional(),
        configMapKeyRef: configMapKeyRef.optional(),
      })
      .describe(description),
    [exactlyOne(["inline", "configMapKeyRef"], "set exactly one of inline and configMapKeyRef")],
  );
  // Also where it is empty: unset, the platform would put words of its own in its place.
  const encode = (read: unknown): Wire => z.string().parse(read);
  return setting(schema, { wire, source: "document", encode, isSame: isSameDocument });
}

/** Ends of lines and blanks at the end are the service's to write. */
function isSameDocument(wanted: Wire, observed: unknown): boolean {
  const plain = (value: unknown): unknown =>
    typeof value === "string" ? value.replaceAll("\r\n", "\n").trimEnd() : value;
  return isSameWire(wanted, observed) || plain(wanted) === plain(observed);
}
