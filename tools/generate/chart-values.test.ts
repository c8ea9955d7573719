import { describe, expect, it } from "vitest";
import { chartValues, describeReadme, describeSchema, readValues } from "./chart-values.ts";

const yaml = `# Words about the file.

# A group.
group:
  # First of the group,
  # on two lines.
  first: 1
  # Opaque | thing.
  opaque: {a: {b: 1}}
# A list.
list: []
`;
const schema = JSON.stringify({
  type: "object",
  properties: {
    list: { type: "array" },
    group: { properties: { first: { type: "integer" }, opaque: { type: "object" } }, additionalProperties: false },
  },
});

const values = [
  { path: "group", description: "A group." },
  { path: "group.first", description: "First of the group, on two lines.", default: "1" },
  { path: "group.opaque", description: "Opaque | thing.", default: '{"a":{"b":1}}' },
  { path: "list", description: "A list.", default: "[]" },
];

describe("readValues", () => {
  it("reads each value with its own comment, as deep as the schema has properties", () => {
    expect(readValues(yaml, schema)).toEqual(values);
  });

  it.each([
    { yaml: "a: 1\n", schema: { properties: { a: {} } }, message: "a has no comment" },
    { yaml: "# A.\na: 1\n", schema: { properties: {} }, message: "no a" },
    { yaml: "# A.\na:\n  b: 1\n", schema: { properties: { a: { properties: { b: {} } } } }, message: "a.b has no" },
  ])("refuses what nobody described: $message", (broken) => {
    expect(() => readValues(broken.yaml, JSON.stringify(broken.schema))).toThrow(broken.message);
  });
});

describe("describeSchema", () => {
  it("adds the descriptions and keeps everything else in its place", () => {
    const described = describeSchema(schema, values);
    expect(JSON.parse(described)).toEqual({
      type: "object",
      properties: {
        list: { type: "array", description: "A list." },
        group: {
          properties: {
            first: { type: "integer", description: "First of the group, on two lines." },
            opaque: { type: "object", description: "Opaque | thing." },
          },
          additionalProperties: false,
          description: "A group.",
        },
      },
    });
    expect(describeSchema(described, values)).toBe(described);
  });
});

describe("describeReadme", () => {
  it("replaces the table between the marks and nothing else", () => {
    const made = describeReadme("before\n<!-- values -->\nold\n<!-- /values -->\nafter\n", values);
    expect(made).toContain('| `group.opaque` | Opaque \\| thing. | `{"a":{"b":1}}` |\n');
    expect(made).not.toContain("old");
    expect(made).toMatch(/^before\n[^]*\nafter\n$/u);
    expect(describeReadme(made, values)).toBe(made);
  });

  it("refuses a README without the marks", () => {
    expect(() => describeReadme("before\n", values)).toThrow("marks");
  });
});

describe("chartValues", () => {
  it("finds every value of the real chart described", async () => {
    const files = await chartValues.files();
    expect(files.get("deploy/helm/baas-operator/README.md")).toContain("| `clusterConnection.tokenSecretRef.key` |");
  });
});
