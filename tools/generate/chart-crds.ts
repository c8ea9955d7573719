import { crds } from "./crds.ts";

/**
 * The chart's copies of the custom resource definitions, from those in crds/: templates, so that `helm upgrade` changes them, which it
 * never does with a chart's crds/ folder.
 */

const folder = "deploy/helm/baas-operator/templates/crds";

/**
 * Helm (resource-policy) and Argo CD (sync-options) leave the definitions when the release or application goes: with them the apiserver
 * would delete every object, and the operator the remote side of those whose policy says so.
 */
const metadata = `  labels:
    {{- include "baas-operator.labels" . | nindent 4 }}
  annotations:
    helm.sh/resource-policy: keep
    argocd.argoproj.io/sync-options: Prune=false,Delete=false
`;

const nameLines = /^metadata:\n {2}name: .+\n/mu;

/** What helm takes for the beginning of an action; CEL rules and descriptions mean the characters themselves. */
function escapeActions(text: string): string {
  return text.replaceAll("{{", '{{ "{{" }}');
}

/**
 * A definition as a template of the chart.
 *
 * @throws Error when its metadata is more than a name, since something would be written twice
 */
export function chartTemplate(definition: string): string {
  const escaped = escapeActions(definition);
  const lines = nameLines.exec(escaped)?.[0];
  if (lines === undefined || !escaped.includes(`${lines}spec:\n`)) {
    throw new Error("the metadata of a custom resource definition is expected to hold its name alone");
  }
  return `{{- if .Values.crds.enabled }}\n${escaped.replace(lines, `${lines}${metadata}`)}{{- end }}\n`;
}

function templatePath(path: string): string {
  return path.replace(/^crds\/[^_]+_/u, `${folder}/`);
}

/** A generator of files, as tools/generate.ts runs them: paths are relative to the repository. */
export const chartCrds = {
  name: "chart-crds",
  files: async (): Promise<ReadonlyMap<string, string>> => {
    const files = [...(await crds.files())];
    return new Map(files.map(([path, text]) => [templatePath(path), chartTemplate(text)]));
  },
};
