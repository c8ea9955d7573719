import { z } from "zod";
import { clusterConnectionKind } from "../../src/resources/connection/kind.ts";
import { durationPattern } from "../../src/resources/duration.ts";
import { toStructural, type StructuralSchema } from "./structural.ts";

/**
 * What the chart's ClusterConnection may hold, as its definition has it: the apiserver would refuse it only when the operator runs. In JSON Schema,
 * which helm reads: closed, and with a rule's message in the place of a pattern, since helm tells a constant that was expected.
 */

/** Fields that have values of their own in the chart. */
const elsewhere: ReadonlySet<string> = new Set(["baseUrl", "token", "allowedNamespaces"]);

const copied = ["type", "enum", "maxLength", "minLength", "minItems", "maxItems", "maxProperties"] as const;
const ruleMessages = z.array(z.object({ message: z.string() })).catch([]);

type JsonSchema = Readonly<Record<string, unknown>>;

function mapped(fields: Readonly<Record<string, StructuralSchema>>): JsonSchema {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, jsonSchema(field)]));
}

function shape({ type, properties, items, additionalProperties: values, ...node }: StructuralSchema): JsonSchema {
  if (type === "array" && items !== undefined) {
    return { items: jsonSchema(items), ...(node["x-kubernetes-list-type"] === "set" ? { uniqueItems: true } : {}) };
  }
  if (type !== "object") return {};
  if (values !== undefined) return { additionalProperties: jsonSchema(values) };
  const required = node["required"];
  return {
    additionalProperties: false,
    ...(required === undefined ? {} : { required }),
    properties: mapped(properties ?? {}),
  };
}

function patternOf({ pattern, ...node }: StructuralSchema): JsonSchema {
  if (pattern === undefined) return {};
  // The one interval of a connection has the bounds of the operator's own.
  if (pattern === durationPattern) return { $ref: "#/definitions/checkInterval" };
  const message = ruleMessages.parse(node["x-kubernetes-validations"])[0]?.message;
  return message === undefined ? { pattern } : { if: { pattern }, else: { const: message } };
}

function jsonSchema(node: StructuralSchema): JsonSchema {
  const own = Object.fromEntries(copied.filter((key) => node[key] !== undefined).map((key) => [key, node[key]]));
  const pattern = patternOf(node);
  // Beside a reference nothing else is read.
  return "$ref" in pattern ? pattern : { ...own, ...shape(node), ...pattern };
}

/** Definitions of the chart's schema, by the names under which its values refer to them. */
export function connectionDefinitions(): JsonSchema {
  const { properties = {} } = toStructural(clusterConnectionKind.spec, "spec");
  const { allowedNamespaces = {}, ...others } = properties;
  const further = Object.fromEntries(Object.entries(others).filter(([name]) => !elsewhere.has(name)));
  return {
    allowedNamespaces: jsonSchema(allowedNamespaces),
    clusterConnectionSpec: jsonSchema({ type: "object", properties: further }),
  };
}
