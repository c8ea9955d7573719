import type { DriftDecision } from "../shared/drift.ts";
import { kubeTime } from "../shared/conditions.ts";
import { calling } from "../shared/failures.ts";
import type { SectionChange } from "./section.ts";
import { fail, type Looked, now, type SectionedStatus, type Turn } from "./turn.ts";

type Deferring = Looked & { readonly decision: DriftDecision<SectionChange> };

/**
 * Restarts the database for sections that left it to a later one whose write then failed: what was stored is in force only after a restart, and nothing
 * that can be read tells that one is due.
 */
export async function restartFor<Status extends SectionedStatus>(
  turn: Turn<Status>,
  deferring: readonly Deferring[],
): Promise<void> {
  const { client, ref, call } = turn.at;
  try {
    await calling("restart the database for settings that need it", () => client.projects.restart({ ref }, call));
    turn.run.wrote("Updated", `restarted the database for ${deferring.map(({ section }) => section.name).join(", ")}`);
  } catch (error) {
    for (const one of deferring) {
      await fail(turn, one, error);
      noteAwaited(turn, one);
    }
  }
}

/** As long as nobody restarts it, that is told. */
function noteAwaited<Status extends SectionedStatus>(turn: Turn<Status>, { section, decision }: Deferring): void {
  const entry = turn.entries.get(section.name);
  if (entry === undefined) return;
  const fields = decision.write.map(({ field }) => field);
  turn.entries.set(section.name, { ...entry, awaitsRestart: { fields, since: kubeTime(now(turn)) } });
}
