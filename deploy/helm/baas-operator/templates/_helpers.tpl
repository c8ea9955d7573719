{{- define "baas-operator.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "baas-operator.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "baas-operator.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* For what lies outside of the release's namespace: two releases of one name in two namespaces must not meet there. */ -}}
{{- define "baas-operator.outerName" -}}
{{- printf "%s-%s" .Release.Namespace (include "baas-operator.fullname" .) -}}
{{- end -}}

{{- /* The component keeps the Pod of the cleanup Job out of the Deployment, the Service and the disruption budget. */ -}}
{{- define "baas-operator.selectorLabels" -}}
app.kubernetes.io/name: {{ include "baas-operator.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: operator
{{- end -}}

{{- define "baas-operator.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" | quote }}
app.kubernetes.io/name: {{ include "baas-operator.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
app.kubernetes.io/part-of: baas-operator
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* Those of every object, and others; a label that is among both has the value of the others. */ -}}
{{- define "baas-operator.labelsWith" -}}
{{- merge (dict) (default dict .others) (include "baas-operator.labels" .root | fromYaml) | toYaml -}}
{{- end -}}

{{- define "baas-operator.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "baas-operator.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- required "serviceAccount.name is needed when serviceAccount.create is false" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "baas-operator.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "baas-operator.leaseNamespace" -}}
{{- if .Values.leaderElection.namespace -}}
{{- .Values.leaderElection.namespace -}}
{{- else if .Values.watchNamespaces -}}
{{- .Release.Namespace -}}
{{- else -}}
kube-system
{{- end -}}
{{- end -}}

{{- /* What `baas run` and `baas cleanup` must agree on: whose objects, and the lease under which only one of them writes. */ -}}
{{- define "baas-operator.scopeArgs" -}}
- --operator-namespace
- $(POD_NAMESPACE)
{{- range .Values.watchNamespaces }}
- --watch-namespace
- {{ . | quote }}
{{- end }}
{{- if .Values.leaderElection.enabled }}
- --leader-elect
- --leader-election-namespace
- {{ include "baas-operator.leaseNamespace" . | quote }}
{{- else }}
- --no-leader-elect
{{- end }}
- --log-level
- {{ .Values.log.level | quote }}
- --log-format
- {{ .Values.log.format | quote }}
{{- end -}}

{{- define "baas-operator.identityEnv" -}}
- name: POD_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: POD_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
{{- end -}}

{{- /* Mistakes that a schema cannot see. Included once, by the Deployment. */ -}}
{{- define "baas-operator.check" -}}
{{- if and (gt (int .Values.replicas) 1) (not .Values.leaderElection.enabled) -}}
{{- fail "replicas greater than 1 needs leaderElection.enabled: without it, every replica would write" -}}
{{- end -}}
{{- if and .Values.ca.configMapName .Values.ca.secretName -}}
{{- fail "ca: name a ConfigMap or a Secret, not both" -}}
{{- end -}}
{{- if .Values.workloadIdentity.enabled -}}
{{- $_ := required "workloadIdentity.audience is needed when workloadIdentity.enabled is true: the audience that the OAuth app trusts" .Values.workloadIdentity.audience -}}
{{- end -}}
{{- if .Values.clusterConnection.create -}}
{{- if .Values.watchNamespaces -}}
{{- fail "clusterConnection.create needs a cluster-wide install: with watchNamespaces, ClusterConnections are not read" -}}
{{- end -}}
{{- $_ := required "clusterConnection.baseUrl is needed when clusterConnection.create is true" .Values.clusterConnection.baseUrl -}}
{{- $spec := .Values.clusterConnection.spec -}}
{{- if not (or .Values.clusterConnection.tokenSecretRef.name $spec.oauth $spec.workloadIdentity) -}}
{{- fail "clusterConnection.tokenSecretRef.name is needed when clusterConnection.create is true, or spec.oauth or spec.workloadIdentity instead" -}}
{{- end -}}
{{- if and .Values.clusterConnection.tokenSecretRef.name (or $spec.oauth $spec.workloadIdentity) -}}
{{- fail "clusterConnection: one credential is enough: tokenSecretRef.name, spec.oauth or spec.workloadIdentity" -}}
{{- end -}}
{{- if and $spec.workloadIdentity (not .Values.workloadIdentity.enabled) -}}
{{- fail "clusterConnection.spec.workloadIdentity needs workloadIdentity.enabled" -}}
{{- end -}}
{{- if and $spec.oauth $spec.workloadIdentity -}}
{{- fail "clusterConnection.spec: one credential is enough: oauth or workloadIdentity" -}}
{{- end -}}
{{- if not .Values.clusterConnection.allowedNamespaces -}}
{{- fail "clusterConnection.allowedNamespaces is needed when clusterConnection.create is true: {from: All}, or names or a selector" -}}
{{- end -}}
{{- $allowed := .Values.clusterConnection.allowedNamespaces -}}
{{- if ne (eq (default "Selected" $allowed.from) "Selected") (or (hasKey $allowed "names") (hasKey $allowed "selector")) -}}
{{- fail "clusterConnection.allowedNamespaces: with from: Selected give names, selector or both; with from: All give neither" -}}
{{- end -}}
{{- end -}}
{{- end -}}
