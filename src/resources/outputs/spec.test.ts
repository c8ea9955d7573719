import { describe, expect, it } from "vitest";
import { branchKind } from "../branch/kind.ts";
import { projectKind } from "../project/kind.ts";
import { partsOfValue } from "./spec.ts";
import { configMapVariables, secretVariables } from "./variables.ts";

/** Values are text with names in it: nothing else is ever made of them. */

function said(spec: object): string {
  const metadata = { name: "shop", namespace: "test", uid: "1", resourceVersion: "1" };
  const parsed = projectKind.parse({
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata,
    spec: { organization: "acme", ...spec },
  });
  return parsed.ok ? "" : parsed.message;
}

function secretWith(entry: object, rest: object = {}): object {
  return { writeConnectionSecretToRef: { name: "out", keys: [entry], ...rest } };
}

describe("a value in its pieces", () => {
  it.each([
    { value: "plain", parts: [{ text: "plain" }] },
    { value: "$(uri)", parts: [{ variable: "uri" }] },
    { value: "$(uri)?a=$1&b=$", parts: [{ variable: "uri" }, { text: "?a=$1&b=$" }] },
    { value: "$(host):$(port)", parts: [{ variable: "host" }, { text: ":" }, { variable: "port" }] },
    { value: "$$(uri)$(uri)", parts: [{ text: "$(" }, { text: "uri)" }, { variable: "uri" }] },
    { value: "$$(date) $$ $$", parts: [{ text: "$(" }, { text: "date) $$ $$" }] },
    { value: "{{ .uri }} ${uri}", parts: [{ text: "{{ .uri }} ${uri}" }] },
  ])("is $parts for $value", ({ value, parts }) => {
    expect(partsOfValue(value)).toEqual(parts);
  });
});

describe("a key of an output", () => {
  it.each([
    {
      why: "a variable that there is not",
      entry: { key: "a", value: "$(user)" },
      says: "$(name) with a name of ref, url",
    },
    { why: "an expression", entry: { key: "a", value: "$(uri | upper)" }, says: "$(name) with a name of ref, url" },
    { why: "one that does not end", entry: { key: "a", value: "$(uri" }, says: "$(name) with a name of ref, url" },
    {
      why: "an escape that nobody could tell",
      entry: { key: "a", value: "$$$(uri)" },
      says: "$( as text is written $$(",
    },
    { why: "no value and no variable's name", entry: { key: "DATABASE_URL" }, says: "add a value such as $(ref)" },
    {
      why: "a key of the layout",
      entry: { key: "type", value: "mysql" },
      says: "type and provider are always written",
    },
    { why: "the service key by name", entry: { key: "service-key" }, says: "only with includeServiceKey: true" },
    {
      why: "the service key in a value",
      entry: { key: "a", value: "x$(service-key)" },
      says: "only with includeServiceKey",
    },
  ])("is refused with $why", ({ entry, says }) => {
    expect(said(secretWith(entry))).toContain(says);
  });

  it.each([
    { why: "the service key that is allowed", spec: secretWith({ key: "service-key" }, { includeServiceKey: true }) },
    { why: "dollars that begin no variable", spec: secretWith({ key: "price", value: "$5 $$ $" }) },
    { why: "what is escaped as in a container's command", spec: secretWith({ key: "run", value: "$$(uri) $$(date)" }) },
    { why: "lines and braces", spec: secretWith({ key: "json", value: '{"uri":\n"$(uri)"}' }) },
    {
      why: "a binding's key in a ConfigMap",
      spec: { writeConnectionConfigMapToRef: { name: "out", keys: [{ key: "type", value: "x" }] } },
    },
  ])("may hold $why", ({ spec }) => {
    expect(said(spec)).toBe("");
  });

  it("of a ConfigMap is never made of a secret", () => {
    const opened = secretVariables.filter((name) => !configMapVariables.includes(name));
    expect(opened).toEqual(expect.arrayContaining(["password", "uri", "anon-key", "service-key"]));
    for (const name of opened) {
      const keys = [{ key: "a", value: `$(${name})` }];
      expect(said({ writeConnectionConfigMapToRef: { name: "out", keys } })).toContain(
        "$(name) with a name of ref, url",
      );
    }
  });
});

describe("the name of an output", () => {
  it.each([
    { databasePassword: { secretKeyRef: { name: "out" } } },
    { databasePassword: { generate: { secretName: "out" } } },
  ])("is not that of the Secret with the password: %j", ({ databasePassword }) => {
    expect(said({ databasePassword, writeConnectionSecretToRef: { name: "out" } })).toContain("choose another name");
  });

  it("is not that of the password that is generated unasked", () => {
    const output = { writeConnectionSecretToRef: { name: "shop-database-password" } };
    expect(said(output)).toContain("holds the generated database password");
    expect(said({ ...output, databasePassword: { secretKeyRef: { name: "db" } } })).toBe("");
  });
});

it("is asked for in the same words of a Branch", () => {
  const fields = ["writeConnectionSecretToRef", "writeConnectionConfigMapToRef"] as const;
  for (const field of fields) expect(branchKind.spec.shape[field]).toBe(projectKind.spec.shape[field]);
});
