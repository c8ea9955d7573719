import type { Section } from "../mutant.ts";

const TRANSPORT = "src/kube/transport.ts";
const TRANSPORT_TEST = "src/kube/transport.loopback.test.ts";
const TLS = { project: "loopback", files: [TRANSPORT_TEST], only: "TLS" } as const;
const PROXIES = { project: "loopback", files: [TRANSPORT_TEST], only: "proxies" } as const;

/** engine.md §8: proxies and private authorities on the way to the apiserver. */
export const apiserver: Section = {
  sign: "§8",
  name: "apiserver",
  mutants: [
    {
      name: "authority-of-the-kubeconfig-not-trusted",
      promise: "private CAs work for the apiserver",
      file: TRANSPORT,
      find: "tls: { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername } };",
      replace: "tls: { cert, key, pfx, passphrase, rejectUnauthorized, servername, ca: ca && undefined } };",
      killer: TLS,
    },
    {
      name: "any-authority-trusted",
      promise: "no other authority than the kubeconfig's is trusted",
      file: TRANSPORT,
      find: "connect: { ...tlsOptions, keepAlive",
      replace: "connect: { ...tlsOptions, rejectUnauthorized: false, keepAlive",
      killer: TLS,
    },
    {
      name: "authority-forgotten-behind-a-proxy",
      promise: "private CAs work for the apiserver, behind a proxy too",
      file: TRANSPORT,
      find: "uri: proxy, requestTls: tlsOptions }",
      replace: "uri: proxy }",
      killer: PROXIES,
    },
    {
      name: "proxy-not-used-for-the-apiserver",
      promise: "HTTPS_PROXY works for the apiserver",
      file: TRANSPORT,
      find: "proxyUrl ?? proxyFor(server, this.#options.proxy ?? {});",
      replace: "proxyUrl ?? proxyFor(server, {});",
      killer: PROXIES,
    },
    {
      name: "proxy-of-the-kubeconfig-not-used",
      promise: "the kubeconfig's proxy goes before the environment's",
      file: TRANSPORT,
      find: "this.#kubeConfig.getCurrentCluster()?.proxyUrl ?? proxyFor(server, this.#options.proxy ?? {});",
      replace: "proxyFor(server, this.#options.proxy ?? {}) ?? this.#kubeConfig.getCurrentCluster()?.proxyUrl;",
      killer: PROXIES,
    },
  ],
};
