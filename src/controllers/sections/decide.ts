import { type DriftDecision, decideDrift, observedDrift } from "../shared/drift.ts";
import type { EffectivePolicies } from "../shared/policies.ts";
import { isInForce } from "./in-force.ts";
import { inVain, occasionOf } from "./in-vain.ts";
import type { SectionChange } from "./section.ts";
import { isAskedFor, type Looked, type SectionedStatus, type Turn } from "./turn.ts";

/** What becomes of what differs in a section. */
export interface Decision extends DriftDecision<SectionChange> {
  /** what is reported counts as in force: another look at the same section is no edit of it */
  readonly isSettled: boolean;
  /** what takes the differences back, where a policy alone does not tell */
  readonly advice?: string;
  /** fields that were written with an interruption of what is served, and may come to show as declared yet */
  readonly unseen: readonly string[];
}

/** A section that was looked at, with what is written of it now. */
export type Decided = Looked & { readonly decision: Decision };

/** Which differences are written now (engine.md §6), and which are told. */
export function decide<Status extends SectionedStatus>(turn: Turn<Status>, looked: Looked): Decision {
  const { run, target, records } = turn;
  const { section } = looked;
  const { object, policies } = target;
  const differing = changesOf(turn, looked);
  if (policies.managementPolicy.value === "Observe") {
    return { write: [], ...observedDrift(differing), isSettled: false, unseen: [] };
  }
  const part = section.name;
  const { changes, unseen } = recall(turn, looked, differing);
  const wasInForce = isInForce(records.was(section.name), looked);
  const heldUp = wasInForce ? heldUpNow(turn, looked, changes) : [];
  if (heldUp.length > 0) {
    const others = changes.filter((change) => !heldUp.includes(change));
    const decision = decideDrift(run, { object, policies, changes: others }, { inForce: true, part });
    const reported = [...decision.reported, ...heldUp.map(({ field }) => field)];
    return { ...decision, reported, isSettled: true, unseen, advice: HELD_UP };
  }
  const disruption = looked.look.disrupts === false ? undefined : section.disruption;
  if (disruption === undefined) {
    return {
      ...decideDrift(run, { object, policies, changes }, { inForce: wasInForce, part }),
      isSettled: false,
      unseen,
    };
  }
  const found = disruption.isForGood === true ? isUnrecorded(turn, looked) : isFirstSeen(turn, looked);
  const inForce = wasInForce || found;
  const held = inForce && !disruption.isRepaired(object.spec);
  // What was asked for is told as long as it is not done, also of an object that ignores drift.
  const isAsked = held && found && disruption.isForGood === true;
  const planned = { object, policies: held ? reporting(policies, isAsked) : policies, changes };
  const decision = decideDrift(run, planned, { inForce, part });
  const isSettled = inForce && !(isAsked && policies.driftPolicy.value === "Ignore");
  return { ...decision, isSettled, unseen, ...(held ? { advice: disruption.advice(object.spec) } : {}) };
}

const HELD_UP =
  "to repair it interrupts what is served: that waits until the platform calls the project well, for an edit, or for baas.dev/reconcile-at";

/** Repairs that wait: nobody asked for an outage of what is unwell. What a policy or a section leaves anyway does not. */
function heldUpNow<Status extends SectionedStatus>(
  turn: Turn<Status>,
  { section, look }: Looked,
  changes: readonly SectionChange[],
): readonly SectionChange[] {
  const { target, at } = turn;
  const { policies, surroundings, object } = target;
  const isAsked = isAskedFor(turn, section.name);
  if (!surroundings.isUnwell || isAsked || at.isObserved || policies.driftPolicy.value !== "Correct") return [];
  if (look.disrupts !== false && section.disruption?.isRepaired(object.spec) === false) return [];
  return changes.filter((change) => change.cause === "declared" && look.restarts([change]));
}

/** What may be written of what differs, and what of it was a moment ago; the guard knows then what was written in vain. */
function recall<Status extends SectionedStatus>(
  turn: Turn<Status>,
  looked: Looked,
  differing: readonly SectionChange[],
): { readonly changes: readonly SectionChange[]; readonly unseen: readonly string[] } {
  const { target, run, records, isAsked } = turn;
  const { object } = target;
  const { convergence } = run.environment;
  const { name } = looked.section;
  const { stuck, unseen, isOver } = inVain(records.was(name), looked, occasionOf(turn));
  if (isAsked || isOver) convergence.beginAnew(object, name);
  if (isAsked) return { changes: differing, unseen: [] };
  convergence.recall(object, stuck, name);
  const fields = unseen.map(({ field }) => field);
  return { changes: differing.filter(({ field }) => !fields.includes(field)), unseen: fields };
}

/** What is decided on: without what is withheld; and what was refused is no drift, whoever asks for reports. */
function changesOf<Status extends SectionedStatus>(
  { records }: Turn<Status>,
  { section, look, withheld }: Looked,
): readonly SectionChange[] {
  const refused = records.was(section.name)?.refused?.fields ?? [];
  return look.changes
    .filter(({ field }) => !withheld.has(field))
    .map((change) => (refused.includes(change.field) ? { ...change, cause: "edit" as const } : change));
}

/** What would be repaired is told, and so is what is asked for, whatever the policy. */
function reporting(policies: EffectivePolicies, isAsked: boolean): EffectivePolicies {
  const { driftPolicy } = policies;
  if (driftPolicy.value === "Ignore" && !isAsked) return policies;
  return { ...policies, driftPolicy: { ...driftPolicy, value: "Report" } };
}

/**
 * Whether what differs was so when this object came to it, and nobody asked for another thing since: it came to be by no edit, so that who asks for reports
 * is not given an outage. An object's first generation tells it, or that it was only observed until now.
 */
function isFirstSeen<Status extends SectionedStatus>({ target, records }: Turn<Status>, { section }: Looked): boolean {
  const { object, policies } = target;
  if (policies.driftPolicy.value === "Correct") return false;
  const entry = records.was(section.name);
  if (entry === undefined) return object.metadata.generation === 1;
  return (
    entry.applied === undefined &&
    entry.sending === undefined &&
    (entry.state === "InSync" || entry.state === "Drifted")
  );
}

/**
 * Whether nothing tells what was declared before, and nothing of it was on its way: of an object that comes to a project, and of one whose status was lost.
 * An edit is told by a record alone; the look that holds what differs makes one. A first write is not recorded before it is sent: what an operator left that
 * ended then is held, too, while a record of what was never sent would cost history that somebody else asked for.
 */
function isUnrecorded<Status extends SectionedStatus>({ records }: Turn<Status>, { section }: Looked): boolean {
  const { applied, sending } = records.was(section.name) ?? {};
  return applied === undefined && sending === undefined;
}
