import type { Mutant } from "../mutant.ts";

/** What is wrong of flags, of the files that they name and of the chart's values: who refuses it, and that it ends nothing else. */
export const wrongUse: readonly Mutant[] = [
  {
    name: "refused-connection-ends-the-process",
    promise: "a ClusterConnection of the command line that is refused ends nothing: it is tried again",
    file: "src/cli/cluster-connection.ts",
    find: "  void keepTrying(applying, wordsOf(refused), signal);\n",
    replace: "  throw refused;\n",
    killer: { project: "loopback", files: ["src/cli/cluster-connection.loopback.test.ts"] },
  },
  {
    name: "refusal-told-at-each-try",
    promise: "a ClusterConnection of the command line that is refused is told once",
    file: "src/cli/cluster-connection.ts",
    find: "if (wordsOf(refused) === told) continue;",
    replace: "if (isOver()) continue;",
    killer: { project: "loopback", files: ["src/cli/cluster-connection.loopback.test.ts"] },
  },
  {
    name: "shorter-than-the-program-takes",
    promise: "helm refuses what the program refuses at its start",
    file: "deploy/helm/baas-operator/values.schema.json",
    find: "[1-9][0-9]*[hm]|([3-9][0-9]|[1-9][0-9]{2,})s",
    replace: "[0-9]",
    killer: { project: "loopback", files: ["test/chart/values.test.ts"] },
  },
  {
    name: "connection-open-to-other-fields",
    promise: "helm refuses what the definition of a ClusterConnection refuses",
    file: "deploy/helm/baas-operator/templates/_helpers.tpl",
    find: '{{- if ne (eq (default "Selected" $allowed.from) "Selected")',
    replace: '{{- if and false (eq (default "Selected" $allowed.from) "Selected")',
    killer: { project: "loopback", files: ["test/chart/values.test.ts"] },
  },
  {
    name: "cleanup-of-no-namespace",
    promise: "a cleanup for a namespace that does not exist is wrong use",
    file: "src/cli/cleanup.ts",
    find: "flags.leaderElect ? [own, leasePlace(flags)] : [own]",
    replace: "flags.leaderElect ? [leasePlace(flags)] : []",
    killer: { project: "loopback", files: ["src/cli/cleanup.loopback.test.ts"] },
  },
  {
    name: "release-name-unquoted",
    promise: "a release whose name YAML reads as something else is installed as any other",
    file: "deploy/helm/baas-operator/templates/_helpers.tpl",
    find: "app.kubernetes.io/instance: {{ .Release.Name | quote }}\napp.kubernetes.io/version",
    replace: "app.kubernetes.io/instance: {{ .Release.Name }}\napp.kubernetes.io/version",
    killer: { project: "loopback", files: ["test/chart/names-like-values.test.ts"] },
  },
  {
    name: "release-namespace-unquoted",
    promise: "a namespace whose name YAML reads as something else is that of the rights too",
    file: "deploy/helm/baas-operator/templates/_rules.tpl",
    find: "namespace: {{ $.root.Release.Namespace | quote }}",
    replace: "namespace: {{ $.root.Release.Namespace }}",
    killer: { project: "loopback", files: ["test/chart/names-like-values.test.ts"] },
  },
];
