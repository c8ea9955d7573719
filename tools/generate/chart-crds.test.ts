import { describe, expect, it } from "vitest";
import { chartCrds, chartTemplate } from "./chart-crds.ts";
import { crds } from "./crds.ts";

const definition =
  "# banner\nkind: CustomResourceDefinition\nmetadata:\n  name: things.baas.dev\nspec:\n  group: baas.dev\n";

describe("chartTemplate", () => {
  it("wraps a definition in the chart's switch and keeps the rest to the letter", () => {
    expect(chartTemplate(definition)).toBe(
      [
        "{{- if .Values.crds.enabled }}",
        "# banner",
        "kind: CustomResourceDefinition",
        "metadata:",
        "  name: things.baas.dev",
        "  labels:",
        '    {{- include "baas-operator.labels" . | nindent 4 }}',
        "  annotations:",
        "    helm.sh/resource-policy: keep",
        "    argocd.argoproj.io/sync-options: Prune=false,Delete=false",
        "spec:",
        "  group: baas.dev",
        "{{- end }}",
        "",
      ].join("\n"),
    );
  });

  it("keeps helm from running braces of a description as an action", () => {
    expect(chartTemplate(`${definition}  description: write {{name}}\n`)).toContain('write {{ "{{" }}name}}');
  });

  it.each([
    { metadata: "metadata:\n  name: things.baas.dev\n  labels:\n    a: b\n", why: "labels would stand twice" },
    { metadata: "metadata:\n  labels:\n    a: b\n", why: "there is no name" },
  ])("refuses other metadata: $why", ({ metadata }) => {
    expect(() => chartTemplate(`kind: CustomResourceDefinition\n${metadata}spec:\n`)).toThrow("its name alone");
  });
});

describe("chartCrds", () => {
  it("makes one template of each definition", async () => {
    const templates = await chartCrds.files();
    const names = [...(await crds.files()).keys()].map((path) => path.replace("crds/baas.dev_", ""));
    expect([...templates.keys()]).toEqual(names.map((name) => `deploy/helm/baas-operator/templates/crds/${name}`));
  });
});
