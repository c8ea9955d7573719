import { join } from "node:path";
import type { Ports } from "./ports.ts";

/** What the command lines of the three programs are made from. */
export interface Layout {
  /** Folder of this control plane. */
  readonly dir: string;
  readonly ports: Ports;
  /** Name of the etcd member, unique to this control plane. */
  readonly member: string;
  /** False: watches are served by etcd itself, so that its compaction ends them. */
  readonly watchCache: boolean;
  /** True: every request is logged, a JSON line each, in audit.jsonl. */
  readonly audit: boolean;
}

/** Files of a control plane. */
export function files(
  dir: string,
): Readonly<
  Record<
    "certificates" | "ca" | "tokens" | "signingKey" | "publicKey" | "auditPolicy" | "auditLog" | "kubeconfig",
    string
  >
> {
  const certificates = join(dir, "certificates");
  return {
    certificates,
    ca: join(certificates, "apiserver.crt"),
    tokens: join(dir, "tokens.csv"),
    signingKey: join(dir, "service-account.key"),
    publicKey: join(dir, "service-account.pub"),
    auditPolicy: join(dir, "audit-policy.json"),
    auditLog: join(dir, "audit.jsonl"),
    kubeconfig: join(dir, "kubeconfig"),
  };
}

export function etcdUrl(ports: Ports): string {
  return `http://127.0.0.1:${ports.etcdClient}`;
}

export function etcdArguments(layout: Layout): readonly string[] {
  const client = etcdUrl(layout.ports);
  const peer = `http://127.0.0.1:${layout.ports.etcdPeer}`;
  return [
    `--name=${layout.member}`,
    `--data-dir=${join(layout.dir, "etcd")}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=${layout.member}=${peer}`,
    "--unsafe-no-fsync",
    "--log-level=warn",
  ];
}

export function apiserverArguments(layout: Layout): readonly string[] {
  const file = files(layout.dir);
  const audit = [
    `--audit-policy-file=${file.auditPolicy}`,
    `--audit-log-path=${file.auditLog}`,
    "--audit-log-mode=blocking",
  ];
  return [
    `--etcd-servers=${etcdUrl(layout.ports)}`,
    `--cert-dir=${file.certificates}`,
    "--bind-address=127.0.0.1",
    // Else it looks for a default route, and does not start on a machine that is offline.
    "--advertise-address=127.0.0.1",
    `--secure-port=${layout.ports.apiserver}`,
    "--authorization-mode=RBAC",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${file.publicKey}`,
    `--service-account-signing-key-file=${file.signingKey}`,
    `--token-auth-file=${file.tokens}`,
    "--service-cluster-ip-range=10.0.0.0/24",
    // There are no nodes to reach the Service "kubernetes" from, and a loopback address is refused as an endpoint.
    "--endpoint-reconciler-type=none",
    "--profiling=false",
    // Without it, the end on SIGTERM waits a minute for watches that nobody tells to end.
    "--shutdown-watch-termination-grace-period=1s",
    `--watch-cache=${layout.watchCache}`,
    ...(layout.audit ? audit : []),
  ];
}

/**
 * What a cluster without nodes needs: namespaces end, owners take their objects along, ServiceAccounts and their tokens appear, and
 * ClusterRoles are aggregated. The others would only cost start-up time and CPU.
 */
const controllers = [
  "namespace-controller",
  "garbage-collector-controller",
  "serviceaccount-controller",
  "serviceaccount-token-controller",
  "clusterrole-aggregation-controller",
];

export function controllerManagerArguments(layout: Layout): readonly string[] {
  const file = files(layout.dir);
  return [
    `--kubeconfig=${file.kubeconfig}`,
    `--controllers=${controllers.join(",")}`,
    `--service-account-private-key-file=${file.signingKey}`,
    `--root-ca-file=${file.ca}`,
    "--leader-elect=false",
    // No port of its own: it is watched by what it does.
    "--secure-port=0",
    "--profiling=false",
    "--kube-api-qps=200",
    "--kube-api-burst=400",
  ];
}
