import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { branchKind } from "./branch/kind.ts";
import { connectionKind } from "./connection/kind.ts";
import { edgeFunctionKind } from "./edge-function/kind.ts";
import { defaultPasswordSecretName, projectKind } from "./project/kind.ts";
import { secretKind } from "./secret/kind.ts";

const metadata = { name: "shop", namespace: "ns", uid: "u-1", resourceVersion: "7", generation: 2 };

function project(spec: unknown, status?: unknown): unknown {
  return { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata, spec, status };
}

describe("parse", () => {
  test("fills in the defaults that the CRD states, and none for what a connection may set", () => {
    const result = projectKind.parse(project({ organization: "acme" }));
    expect(result).toMatchObject({ ok: true });
    if (!result.ok) return;
    expect(result.object.spec).toEqual({
      organization: "acme",
      adoptionPolicy: "Never",
      transferPolicy: "Never",
      deletionPolicy: "Retain",
      provisioningTimeout: "30m",
      deletionTimeout: "15m",
    });
    expect(result.object.status).toEqual({ conditions: [], observedGeneration: -1 });
  });

  test("leaves out fields that this version does not know", () => {
    const result = projectKind.parse(project({ organization: "acme", newer: { field: 1 } }, { newer: 1 }));
    expect(result.ok && "newer" in result.object.spec).toBe(false);
    expect(result.ok && "newer" in result.object.status).toBe(false);
  });

  test("keeps the recorded identity when another field of the status does not fit", () => {
    const status = {
      ref: "abcdefghijklmnopqrst",
      conditions: "of another version",
      services: [{ name: 1 }],
      observedGeneration: 2,
    };
    const result = projectKind.parse(project({ organization: "acme" }, status));
    expect(result.ok && result.object.status).toEqual({
      ref: "abcdefghijklmnopqrst",
      observedGeneration: 2,
      conditions: [],
    });
  });

  test("tells the status of an object whose spec cannot be read, as its deletion needs", () => {
    const status = projectKind.parseStatus(project({ organization: 1 }, { ref: "abcdefghijklmnopqrst" }));
    expect(status.ref).toBe("abcdefghijklmnopqrst");
  });

  test("names every field that is wrong by its path from the object, and no value", () => {
    const region = { code: "us-east-1", group: "emea" };
    const result = projectKind.parse(project({ organization: "Very Secret Inc.", region, driftInterval: "1 s" }));
    expect(result.ok ? [] : result.issues.map(({ path }) => path)).toEqual([
      "spec.organization",
      "spec.region",
      "spec.driftInterval",
    ]);
    expect(result.ok ? "" : result.message).not.toContain("Very Secret");
  });

  test("refuses an object of another kind", () => {
    const branch = { apiVersion: "baas.dev/v1alpha1", kind: "Branch", metadata, spec: { organization: "acme" } };
    expect(projectKind.parse(branch).ok).toBe(false);
  });

  test.each([projectKind, branchKind, edgeFunctionKind, secretKind, connectionKind])(
    "$type.kind: never throws, whatever it is given",
    (kind) => {
      const objects = fc.oneof(
        fc.anything(),
        fc.record({
          apiVersion: fc.string(),
          kind: fc.constant(kind.type.kind),
          metadata: fc.constant(metadata),
          spec: fc.dictionary(fc.constantFrom(...Object.keys(kind.spec.shape)), fc.anything()),
          status: fc.dictionary(fc.constantFrom(...Object.keys(kind.status.shape)), fc.anything()),
        }),
      );
      fc.assert(
        fc.property(objects, (object) => {
          expect(() => kind.parse(object)).not.toThrow();
          expect(() => kind.parseStatus(object)).not.toThrow();
        }),
      );
    },
  );
});

describe("rules over the whole object", () => {
  const named = (name: string): typeof metadata => ({ ...metadata, name });

  test("a name too long for the Secret of a generated password needs another place for it", () => {
    const long = named("a".repeat(236));
    const object = { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata: long, spec: { organization: "acme" } };
    const refused = projectKind.parse(object);
    expect(refused.ok ? "" : refused.message).toContain("set spec.databasePassword");
    const databasePassword = { generate: { secretName: "password" } };
    expect(projectKind.parse({ ...object, spec: { ...object.spec, databasePassword } }).ok).toBe(true);
    expect(defaultPasswordSecretName("a".repeat(235)).length).toBe(253);
  });

  test("a function whose name is no slug needs one", () => {
    const spec = { projectRef: { name: "shop" }, source: { configMapRef: { name: "source" } } };
    const object = { apiVersion: "baas.dev/v1alpha1", kind: "EdgeFunction", metadata: named("2nd"), spec };
    const refused = edgeFunctionKind.parse(object);
    expect(refused.ok ? [] : refused.issues).toEqual([
      {
        path: "spec.slug",
        message: "metadata.name is no slug (a letter, then letters, digits, '-' and '_'): set spec.slug",
      },
    ]);
    expect(edgeFunctionKind.parse({ ...object, spec: { ...spec, slug: "second" } }).ok).toBe(true);
  });
});
