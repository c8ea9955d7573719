import { expect, test } from "vitest";
import { z } from "zod";
import { kinds } from "./kinds.ts";

/** Secrets in spec are references (engine.md §6): whatever is a secret tells where it lies, and no member takes its text. */

interface Schema {
  readonly type?: string | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly items?: Schema | undefined;
}

const schemaSchema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    type: z.string().optional(),
    properties: z.record(z.string(), schemaSchema).optional(),
    items: schemaSchema.optional(),
  }),
);

const IS_SECRET = /(?:password|secrets?|token|privatekey|credentials?)$/iu;
const REFERENCES: readonly string[] = ["secretKeyRef", "secretRef"];
/** What may stand beside a reference: a password that is made, and of several values which ones, under which names. */
const BESIDE: readonly string[] = ["generate", "keys", "prefix"];

interface Found {
  readonly references: readonly string[];
  /** what takes a secret itself */
  readonly texts: readonly string[];
}

function secretsIn({ properties = {}, items }: Schema, path: string): Found {
  const names = Object.keys(properties);
  const isReference = names.some((name) => REFERENCES.includes(name));
  const besides = isReference ? names.filter((name) => ![...REFERENCES, ...BESIDE].includes(name)) : [];
  const parts = Object.entries(properties).map(([name, member]) => {
    const isText = member.type === "string" && IS_SECRET.test(name);
    const { references, texts } = secretsIn(member, `${path}.${name}`);
    return { references, texts: isText ? [`${path}.${name}`, ...texts] : texts };
  });
  const inItems = items === undefined ? [] : [secretsIn(items, `${path}[]`)];
  const all = [...parts, ...inItems];
  return {
    references: [...(isReference ? [path] : []), ...all.flatMap(({ references }) => references)],
    texts: [...besides.map((name) => `${path}.${name}`), ...all.flatMap(({ texts }) => texts)],
  };
}

test("what is a secret tells where it lies, and never what it is", () => {
  const found = kinds.map(({ type, spec }) =>
    secretsIn(schemaSchema.parse(z.toJSONSchema(spec, { io: "input", unrepresentable: "any" })), type.kind),
  );
  expect(found.flatMap(({ references }) => references).length).toBeGreaterThan(50);
  expect(found.flatMap(({ texts }) => texts)).toEqual([]);
});
