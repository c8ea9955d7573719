import type { SectionEntry } from "../../resources/settings/status.ts";
import { clusterNow } from "../shared/cluster-time.ts";
import { showDrift } from "../shared/drift.ts";
import { REFUSED_LOOK_MS } from "../shared/drift-checks.ts";
import { driftIntervalMs } from "../shared/policies.ts";
import type { Phase } from "../shared/project-states.ts";
import type { Run } from "../shared/run.ts";
import { driftOf, EDITED, entryEdited, entryLeft, entryTakenBack, unseenMs, wholeOf } from "./entries.ts";
import { entriesNow } from "./former-sections.ts";
import { digestOf } from "./memory.ts";
import { digestOfDeclared, type Refused, withRefusedFields } from "./refusal-memory.ts";
import { sectionsOf } from "./refused-sections.ts";
import type { Section } from "./section.ts";
import { type SectionsEnd, sumOf } from "./sum.ts";
import type { SectionedStatus, SectionTarget } from "./turn.ts";

/**
 * The sections of a project that is not up: nothing of them is read or written, and what of them is still to be done is told. Of one that is paused Ready is
 * their sum then, too.
 */

const UNLOOKED = "is looked at, and applied, once the project runs";

/** Whether nobody looked at the section yet: what was found of it first is still to come. Pure. */
export function isUnlooked({ state, message, applied, sending }: SectionEntry): boolean {
  return state === "Waiting" && message === UNLOOKED && applied === undefined && sending === undefined;
}

type Awaiting = Pick<SectionTarget, "object" | "policies" | "others">;

/** Tells which of the declared sections wait for the project to run. Nothing waits under `managementPolicy: Observe`. */
export function awaitRunning<Status extends SectionedStatus>(run: Run<Status>, awaiting: Awaiting): SectionsEnd {
  const { object, policies, others } = awaiting;
  if (policies.managementPolicy.value === "Observe") return { error: undefined, dueInMs: undefined };
  const { spec } = object;
  const nowMs = clusterNow(run.environment);
  const declared = sectionsOf(object).filter((one) => one.declared(spec) !== undefined);
  const known = run.status.current.sections ?? [];
  const stored = entriesNow(known, declared, spec);
  const byName = new Map(stored.map((entry) => [entry.name, entry]));
  const entries = declared.map((section) => {
    const { name } = section;
    const before = byName.get(name);
    if (before === undefined) return { name, ...waitsFor(name), message: UNLOOKED };
    // How long it takes is counted from when the project runs again.
    const { since: _, ...stood } = before;
    return entryMeanwhile(stood, digestsOf(section, awaiting));
  });
  const names = new Set(entries.map(({ name }) => name));
  const gone = stored.filter((one) => !names.has(one.name) && unseenMs(one, nowMs) > 0);
  const all = [...entries, ...gone.map(entryLeft)];
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

/**
 * Tells what was edited while the platform is at something else, however the object says that by itself: nothing of that is in sync. What was never looked at
 * stays untold until it is.
 */
export function tellEdited<Status extends SectionedStatus>(run: Run<Status>, phase: Phase, awaiting: Awaiting): void {
  const isLookedAt = phase.kind === "ready" || phase.reason === "Unhealthy";
  if (isLookedAt) return;
  const { object, policies, others } = awaiting;
  const { sections: stored = [] } = run.status.current;
  if (policies.managementPolicy.value === "Observe" || stored.length === 0) return;
  const byName = new Map(sectionsOf(object).map((section) => [section.name, section]));
  const entries = stored.map(timedAnew).map((entry) => {
    const section = byName.get(entry.name);
    if (section?.declared(object.spec) === undefined) return entry;
    return entryMeanwhile(entry, digestsOf(section, awaiting));
  });
  run.status.sections(entries);
  showDrift(run, others, driftOf(entries));
}

/** What was written with an outage has its time to show once that is over, however long it takes. */
function timedAnew(entry: SectionEntry): SectionEntry {
  const { since: _since, ...others } = entry;
  const isOpen = entry.state === "Applying" || entry.state === "Waiting"; // a look that failed leaves it Waiting
  return isOpen && entry.interrupted !== undefined ? others : entry;
}

/** Digests of what is declared of a section, and as refusals know it. */
interface Digests {
  readonly declares: string;
  readonly refused: string;
}

function digestsOf(section: Section, { object, policies }: Awaiting): Digests {
  const declares = digestOf(section.declared(object.spec));
  return { declares, refused: digestOfDeclared({ target: { policies } }, { declared: declares }) };
}

function waitsFor(name: string): Pick<SectionEntry, "state" | "reason" | "fields"> {
  return { state: "Waiting", reason: "Updating", fields: [...wholeOf({ name })] };
}

/** How a section stands that cannot be looked at. Pure. */
function entryMeanwhile(stood: SectionEntry, digests: Digests): SectionEntry {
  const { applied, message, refused } = stood;
  if (applied === digests.declares) {
    return message === EDITED ? withRefusedFields(entryTakenBack(stood), refusedFieldsOf(refused)) : stood;
  }
  return isEdited(stood, digests) ? entryEdited(stood) : stood;
}

/** Older versions kept the reason elsewhere. */
function refusedFieldsOf(refused: Refused | undefined): Refused | undefined {
  return refused === undefined ? undefined : { ...refused, reason: refused.reason ?? "Rejected" };
}

function isEdited({ state, applied, refused }: SectionEntry, digests: Digests): boolean {
  if (state === "InSync" || state === "Drifted") return applied !== undefined;
  return refused !== undefined && refused.declared !== digests.refused;
}
