/** What a kubeconfig with one user says. */
export interface KubeconfigOptions {
  readonly server: string;
  /** PEM of the certificate to trust. */
  readonly ca: string;
  readonly token: string;
  readonly namespace?: string;
}

/** The text of a kubeconfig; JSON, which is YAML too. */
export function kubeconfig(options: KubeconfigOptions): string {
  const name = "control-plane";
  const namespace = options.namespace === undefined ? {} : { namespace: options.namespace };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name,
        cluster: {
          server: options.server,
          "certificate-authority-data": Buffer.from(options.ca).toString("base64"),
        },
      },
    ],
    users: [{ name, user: { token: options.token } }],
    contexts: [{ name, context: { cluster: name, user: name, ...namespace } }],
    "current-context": name,
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
