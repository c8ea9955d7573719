import { fluxStatus, READY } from "../artifacts/flux.ts";
import type { ArtifactServer } from "../artifacts/server.ts";
import { RoomApp } from "./apps.ts";
import { branchOf } from "./branches.ts";
import { configMap, coreSecret, functionOf, secretOf } from "./functions.ts";
import type { Room } from "./room.ts";

/** Rooms by the kind of credential of their connection; `workload` is that of an app which is named so. */
export type Rooms = Readonly<Record<"token" | "oauth" | "workload" | "cluster", Room>>;

interface Where {
  readonly rooms: Rooms;
  readonly artifacts: ArtifactServer;
  /** of the Management API */
  readonly baseUrl: string;
}

/** Applies an object of every kind, and a connection of every kind of credential. */
export async function applyEveryKind({ rooms, artifacts, baseUrl }: Where): Promise<void> {
  const { token, oauth, workload, cluster } = rooms;
  const secretKeyRef = { name: "database", key: "password" };
  await token.apply([
    ...token.connection(),
    coreSecret(token, "database", { password: "good enough" }),
    coreSecret(token, "values", { A: "1", B: "2" }),
    configMap(token, "files", { data: { "index.ts": "// from a ConfigMap" } }),
    token.project("shop", {
      name: "shop",
      state: "Running",
      databasePassword: { secretKeyRef },
      dataApi: { maxRows: 500 },
      realtime: { maxConcurrentUsers: 100 },
      writeConnectionSecretToRef: { name: "shop-connection" },
    }),
    branchOf(token, "shop", "preview", { gitBranch: "main", notifyUrl: "https://EXAMPLE.com" }),
    functionOf(token, "inline", { name: "declared", verifyJwt: false }),
    functionOf(token, "mapped", { source: { configMapRef: { name: "files" } } }),
    token.manifest("source.toolkit.fluxcd.io/v1", "GitRepository", "app", { spec: { interval: "1m" } }),
    functionOf(token, "published", { source: { artifactRef: { kind: "GitRepository", name: "app", path: "fn" } } }),
    secretOf(token, "env", [{ secretRef: { name: "values" }, prefix: "P_" }]),
  ]);
  // As Flux's source-controller does.
  const artifact = artifacts.publish({ "fn/index.ts": "// from an artifact" });
  const patch = JSON.stringify({ status: fluxStatus({ artifact, ready: READY }) });
  await token.kubectl("patch", "gitrepository", "app", "--subresource=status", "--type=merge", "--patch", patch);
  const app = await RoomApp.register(oauth);
  await oauth.apply([...app.connection(await app.consent()), oauth.project("shop"), functionOf(oauth, "inline")]);
  const spec = { baseUrl, workloadIdentity: { clientId: "workload" } };
  await workload.apply([workload.ours("Connection", "default", spec), workload.project("shop")]);
  const secretRef = { name: "token", namespace: cluster.namespace };
  await cluster.apply([
    coreSecret(cluster, "token", { token: cluster.token }),
    cluster.project("shop", { connectionRef: { kind: "ClusterConnection", name: "quiet" } }),
    {
      apiVersion: "baas.dev/v1alpha1",
      kind: "ClusterConnection",
      metadata: { name: "quiet" },
      spec: { baseUrl, token: { secretRef }, allowedNamespaces: { names: [cluster.namespace] } },
    },
  ]);
}
