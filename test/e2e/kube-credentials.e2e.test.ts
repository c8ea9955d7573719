import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, it, onTestFinished } from "vitest";
import { stringify } from "yaml";
import { z } from "zod";
import { selfSubject } from "../support/kube-cluster/identity.ts";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";

/** Credentials that change while they are used, at a real apiserver: as whom it takes us. */

const viewSchema = z.object({ clusters: z.tuple([z.object({ cluster: z.looseObject({}) })]) });

function directory(): string {
  const dir = mkdtempSync(join(tmpdir(), "kube-credentials-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

/** A kubeconfig for the cluster with another user than the administrator. */
async function kubeconfigAs(user: Readonly<Record<string, unknown>>): Promise<string> {
  const view = ["config", "view", "--minify", "--flatten", "--output=json"];
  const text = succeeded(await kubectl(inject("cluster"), view));
  const [{ cluster }] = viewSchema.parse(JSON.parse(text)).clusters;
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

/** A token of a ServiceAccount that is made for the test, in the namespace `default`. */
async function tokenOf(name: string): Promise<string> {
  const cluster = inject("cluster");
  await kubectl(cluster, ["create", "serviceaccount", name]);
  onTestFinished(async () => void (await kubectl(cluster, ["delete", "serviceaccount", name])));
  return succeeded(await kubectl(cluster, ["create", "token", name, "--duration=1h"])).trim();
}

it("asks an exec plugin for the token", async () => {
  const token = await tokenOf("from-a-plugin");
  const plugin = join(directory(), "plugin.mjs");
  const credential = {
    apiVersion: "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    status: { token },
  };
  writeFileSync(plugin, `console.log(${JSON.stringify(JSON.stringify(credential))});\n`);
  chmodSync(plugin, 0o700);
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    command: process.execPath,
    args: [plugin],
    interactiveMode: "Never",
  };
  const text = await kubeconfigAs({ exec });
  expect(await selfSubject({ kind: "text", text })()).toBe("system:serviceaccount:default:from-a-plugin");
});

it("reads a token file again that was rotated, as a Pod's is", async () => {
  const file = join(directory(), "token");
  writeFileSync(file, "not a token any more\n");
  const user = { "auth-provider": { name: "tokenFile", config: { tokenFile: file } } };
  const text = await kubeconfigAs(user);
  const ask = selfSubject({ kind: "text", text });
  await expect(ask()).rejects.toMatchObject({ code: "Unauthorized" });
  writeFileSync(file, `${await tokenOf("rotated")}\n`);
  expect(await ask()).toBe("system:serviceaccount:default:rotated");
});
