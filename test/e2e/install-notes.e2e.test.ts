import { describe, expect, inject, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { connectionKind } from "../../src/resources/connection/kind.ts";
import type { Values } from "../chart/render.ts";
import { only, render } from "../chart/render.ts";
import { chartDirectory } from "../support/operator/chart.ts";
import { helm } from "../support/programs/helm.ts";
import { succeeded } from "../support/programs/run.ts";

/** What helm says after an install; it asks a cluster for its version first, and changes nothing here. */
/** The notes that helm prints after an install. */
async function notes(values: Values): Promise<string> {
  const args = [
    "install",
    "baas-operator",
    chartDirectory,
    "--namespace=baas-system",
    "--dry-run=client",
    "--values=-",
  ];
  const said = succeeded(await helm(inject("cluster"), args, { stdin: JSON.stringify(values) }));
  return said.slice(said.indexOf("NOTES:"));
}

const connection = {
  create: true,
  baseUrl: "https://api.example.com",
  tokenSecretRef: { namespace: "tokens", name: "t", key: "k" },
  allowedNamespaces: { from: "All" },
};

describe("the notes", () => {
  it("wait for the Deployment that there is", async () => {
    const { name, namespace } = only(await render(), "Deployment").metadata;
    expect(await notes({})).toContain(`kubectl -n ${namespace} rollout status deployment/${name}\n`);
  });

  it("show a Connection that the kind accepts", async () => {
    const text = await notes({ watchNamespaces: ["team-a"] });
    const [, manifest = ""] = /<<EOF\n([^]*?)\n\s*EOF\n/u.exec(text) ?? [];
    const { spec } = z.object({ spec: z.unknown() }).parse(parse(manifest));
    expect(connectionKind.spec.safeParse(spec).error).toBeUndefined();
    expect(text).toContain("kubectl -n team-a apply -f -");
  });

  it("say where the token of the ClusterConnection belongs", async () => {
    const text = await notes({ clusterConnection: connection });
    expect(text).toContain("kubectl -n tokens create secret generic t --from-literal=k=YOUR_TOKEN\n");
    expect(text).not.toContain("<<EOF");
  });
});
