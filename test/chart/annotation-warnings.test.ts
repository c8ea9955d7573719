import { describe, expect, it } from "vitest";
import { kinds } from "../../src/resources/kinds.ts";
import { ofKind, only, render, valuesFile } from "./render.ts";

/** The policy that warns of annotations that do nothing; what kube-apiserver makes of it is proved by test/e2e/annotation-warnings.e2e.test.ts. */

const POLICY = "ValidatingAdmissionPolicy";
const BINDING = "ValidatingAdmissionPolicyBinding";

describe("the policy for annotations", () => {
  it("refuses nothing: it warns, and is passed over where it cannot be evaluated", async () => {
    const manifests = await render();
    expect(only(manifests, POLICY)["spec"]).toMatchObject({ failurePolicy: "Ignore" });
    const { name } = only(manifests, POLICY).metadata;
    expect(only(manifests, BINDING)["spec"]).toEqual({ policyName: name, validationActions: ["Warn"] });
  });

  it("looks at the objects of every kind, and not at their status", async () => {
    const { matchConstraints } = only(await render(), POLICY)["spec"] as { readonly matchConstraints: unknown };
    expect(matchConstraints).toEqual({
      resourceRules: [
        {
          apiGroups: ["baas.dev"],
          apiVersions: ["v1alpha1"],
          operations: ["CREATE", "UPDATE"],
          resources: kinds.map(({ type }) => type.plural),
        },
      ],
    });
  });

  it.each([
    { values: { crds: { annotationWarnings: false } }, why: "switched off" },
    { values: valuesFile("namespaced"), why: "a release that does not install the definitions, as another one warns" },
  ])("is not there: $why", async ({ values }) => {
    const manifests = await render(values);
    expect([...ofKind(manifests, POLICY), ...ofKind(manifests, BINDING)]).toEqual([]);
  });
});
