import { z } from "zod";
import { SNIPPETS_PER_PAGE, type SnippetSummary, type snippets } from "../../api/contract/snippets.ts";
import { type Caller, isMember, visibleProject } from "../access.ts";
import { ApiFailure, badRequest, newErrorEventId } from "../failure.ts";
import type { SnippetRecord } from "./snippet-state.ts";
import { allSnippets } from "./snippet-store.ts";
import { sha256 } from "../state/ids.ts";
import { projectByRef, stayingProject } from "../state/presence.ts";
import type { World } from "../state/world.ts";
import type { HandlerRequest, SectionHandlers } from "../handlers/handler.ts";

type SnippetsQuery = HandlerRequest<(typeof snippets)["list"]>["query"];

/** SQL snippets: one's own, and those that others share in projects that one sees. */
export function snippetsHandlers(world: World): SectionHandlers<"snippets"> {
  return {
    list: ({ query, caller }) => {
      if (query.project_ref !== undefined) visibleProject(world, caller, query.project_ref);
      const rows = visibleSnippets(world, caller).filter(
        ({ projectRef }) => query.project_ref === undefined || projectRef === query.project_ref,
      );
      const { page, next } = pageOf(rows, query);
      const data = page.map((row) => summary(world, row));
      return next === undefined ? { data } : { data, cursor: next };
    },
    get: ({ params, caller }) => {
      const row = visibleSnippets(world, caller).find(({ id }) => id === params.id.toLowerCase());
      if (row === undefined) {
        throw new ApiFailure(406, "Failed to retrieve snippet", { errorEventId: newErrorEventId() });
      }
      const content = { favorite: row.favorite, schema_version: "1.0", sql: row.sql };
      return { ...summary(world, row), content };
    },
  };
}

function visibleSnippets(world: World, caller: Caller): readonly SnippetRecord[] {
  return allSnippets(world).filter(({ projectRef, ownerId, visibility }) => {
    const slug = stayingProject(world, projectRef)?.organizationSlug;
    const sees = slug !== undefined && isMember(world.organizations.get(slug), caller);
    return sees && (visibility === "project" || ownerId === caller.userId);
  });
}

const place = z.tuple([z.string(), z.string()]);
type ListPlace = z.output<typeof place>;

/** A page in the order that is asked for, by default the newest first. A cursor is a place in the order; it holds when its snippet is gone. */
function pageOf(
  rows: readonly SnippetRecord[],
  { sort_by: key = "inserted_at", sort_order: order = "desc", limit, cursor }: SnippetsQuery,
): { readonly page: readonly SnippetRecord[]; readonly next: string | undefined } {
  const placeOf = (row: SnippetRecord): ListPlace => [
    key === "name" ? row.name : new Date(row.insertedAtMs).toISOString(),
    row.id,
  ];
  const direction = order === "asc" ? 1 : -1;
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const left = rows
    .toSorted((a, b) => direction * compare(placeOf(a), placeOf(b)))
    .filter((row) => after === undefined || direction * compare(placeOf(row), after) > 0);
  const page = left.slice(0, limit === undefined ? SNIPPETS_PER_PAGE : Number(limit));
  const last = page.at(-1);
  const more = last !== undefined && page.length < left.length;
  return { page, next: more ? Buffer.from(JSON.stringify(placeOf(last))).toString("base64url") : undefined };
}

function compare([a, idA]: ListPlace, [b, idB]: ListPlace): number {
  if (a !== b) return a < b ? -1 : 1;
  return idA < idB ? -1 : Number(idA > idB);
}

/** @throws ApiFailure 400 */
function readCursor(text: string): ListPlace {
  try {
    return place.parse(JSON.parse(Buffer.from(text, "base64url").toString("utf8")));
  } catch {
    throw badRequest("cursor: expected the cursor of a page before");
  }
}

function summary(world: World, row: SnippetRecord): SnippetSummary {
  const project = projectByRef(world, row.projectRef);
  const owner = { id: userNumber(row.ownerId), username: world.users.get(row.ownerId)?.username ?? "" };
  return {
    id: row.id,
    inserted_at: new Date(row.insertedAtMs).toISOString(),
    updated_at: new Date(row.updatedAtMs).toISOString(),
    type: "sql",
    visibility: row.visibility,
    name: row.name,
    description: row.description ?? "",
    project: { id: project?.number ?? 0, name: project?.name ?? "" },
    owner,
    updated_by: owner,
    favorite: row.favorite,
  };
}

/** Users have no number elsewhere in the API: one that is always the same for a user. */
function userNumber(id: string): number {
  return Number.parseInt(sha256(id).slice(0, 7), 16);
}
