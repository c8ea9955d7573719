{{- /*
The operator's rights, each with its reason. What it does with the Kubernetes API is what stands here, and reading discovery (which kinds are served),
which everybody may who is let in (system:discovery): the end-to-end tests run it with exactly these. RBAC knows neither fields nor representations, so "metadata only" below is a promise of the program.
*/ -}}

{{- /* In each namespace that is watched. */ -}}
{{- define "baas-operator.rules.watched" -}}
# Our objects are read into caches. get: by name before something is deleted, since a cache lags behind. patch: finalizers, and annotations
# that record identity and intent; the spec is never written.
- apiGroups: [baas.dev]
  resources: [connections, projects, branches, edgefunctions, secrets]
  verbs: [get, list, watch, patch]
# Conditions and observed state are written through the status subresource alone.
- apiGroups: [baas.dev]
  resources: [connections/status, projects/status, branches/status, edgefunctions/status, secrets/status]
  verbs: [patch]
# get: by name, when a spec refers to it. list, watch: of metadata only, to notice changes. create: a generated database password, the newest refresh
# token of a connection with oauth, and the Secret that writeConnectionSecretToRef names. patch: that token each time it is replaced, that Secret when
# one of its values is another, our finalizer on the Secrets of a connection's credential, and taking our ownerReference off the password of a project
# that stays. delete: that Secret under its old name, when another one or none stands there; never one that is not its object's.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, list, watch, create, patch, delete]
# get: sources of functions, by name. list, watch: of metadata only, to notice changes. create, patch, delete: what writeConnectionConfigMapToRef names,
# as for Secrets.
- apiGroups: [""]
  resources: [configmaps]
  verbs: [get, list, watch, create, patch, delete]
# Sources of functions that Flux publishes: where their artifact is, from their status. A cluster without Flux has none of these kinds.
- apiGroups: [source.toolkit.fluxcd.io]
  resources: [gitrepositories, ocirepositories, buckets, externalartifacts]
  verbs: [list, watch]
# What happened, told where `kubectl describe` and `kubectl events` show it; patch counts repetitions.
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- end -}}

{{- /* Cluster-wide installs only, beside the rules above. */ -}}
{{- define "baas-operator.rules.clusterWide" -}}
# As for the namespaced kinds: caches, a look before deleting, finalizers, annotations, status.
- apiGroups: [baas.dev]
  resources: [clusterconnections]
  verbs: [get, list, watch, patch]
- apiGroups: [baas.dev]
  resources: [clusterconnections/status]
  verbs: [patch]
{{- if .Values.clusterConnection.create }}
# clusterConnection.create: the operator applies the object that the values describe (RBAC cannot limit create to a name).
- apiGroups: [baas.dev]
  resources: [clusterconnections]
  verbs: [create]
{{- end }}
# A Terminating namespace decides between deleting and releasing; labels, against a ClusterConnection's allowedNamespaces; the uid of
# kube-system tells this cluster from others.
- apiGroups: [""]
  resources: [namespaces]
  verbs: [get, list, watch]
{{- end -}}

{{- /* Namespaced installs only: what stands for the cluster-wide rules on namespaces. A Role can allow to get one Namespace by its name. */ -}}
{{- define "baas-operator.rules.namespace" -}}
# A Terminating namespace decides between deleting and releasing.
- apiGroups: [""]
  resources: [namespaces]
  resourceNames: [{{ . | quote }}]
  verbs: [get]
{{- end -}}

{{- /* Namespaced installs only, in kube-system. */ -}}
{{- define "baas-operator.rules.clusterId" -}}
# The uid of kube-system tells this cluster from others: what a copied manifest or a restored backup names is not taken for our own.
- apiGroups: [""]
  resources: [namespaces]
  resourceNames: [kube-system]
  verbs: [get]
{{- end -}}

{{- /* Namespaced installs only, in default. */ -}}
{{- define "baas-operator.rules.defaultEvents" -}}
# A namespace that is Terminating takes no events: what was left remotely when it went is told here.
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- end -}}

{{- /* In the operator's own namespace. */ -}}
{{- define "baas-operator.rules.operatorNamespace" -}}
# The record of what was let go or kept with something left remotely (RBAC cannot limit create to a name).
- apiGroups: [""]
  resources: [configmaps]
  verbs: [create]
- apiGroups: [""]
  resources: [configmaps]
  resourceNames: [baas-operator-released]
  verbs: [get, patch]
{{- if .Values.watchNamespaces }}
# The key ring of the hashes that tell whether a write-only value was sent already. A cluster-wide install may do so anyway.
- apiGroups: [""]
  resources: [secrets]
  verbs: [create]
- apiGroups: [""]
  resources: [secrets]
  resourceNames: [baas-operator-key-ring]
  verbs: [get]
{{- end }}
{{- end -}}

{{- /* The lease of this scope: leaseName in src/cli/kubernetes.ts, which a test holds this to. */ -}}
{{- define "baas-operator.leaseName" -}}
baas-operator{{ with .Values.watchNamespaces }}-{{ . | uniq | sortAlpha | join "," | sha256sum | trunc 8 }}{{ end }}
{{- end -}}

{{- /* In the namespace of the lease. */ -}}
{{- define "baas-operator.rules.lease" -}}
# Leader election: only one of several operators of the same scope writes (RBAC cannot limit create to a name).
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [{{ include "baas-operator.leaseName" . | quote }}]
  verbs: [get, update]
{{- end -}}

{{- /* What the cleanup Job needs in each namespace that was watched. */ -}}
{{- define "baas-operator.rules.cleanup" -}}
# list: of metadata only, to find the Secrets that carry our finalizer. patch: to take it off. get: to look again when somebody else changed
# the Secret meanwhile.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, list, patch]
{{- end -}}

{{- /*
A Role and its RoleBinding, or their cluster-scoped kin without a namespace. Takes a dict: root, name, namespace ("" for the cluster),
rules (text), serviceAccount, annotations (dict).
*/ -}}
{{- define "baas-operator.grant" -}}
{{- $cluster := eq .namespace "" -}}
{{- range $kind := list "Role" "RoleBinding" }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ ternary "Cluster" "" $cluster }}{{ $kind }}
metadata:
  name: {{ $.name | quote }}
  {{- if not $cluster }}
  namespace: {{ $.namespace | quote }}
  {{- end }}
  labels:
    {{- include "baas-operator.labels" $.root | nindent 4 }}
  {{- with $.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- if eq $kind "Role" }}
rules:
  {{- $.rules | trim | nindent 2 }}
{{- else }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ ternary "ClusterRole" "Role" $cluster }}
  name: {{ $.name | quote }}
subjects:
  - kind: ServiceAccount
    name: {{ $.serviceAccount | quote }}
    namespace: {{ $.root.Release.Namespace | quote }}
{{- end }}
{{- end }}
{{ end -}}
