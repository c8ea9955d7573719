/** What a test puts into a kubeconfig; absent parts are left out of it. */
export interface KubeconfigParts {
  readonly server: string;
  /** PEM of the authority that the server's certificate is checked against. */
  readonly ca?: string;
  readonly proxyUrl?: string;
  readonly serverName?: string;
  readonly namespace?: string;
  /** The user, as kubeconfig spells it: token, client-certificate-data, exec, auth-provider, … */
  readonly user?: Readonly<Record<string, unknown>>;
}

/** A kubeconfig of one cluster, user and context (JSON, which is YAML). */
export function kubeconfigText(parts: KubeconfigParts): string {
  const { server, ca, proxyUrl, serverName, namespace, user = {} } = parts;
  const cluster = {
    server,
    "certificate-authority-data": ca === undefined ? undefined : base64(ca),
    "proxy-url": proxyUrl,
    "tls-server-name": serverName,
  };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "loopback", cluster }],
    users: [{ name: "tester", user }],
    contexts: [{ name: "test", context: { cluster: "loopback", user: "tester", namespace } }],
    "current-context": "test",
  });
}

export function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
