import type { ApiLane } from "../../api/lanes.ts";
import { parentOf } from "../../resources/references.ts";
import type { Environment } from "../environment.ts";
import { PARENT_INDEX, parentKey } from "../indexes.ts";
import { isReadyNow, keyOf } from "../watching.ts";
import { sessionFor } from "./connection-lookup.ts";
import { terminal, unlessGone, waiting } from "./failures.ts";
import type { ChildSpec, ParentPlace } from "./parents.ts";
import type { Run } from "./run.ts";
import type { Session } from "./sessions.ts";
import { CHANGE_MAX_AGE_MS, type PlaceList } from "./snapshot.ts";
import type { CommonStatus } from "./status-draft.ts";

/**
 * A place that the platform does not know, though objects live in it: somebody deleted it there, or the token reads it no more. Whoever is told so first
 * tells those whom it concerns as well.
 */

/** How soon a place that the platform does not know is asked for again, milliseconds. */
const GONE_LOOK_MS = 60_000;

/** What it means for a child that the platform does not know the place which it names. A managed one's own object says why. */
export function placeGone(spec: ChildSpec): Error {
  const parent = parentOf(spec);
  if (parent.kind !== "UnmanagedProject") {
    const message = `the platform does not know what the ${parent.kind} ${parent.name} stands for: see its conditions`;
    return waiting("ReferenceNotReady", message, GONE_LOOK_MS);
  }
  const message = `spec.projectRef.ref: the token reads no project ${parent.ref}: write the ref of one that it reads`;
  return terminal("ReferenceNotFound", message, { recheckAfterMs: GONE_LOOK_MS });
}

/** How a child reads a list of the place where it lives. */
interface PlaceRead<T> {
  readonly spec: ChildSpec;
  readonly place: Pick<ParentPlace, "session" | "projectRef">;
  /** ref that is asked for: of the place, or of the project that it belongs to */
  readonly ref: string;
  readonly list: PlaceList["list"];
  /** for people: "list the functions" */
  readonly doing: string;
  readonly read: () => Promise<T>;
}

/**
 * A list of the place where a child lives. That the place is not known counts for a while for all who ask for the same list with the same token, however
 * many these are (engine.md §3), and who hears of it first wakes all others.
 *
 * @throws as `placeGone`, and as `calling`
 */
export async function readInPlace<Status extends CommonStatus, T>(run: Run<Status>, asked: PlaceRead<T>): Promise<T> {
  const { spec, place, ref, list, doing, read } = asked;
  const { snapshots } = run.environment;
  const of: PlaceList = { client: place.session.client, ref, list };
  if (!snapshots.isGone(of, goneAgeMs(run.lane))) {
    const known = snapshots.timesGone(of);
    const found = await unlessGone(doing, read);
    if (found !== undefined) return found;
    if (snapshots.gone(of, known)) tellOthers(run, { spec, place });
  }
  throw placeGone(spec);
}

/** How old the platform's word may be that it does not know a place, milliseconds. */
function goneAgeMs(lane: ApiLane): number {
  return lane === "drift" ? GONE_LOOK_MS / 2 : CHANGE_MAX_AGE_MS;
}

/** Wakes those who would call themselves as declared until their drift checks: the object of the place, which tells its children, or the others in it. */
function tellOthers<Status extends CommonStatus>(
  { environment, key: { namespace } }: Run<Status>,
  { spec, place: { session, projectRef } }: Pick<PlaceRead<unknown>, "spec" | "place">,
): void {
  const parent = parentOf(spec);
  switch (parent.kind) {
    case "UnmanagedProject":
      return tellSiblings(environment, session, parentKey(namespace, spec));
    case "Branch":
      // Or it would look at a list that shows it still.
      environment.snapshots.of(session.client, projectRef).branches.wrote();
      break;
    case "Project":
      break;
    default:
      parent satisfies never;
  }
  environment.enqueue({ kind: parent.kind, namespace, name: parent.name }, { lane: "change", wasReady: true });
}

/** Those that reach it with the same token: what others see of it is theirs to find out. */
function tellSiblings(environment: Environment, session: Session, parent: string): void {
  const { branches, functions, secrets } = environment.objects;
  for (const children of [branches, functions, secrets]) {
    for (const { kind: of, metadata, spec } of children.byIndex(PARENT_INDEX, parent)) {
      const raw = children.raw(metadata.namespace ?? "", metadata.name);
      const calledReady = raw !== undefined && isReadyNow(raw);
      if (!calledReady || !isReachedBy(environment, session, { metadata, spec })) continue;
      environment.enqueue(keyOf({ kind: of, metadata }), { lane: "change", wasReady: true });
    }
  }
}

interface Sibling {
  readonly metadata: { readonly namespace?: string | undefined };
  readonly spec: Pick<ChildSpec, "connectionRef">;
}

function isReachedBy(environment: Environment, { client }: Session, { metadata, spec }: Sibling): boolean {
  const { namespace = "" } = metadata;
  try {
    return sessionFor(environment, { namespace, connectionRef: spec.connectionRef }).client === client;
  } catch {
    return false; // its own run says why
  }
}
