import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import { type KindName, plurals } from "./manifest.ts";

/** The schema of a definition, as far as tests read it. */

interface CelRule {
  readonly rule: string;
  readonly message?: string | undefined;
  readonly fieldPath?: string | undefined;
}

export interface SchemaNode {
  readonly type?: string | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly pattern?: string | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: SchemaNode | undefined;
  readonly properties?: Readonly<Record<string, SchemaNode>> | undefined;
  readonly additionalProperties?: SchemaNode | undefined;
  readonly "x-kubernetes-int-or-string"?: boolean | undefined;
  readonly "x-kubernetes-list-type"?: string | undefined;
  readonly "x-kubernetes-validations"?: readonly CelRule[] | undefined;
}

const node: z.ZodType<SchemaNode> = z.lazy(() =>
  z.object({
    type: z.string().optional(),
    enum: z.array(z.unknown()).optional(),
    pattern: z.string().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
    minItems: z.number().optional(),
    maxItems: z.number().optional(),
    required: z.array(z.string()).optional(),
    items: node.optional(),
    properties: z.record(z.string(), node).optional(),
    additionalProperties: node.optional(),
    "x-kubernetes-int-or-string": z.boolean().optional(),
    "x-kubernetes-list-type": z.string().optional(),
    "x-kubernetes-validations": z
      .array(z.object({ rule: z.string(), message: z.string().optional(), fieldPath: z.string().optional() }))
      .optional(),
  }),
);

const definition = z.object({
  spec: z.object({
    versions: z.tuple([
      z.object({
        schema: z.object({ openAPIV3Schema: z.object({ properties: z.object({ spec: node }) }) }),
      }),
    ]),
  }),
});

/** The schema of a kind's spec, as the apiserver is given it. */
export function specSchema(kind: KindName): SchemaNode {
  const text = readFileSync(`crds/baas.dev_${plurals[kind]}.yaml`, "utf8");
  const [{ schema }] = definition.parse(parse(text)).spec.versions;
  return schema.openAPIV3Schema.properties.spec;
}
