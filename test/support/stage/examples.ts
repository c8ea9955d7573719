import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { kinds } from "../../../src/resources/kinds.ts";
import { kubectl } from "../programs/kubectl.ts";
import { succeeded } from "../programs/run.ts";
import type { Manifest, Room } from "./room.ts";

/** examples/, found by walking it, so that none is forgotten. */

const root = fileURLToPath(new URL("../../../examples/", import.meta.url));

/** What kustomize reads in a folder; no apiserver does. */
const KUSTOMIZATION = "kustomization.yaml";

/** An object of an example. */
const objectSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
type ExampleObject = z.output<typeof objectSchema>;

/** The folders of examples/ that have a manifest, by name. */
export function exampleFolders(): readonly string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && manifestFiles(entry.name).length > 0)
    .map(({ name }) => name)
    .toSorted();
}

/** The manifests of a folder and of those below it: paths below examples/. */
function manifestFiles(folder: string): readonly string[] {
  return readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.ya?ml$/u.test(file))
    .map((file) => `${folder}/${file}`)
    .toSorted();
}

/** As a user would fill it in: where the platform is, with which token, and in which organization. */
function filledIn(text: string, { emulator, token, namespace }: Room): string {
  return text
    .replaceAll("baseUrl: https://api.example.com", `baseUrl: ${emulator.url}`)
    .replaceAll("YOUR_ACCESS_TOKEN", token)
    .replaceAll("organization: acme", `organization: ${namespace}`);
}

/** Everything that a folder declares, in the room's namespace where it names none. */
export async function exampleObjects(folder: string, room: Room): Promise<readonly ExampleObject[]> {
  const objects: ExampleObject[] = [];
  for (const file of manifestFiles(folder)) {
    if (basename(file) === KUSTOMIZATION) await checkKustomization(file, room);
    else objects.push(...parsed(filledIn(readFileSync(`${root}${file}`, "utf8"), room)));
  }
  return objects.map((object) => (isClusterWide(object) ? object : placed(object, room.namespace)));
}

function isClusterWide({ kind }: ExampleObject): boolean {
  return kinds.some(({ type }) => type.kind === kind && !type.namespaced);
}

function placed({ metadata, ...rest }: ExampleObject, namespace: string): ExampleObject {
  return { ...rest, metadata: { namespace, ...metadata } };
}

/** Documents of comments alone say nothing. */
function parsed(text: string): readonly ExampleObject[] {
  const values = parseAllDocuments(text).map((document) => z.unknown().parse(document.toJS()));
  return values.filter((value) => value !== null).map((value) => objectSchema.parse(value));
}

/** kustomize finds what the file names, and makes of it what the manifests beside it say. */
async function checkKustomization(file: string, { cluster }: Room): Promise<void> {
  const folder = file.slice(0, -KUSTOMIZATION.length);
  const built = parsed(succeeded(await kubectl(cluster, ["kustomize", `${root}${folder}`])));
  const beside = manifestFiles(folder.slice(0, -1)).filter((other) => other !== file);
  const written = beside.flatMap((other) => parsed(readFileSync(`${root}${other}`, "utf8")));
  if (JSON.stringify(sortedKeys(built)) !== JSON.stringify(sortedKeys(written))) {
    throw new Error(`${file} does not take in what lies beside it`);
  }
}

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, member]) => [key, sortedKeys(member)]),
  );
}

/** The namespaces that objects are in, as manifests. */
export function namespacesOf(objects: readonly ExampleObject[]): readonly Manifest[] {
  const names = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
  return [...names].map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }));
}
