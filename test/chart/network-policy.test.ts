import { describe, expect, it } from "vitest";
import type { Values } from "./render.ts";
import { only, render } from "./render.ts";

/** Which connections the Pods may have, where they are limited. */
async function policy(networkPolicy: Values = {}): Promise<unknown> {
  return only(await render({ networkPolicy: { enabled: true, ...networkPolicy } }), "NetworkPolicy")["spec"];
}

const inNamespace = (name: string): Values => ({
  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
});
const dns = [
  { port: 53, protocol: "UDP" },
  { port: 53, protocol: "TCP" },
];
const apis = {
  ports: [
    { port: 443, protocol: "TCP" },
    { port: 6443, protocol: "TCP" },
  ],
};
const flux = { to: [inNamespace("flux-system")], ports: [{ port: 9090, protocol: "TCP" }] };

describe("the network policy", () => {
  it("lets the Pods reach DNS, the two APIs and the Pods of Flux from which functions are fetched", async () => {
    expect(await policy()).toMatchObject({ egress: [{ ports: dns }, apis, flux] });
  });

  it.each([
    {
      values: { dnsTo: [inNamespace("kube-system")] },
      egress: [{ to: [inNamespace("kube-system")], ports: dns }, apis, flux],
    },
    { values: { fluxNamespace: "" }, egress: [{ ports: dns }, apis] },
    { values: { fluxNamespace: "flux" }, egress: [{ ports: dns }, apis, { ...flux, to: [inNamespace("flux")] }] },
    {
      values: { egressPorts: [3128] },
      egress: [{ ports: dns }, { ports: [{ port: 3128, protocol: "TCP" }] }, flux],
    },
  ])("lets them reach what the values say: $values", async ({ values, egress }) => {
    expect(await policy(values)).toMatchObject({ egress });
  });

  it("lets everybody read the metrics, or whom the values name", async () => {
    const ports = [{ port: "http", protocol: "TCP" }];
    expect(await policy()).toMatchObject({ ingress: [{ ports }] });
    const from = [inNamespace("monitoring")];
    expect(await policy({ ingressFrom: from })).toMatchObject({ ingress: [{ ports, from }] });
  });
});
