import { stringify } from "yaml";
import { apiGroup, apiVersion } from "../../src/resources/annotations.ts";
import { kinds } from "../../src/resources/kinds.ts";
import { annotationsOf } from "../../src/resources/known-annotations.ts";
import { celString } from "../../src/resources/rules.ts";

/**
 * The chart's admission policy that warns of annotations of ours that do nothing, when they are applied: no definition has a word on annotations. It
 * refuses nothing, also where it cannot be evaluated. Whoever writes something else is not warned: the operator and the garbage collector write
 * finalizers, and would hear of every such annotation for ever.
 */

const path = "deploy/helm/baas-operator/templates/annotation-warnings.yaml";

function celList(names: readonly string[]): string {
  return `[${names.map((name) => celString(name)).join(", ")}]`;
}

/** The policy as an object. */
function annotationPolicy(): object {
  const known = kinds.map(({ type }) => `${celString(type.kind)}: ${celList(annotationsOf(type.kind))}`);
  const own = `name.startsWith(${celString(`${apiGroup}/`)}) && !(name in variables.known)`;
  const anew = "!(name in variables.before && variables.before[name] == object.metadata.annotations[name])";
  return {
    failurePolicy: "Ignore",
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: [apiGroup],
          apiVersions: [apiVersion],
          operations: ["CREATE", "UPDATE"],
          resources: kinds.map(({ type }) => type.plural),
        },
      ],
    },
    variables: [
      { name: "known", expression: `{${known.join(", ")}}[object.kind]` },
      {
        name: "before",
        expression: "request.operation == 'UPDATE' ? oldObject.metadata.?annotations.orValue({}) : {}",
      },
      {
        name: "ignored",
        expression: `has(object.metadata.annotations) ? object.metadata.annotations.filter(name, ${own} && ${anew}) : []`,
      },
    ],
    validations: [
      {
        expression: "variables.ignored.size() == 0",
        messageExpression:
          "variables.ignored.join(', ') + ' does nothing here: objects of kind ' + object.kind + ' know ' + variables.known.join(', ')",
      },
    ],
  };
}

function template(): string {
  const policy = stringify({ spec: annotationPolicy() }, { lineWidth: 0 });
  const metadata = `metadata:
  name: {{ printf "%s-annotations" (include "baas-operator.outerName" .) | quote }}
  labels:
    {{- include "baas-operator.labels" . | nindent 4 }}
`;
  return `{{- if and .Values.crds.enabled .Values.crds.annotationWarnings }}
# Written by \`npm run generate\` from src/resources/known-annotations.ts: not to be edited.
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
${metadata}${policy}---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
${metadata}spec:
  policyName: {{ printf "%s-annotations" (include "baas-operator.outerName" .) | quote }}
  validationActions: [Warn]
{{- end }}
`;
}

/** A generator of files, as tools/generate.ts runs them: paths are relative to the repository. */
export const chartAnnotations = {
  name: "chart-annotations",
  files: (): Promise<ReadonlyMap<string, string>> => Promise.resolve(new Map([[path, template()]])),
};
