import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** examples/quickstart, as the demo and the tests apply it. */

export const QUICKSTART_NAMESPACE = "quickstart";
/** What its Secret holds. */
export const QUICKSTART_TOKEN = "quickstart-token";
/** The organization that its Project names. */
export const QUICKSTART_ORGANIZATION = "acme";
/** Where its Connection expects the emulator. */
export const QUICKSTART_PORT = 8787;

const directory = fileURLToPath(new URL("../../../examples/quickstart", import.meta.url));

/** The manifests as one YAML text. @param url of the Management API, in the place of the one that is written there */
export async function quickstartManifests(url: string): Promise<string> {
  const files = (await readdir(directory)).filter((file) => file.endsWith(".yaml")).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(join(directory, file), "utf8")));
  return texts.join("\n---\n").replaceAll(`http://127.0.0.1:${QUICKSTART_PORT}`, url);
}
