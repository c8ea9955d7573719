import type { Actor } from "./actor.ts";
import { markForLook, newMark, runOf, unlessGone } from "./meddling.ts";
import { look } from "./seen.ts";
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

/**
 * Objects whose runs wait for an answer are to be looked at again: their keys wait for those runs to end, and before they do the operator is asked to end.
 * It ends what it began, and takes none of them; which were looked at all the same is printed.
 */
async function askToEnd(world: World, actors: readonly Actor[]): Promise<void> {
  const mark = newMark();
  const begun = await world.stop(async () => {
    for (const actor of actors) actor.waiting += await keepWaiting(world, actor, mark);
  });
  const late = begun.map(({ family, label }) => ({
    family,
    fault: `asked for after the operator was asked to end, and by no run under way: ${label}`,
  }));
  const taken = (await look(world))
    .filter(({ status }) => status.lastHandledReconcileAt === mark)
    .map(({ kind, metadata }) => ({
      family: metadata.namespace,
      fault: `looked at after the operator was asked to end: ${kind} ${metadata.name}`,
    }));
  // Told, and no fault: who waited so long for its answer that it gave up has a run of its own by then, which may take the key.
  for (const { family, fault } of taken) console.log(`${family}: ${fault}`);
  for (const { family, fault } of late) {
    actors.find((actor) => actor.family.namespace === family)?.faults.push(fault);
  }
}

/** @returns for how many objects a look was asked for while their runs wait */
async function keepWaiting({ kube, traffic }: World, { family }: Actor, mark: string): Promise<number> {
  const held = traffic.held.filter((one) => one.family === family.namespace);
  const members = new Set(held.flatMap(({ label }) => runOf(family, label) ?? []));
  for (const member of members) await unlessGone(markForLook(kube, family, { member, mark }));
  return members.size;
}
