import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { helm } from "../programs/helm.ts";
import { succeeded } from "../programs/run.ts";
import type { Manifest, Room } from "./room.ts";

/** A release of somebody's own chart in a room: credentials and objects of ours side by side, as applications ship them. */
export async function installRelease(room: Room, name: string, manifests: readonly Manifest[]): Promise<void> {
  const chart = mkdtempSync(join(tmpdir(), "user-chart-"));
  try {
    writeFileSync(join(chart, "Chart.yaml"), `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`);
    mkdirSync(join(chart, "templates"));
    const documents = manifests.map((manifest) => JSON.stringify(manifest)); // JSON is YAML too
    writeFileSync(join(chart, "templates", "all.yaml"), documents.join("\n---\n"));
    succeeded(await helm(room.cluster, ["install", name, chart, "--namespace", room.namespace]));
  } finally {
    rmSync(chart, { recursive: true, force: true });
  }
}

/** `helm uninstall`, which deletes Secrets first and waits for nothing. */
export async function uninstallRelease(room: Room, name: string): Promise<void> {
  succeeded(await helm(room.cluster, ["uninstall", name, "--namespace", room.namespace]));
}
