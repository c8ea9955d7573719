import type { SectionEntry } from "../../resources/settings/status.ts";
import { clusterNow } from "../shared/cluster-time.ts";
import { showDrift } from "../shared/drift.ts";
import { REFUSED_LOOK_MS } from "../shared/drift-checks.ts";
import { driftIntervalMs } from "../shared/policies.ts";
import type { Run } from "../shared/run.ts";
import { driftOf, entryLeft, keptOf, unseenMs, wholeOf } from "./entries.ts";
import { entriesNow } from "./former-sections.ts";
import { digestOf } from "./memory.ts";
import { sectionsOf } from "./refused-sections.ts";
import { type SectionsEnd, sumOf } from "./sum.ts";
import type { SectionedStatus, SectionTarget } from "./turn.ts";

/**
 * The sections of a project that is paused: nothing of them is read or written, and what of them is still to be done is told, so that Ready is their sum
 * then, too.
 */

const UNLOOKED = "is looked at, and applied, once the project runs";
const EDITED = "was edited, and is applied once the project runs";

/** Whether nobody looked at the section yet: what was found of it first is still to come. Pure. */
export function isUnlooked({ state, message, applied, sending }: SectionEntry): boolean {
  return state === "Waiting" && message === UNLOOKED && applied === undefined && sending === undefined;
}

/** Tells which of the declared sections wait for the project to run. Nothing waits under `managementPolicy: Observe`. */
export function awaitRunning<Status extends SectionedStatus>(
  run: Run<Status>,
  { object, policies, others }: Pick<SectionTarget, "object" | "policies" | "others">,
): SectionsEnd {
  if (policies.managementPolicy.value === "Observe") return { error: undefined, dueInMs: undefined };
  const { spec } = object;
  const nowMs = clusterNow(run.environment);
  const declared = sectionsOf(object).filter((one) => one.declared(spec) !== undefined);
  const stored = entriesNow(run.status.current.sections ?? [], declared, spec);
  const byName = new Map(stored.map((entry) => [entry.name, entry]));
  const entries = declared.map((section) => {
    const { name } = section;
    const declares = digestOf(section.declared(spec));
    const refused = digestOf([declares, policies.managementPolicy.value]); // as refusal-memory.ts has it
    return entryMeanwhile(byName.get(name) ?? { name }, { declares, refused });
  });
  const names = new Set(entries.map(({ name }) => name));
  const left = stored.filter((one) => !names.has(one.name) && unseenMs(one, nowMs) > 0).map(entryLeft);
  const all = [...entries, ...left];
  run.status.sections(all.length === 0 ? undefined : all);
  showDrift(run, others, driftOf(entries));
  const lookMs = driftIntervalMs(policies) ?? REFUSED_LOOK_MS;
  const error = sumOf({
    entries,
    polls: new Map(entries.map(({ name }) => [name, lookMs])),
    passing: new Set(),
    isUntold: false,
    nowMs,
    recheckAfterMs: lookMs,
    dueInMs: undefined,
  });
  return { error, dueInMs: undefined };
}

/** How a section stands that cannot be looked at. Pure. @param digest of what is declared, and as refusals know it */
function entryMeanwhile(
  before: Pick<SectionEntry, "name"> & Partial<SectionEntry>,
  digest: { readonly declares: string; readonly refused: string },
): SectionEntry {
  // How long it takes is counted from when the project runs again.
  const { since: _, ...stood } = before;
  const { name, state, applied, refused, message } = stood;
  const waits = { state: "Waiting", reason: "Updating", fields: wholeOf({ name }) } as const;
  if (state === undefined) return { name, ...waits, message: UNLOOKED };
  const known = { ...stood, state };
  // Taken back: it is as it was.
  if (applied === digest.declares) return message === EDITED ? { ...keptOf(known), state: "InSync" } : known;
  const isRest = state === "InSync" || state === "Drifted";
  const isEdited = isRest ? applied !== undefined : refused !== undefined && refused.declared !== digest.refused;
  return isEdited ? { ...keptOf(known), ...waits, message: EDITED } : known;
}
