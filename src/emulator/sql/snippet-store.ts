import { organizationOf } from "../organizations/organization-of.ts";
import { notThere } from "../state/seed-error.ts";
import type { SnippetRecord, SnippetSeed } from "./snippet-state.ts";
import { newId } from "../state/ids.ts";
import { projectNames, projectsCalled } from "../state/order-hold.ts";
import type { World } from "../state/world.ts";

/** Adds a snippet, or replaces the one of its id. @throws SeedError for a project or an owner that is not there */
export function putSnippet(world: World, wanted: SnippetSeed): SnippetRecord {
  const [project] = projectsCalled(world, wanted.project);
  if (project === undefined) {
    throw notThere(["project"], { what: "project", name: wanted.project, known: projectNames(world) });
  }
  const { members } = organizationOf(world, project);
  const ownerId =
    wanted.owner === undefined
      ? Object.keys(members).find((id) => members[id] === "Owner")
      : [...world.users.values()].find(({ username }) => username === wanted.owner)?.id;
  if (ownerId === undefined) {
    const usernames = [...world.users.values()].map(({ username }) => username);
    throw notThere(["owner"], { what: "user", name: wanted.owner ?? "Owner", known: usernames });
  }
  const { id = newId(), name, description = null, visibility, favorite, sql } = wanted;
  const nowMs = world.clock.now();
  const { insertedAtMs = nowMs } = world.snippets.get(project.ref, id) ?? {};
  const row = {
    id,
    projectRef: project.ref,
    ownerId,
    name,
    description,
    visibility,
    favorite,
    sql,
    insertedAtMs,
    updatedAtMs: nowMs,
  };
  world.snippets.set(project.ref, id, row);
  return row;
}

export function removeSnippet(world: World, id: string): boolean {
  return [...world.projects.keys()].some((ref) => world.snippets.delete(ref, id));
}

/** Every snippet there is. */
export function allSnippets(world: World): readonly SnippetRecord[] {
  return [...world.projects.keys()].flatMap((ref) => [...world.snippets.of(ref).values()]);
}
