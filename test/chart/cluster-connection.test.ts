import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { clusterConnectionKind } from "../../src/resources/connection/kind.ts";
import type { Values } from "./render.ts";
import { ofKind, only, render, valuesFile } from "./render.ts";

const connection = {
  create: true,
  baseUrl: "https://api.example.com",
  tokenSecretRef: { name: "platform-token" },
  allowedNamespaces: { from: "All" },
};
const configMapSchema = z.object({ data: z.object({ "cluster-connection.yaml": z.string() }) });
const checksumSchema = z.object({
  spec: z.object({ template: z.object({ metadata: z.object({ annotations: z.record(z.string(), z.string()) }) }) }),
});

async function applied(values: Values): Promise<unknown> {
  const configMap = only(await render(values), "ConfigMap", "baas-operator-cluster-connection");
  return parse(configMapSchema.parse(configMap).data["cluster-connection.yaml"]);
}

async function checksum(values: Values): Promise<string | undefined> {
  const deployment = checksumSchema.parse(only(await render(values), "Deployment"));
  return deployment.spec.template.metadata.annotations["checksum/cluster-connection"];
}

describe("the default ClusterConnection", () => {
  it("is not there unless asked for", async () => {
    expect(ofKind(await render(), "ConfigMap")).toEqual([]);
    expect(await checksum({})).toBeUndefined();
  });

  it("looks for the token in the release's namespace unless told otherwise", async () => {
    expect(await applied({ clusterConnection: connection })).toEqual({
      apiVersion: "baas.dev/v1alpha1",
      kind: "ClusterConnection",
      metadata: { name: "default" },
      spec: {
        baseUrl: "https://api.example.com",
        token: { secretRef: { namespace: "baas-system", name: "platform-token", key: "token" } },
        allowedNamespaces: { from: "All" },
      },
    });
  });

  it("is let in as its spec says where no token is named", async () => {
    const spec = { workloadIdentity: { clientId: "app" } };
    const values = {
      workloadIdentity: { enabled: true, audience: "https://api.example.com" },
      clusterConnection: { ...connection, tokenSecretRef: {}, spec },
    };
    expect(await applied(values)).toMatchObject({ spec });
    expect(await applied(values)).not.toHaveProperty("spec.token");
  });

  it.each([{ clusterConnection: connection }, valuesFile("cluster-wide")])(
    "is one that the kind accepts, without unknown fields: case %#",
    async (values) => {
      const { spec } = z.object({ spec: z.unknown() }).parse(await applied(values));
      expect(clusterConnectionKind.spec.parse(spec)).toMatchObject(z.record(z.string(), z.unknown()).parse(spec));
    },
  );

  it("starts the Pods again when it changes, and only then", async () => {
    const first = await checksum({ clusterConnection: connection });
    expect(first).toMatch(/^[a-f0-9]{64}$/u);
    expect(await checksum({ clusterConnection: connection, workers: 3 })).toBe(first);
    expect(await checksum({ clusterConnection: { ...connection, baseUrl: "https://b.example.com" } })).not.toBe(first);
  });
});
