import { createHash } from "node:crypto";
import type { ProjectView } from "../../../src/emulator/control/views.ts";
import { eventually } from "./eventually.ts";
import type { Manifest, Room, SeenObject } from "./room.ts";
import type { Stage } from "./stage.ts";

/** What tests of functions and secrets do in a room, again and again. */

export type RemoteFunction = ProjectView["functions"][number];

/** Lower-case hex SHA-256, as the platform shows values of secrets and contents of files. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The source of a function that tells one version from another. */
export function sourceText(words: string): string {
  return `Deno.serve(() => new Response(${JSON.stringify(words)}));\n`;
}

/** An EdgeFunction of the Project `shop` with one file. */
export function functionOf(room: Room, name: string, spec: Manifest = {}, words = "hello"): Manifest {
  const source = { inline: { files: { "index.ts": sourceText(words) } } };
  return room.ours("EdgeFunction", name, { projectRef: { name: "shop" }, source, ...spec });
}

/** A Secret object of the Project `shop`. */
export function secretOf(room: Room, name: string, from: readonly Manifest[], spec: Manifest = {}): Manifest {
  return room.ours("Secret", name, { projectRef: { name: "shop" }, from, ...spec });
}

/** A Kubernetes Secret. */
export function coreSecret(room: Room, name: string, values: Readonly<Record<string, string>>): Manifest {
  return room.manifest("v1", "Secret", name, { stringData: values });
}

/** A ConfigMap. */
export function configMap(room: Room, name: string, rest: Manifest): Manifest {
  return room.manifest("v1", "ConfigMap", name, rest);
}

async function remoteProject(room: Room, ref: string): Promise<ProjectView> {
  const { projects } = await room.emulator.control.state.read({});
  const project = projects.find((candidate) => candidate.ref === ref);
  if (project === undefined) throw new Error(`there is no project ${ref}`);
  return project;
}

/** The functions of a project, by slug. */
export async function remoteFunctions(room: Room, ref: string): Promise<readonly RemoteFunction[]> {
  return (await remoteProject(room, ref)).functions.toSorted((a, b) => (a.slug < b.slug ? -1 : 1));
}

/** The function of that slug. */
export async function remoteFunction(room: Room, ref: string, slug: string): Promise<RemoteFunction> {
  const found = (await remoteFunctions(room, ref)).find((candidate) => candidate.slug === slug);
  if (found === undefined) throw new Error(`there is no function ${slug}`);
  return found;
}

/** Digests of the secrets of a project that people set, by name. */
export async function remoteSecrets(room: Room, ref: string): Promise<Readonly<Record<string, string>>> {
  const { secrets } = await remoteProject(room, ref);
  return Object.fromEntries(secrets.filter(({ platform }) => !platform).map(({ name, digest }) => [name, digest]));
}

/** Values as `remoteSecrets` shows them. */
export function digests(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, sha256(value)]));
}

/**
 * Asks for looks until the platform is as expected: a list may be shared for ten seconds (engine.md §3).
 *
 * @returns the object after the look that brought it about
 */
export async function looksUntil(
  room: Room,
  { kind, name }: { readonly kind: "EdgeFunction" | "Secret"; readonly name: string },
  holds: (object: SeenObject) => boolean | Promise<boolean>,
): Promise<SeenObject> {
  let last: SeenObject | undefined;
  return eventually(
    () => `${kind} ${name} as expected; it is ${JSON.stringify(last?.status, null, 1)}`,
    async () => {
      last = await room.reconcile(kind, name);
      return (await holds(last)) ? last : undefined;
    },
  );
}

/** Deploys a function of one file as another client would. */
export async function deployByHand(stage: Stage, room: Room, ref: string, slug: string): Promise<void> {
  const form = new FormData();
  form.append("metadata", JSON.stringify({ entrypoint_path: "index.ts" }));
  form.append("file", new Blob([sourceText("by hand")]), "index.ts");
  const answer = await fetch(`${stage.emulator.url}/v1/projects/${ref}/functions/deploy?slug=${slug}`, {
    method: "POST",
    headers: { authorization: `Bearer ${room.token}` },
    body: form,
  });
  if (answer.status !== 201) throw new Error(`deploy by hand: ${answer.status} ${await answer.text()}`);
}
