import type { Actor } from "./actor.ts";
import type { Member } from "./family.ts";
import type { OfFamily } from "./gate.ts";
import { markForLook, newMark, runOf, unlessGone } from "./meddling.ts";
import { look, type Seen } from "./seen.ts";
import type { World } from "./world.ts";

/** How the operator ends where all families wait for that. */
export type End = "killed" | "lease lost" | "asked to end";

export function endLife(world: World, actors: readonly Actor[], end: End): Promise<void> {
  switch (end) {
    case "killed":
      return world.kill();
    case "lease lost":
      return world.loseLease();
    case "asked to end":
      return askToEnd(world, actors);
    default:
      return end satisfies never;
  }
}

/** An object whose run waits for answers. */
interface Waiting {
  readonly actor: Actor;
  readonly member: Member;
  readonly requests: readonly OfFamily[];
}

/**
 * Objects whose runs wait for an answer are to be looked at again: their keys wait for those runs to end, and before they do the operator is asked to end.
 * It ends what it began, and takes none of the keys that waited when it heard.
 */
async function askToEnd(world: World, actors: readonly Actor[]): Promise<void> {
  const mark = newMark();
  let waiting: readonly Waiting[] = [];
  const begun = await world.stop({
    before: async () => {
      waiting = actors.flatMap((actor) => waitingOf(world, actor));
      for (const { actor, member } of waiting) {
        await unlessGone(markForLook(world.kube, actor.family, { member, mark }));
      }
    },
    heard: () => {
      // Whoever gave up meanwhile left its key free before the end was asked for.
      const held = new Set(world.traffic.held);
      waiting = waiting.filter(({ requests }) => requests.every((request) => held.has(request)));
    },
  });
  for (const { family, label } of begun) {
    const fault = `asked for after the operator was asked to end, and by no run under way: ${label}`;
    actors.find((actor) => actor.family.namespace === family)?.faults.push(fault);
  }
  const looked = (await look(world)).filter(({ status }) => status.lastHandledReconcileAt === mark);
  for (const { actor, member } of waiting) {
    actor.waiting += 1;
    if (!looked.some((object) => isObjectOf(object, actor, member))) continue;
    actor.faults.push(`looked at after the operator was asked to end: ${member.type.kind} ${member.name}`);
  }
}

function waitingOf({ traffic }: World, actor: Actor): readonly Waiting[] {
  const { family, stage } = actor;
  const held = Map.groupBy(
    traffic.held.filter((request) => request.family === family.namespace),
    ({ label }) => runOf(family, { stage, label }),
  );
  return [...held].flatMap(([member, requests]) => (member === undefined ? [] : [{ actor, member, requests }]));
}

function isObjectOf({ kind, metadata }: Seen, { family }: Actor, { type, name }: Member): boolean {
  return kind === type.kind && metadata.name === name && metadata.namespace === family.namespace;
}
