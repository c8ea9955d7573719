import { type DriftDecision, decideDrift, observedDrift } from "../shared/drift.ts";
import { entryAfter, entryBehind } from "./entries.ts";
import type { SectionChange, SectionLook } from "./section.ts";
import { restartFor } from "./restart-for.ts";
import { fail, type Looked, noteInSync, now, type SectionedStatus, type Turn } from "./turn.ts";

type Decided = Looked & { readonly decision: DriftDecision<SectionChange> };

/** Makes the changes that are due, section after section in their order, so that one restart of the database serves all that need one. */
export async function carryOut<Status extends SectionedStatus>(
  turn: Turn<Status>,
  looked: readonly Looked[],
): Promise<void> {
  const decided = looked.map((one): Decided => ({ ...one, decision: decide(turn, one) }));
  const deferred: Decided[] = [];
  let restarting: string | undefined;
  for (const [index, one] of decided.entries()) {
    const restarts = one.look.restarts(one.decision.write);
    if (restarts && restarting !== undefined) {
      putOff(turn, one, restarting);
      continue;
    }
    const later = decided.slice(index + 1);
    const restartFollows = later.some(({ look, decision }) => look.restarts(decision.write));
    const written = await settle(turn, one, restartFollows);
    if (written?.deferredRestart === true) deferred.push(one);
    else if (written !== undefined && restarts) {
      deferred.length = 0;
      restarting = one.section.name;
    }
  }
  if (deferred.length > 0) await restartFor(turn, deferred);
}

function decide<Status extends SectionedStatus>(
  { run, target, before }: Turn<Status>,
  { section, declared, look }: Looked,
): DriftDecision<SectionChange> {
  const { object, policies } = target;
  const { changes } = look;
  if (policies.managementPolicy.value === "Observe") return { write: [], ...observedDrift(changes) };
  const inForce = before.get(section.name)?.applied === declared;
  return decideDrift(run, { object, policies, changes }, { inForce, part: section.name });
}

/** What restarts is refused while the database restarts already: it has its turn once that is over. */
function putOff<Status extends SectionedStatus>(
  turn: Turn<Status>,
  { section: { name } }: Decided,
  other: string,
): void {
  turn.entries.set(name, entryBehind(turn.before.get(name) ?? { name }, [other], now(turn)));
  turn.run.environment.sections.drop(turn.run.key, name);
}

/** @returns what a write gave; undefined where there was none, or it failed */
async function settle<Status extends SectionedStatus>(
  turn: Turn<Status>,
  one: Decided,
  restartFollows: boolean,
): Promise<SectionLook | undefined> {
  const { section, decision } = one;
  const written = decision.write.length > 0;
  let look = one.look;
  try {
    if (written) look = await write(turn, one, restartFollows);
    conclude(turn, one, look);
  } catch (error) {
    await fail(turn, one, error);
    return undefined;
  }
  const { state } = turn.entries.get(section.name) ?? {};
  if (state === "InSync" || state === "Drifted") noteInSync(turn, one);
  else turn.run.environment.sections.drop(turn.run.key, section.name);
  return written ? look : undefined;
}

async function write<Status extends SectionedStatus>(
  { run, target, circumstances }: Turn<Status>,
  { section, look, decision }: Decided,
  restartFollows: boolean,
): Promise<SectionLook> {
  await run.protect();
  const next = await look.write(decision.write, { restartFollows });
  circumstances.forget();
  for (const change of decision.write) run.environment.convergence.wrote(target.object, change, section.name);
  const fields = decision.write.map(({ field }) => field);
  run.wrote("Updated", `changed ${section.name}`, fields);
  count(run.environment, { kind: target.object.kind, section: section.name });
  return next;
}

function count(
  { meter }: Turn<SectionedStatus>["run"]["environment"],
  labels: { kind: string; section: string },
): void {
  meter
    .counter({
      name: "baas_section_writes_total",
      help: "Writes of sections of a spec that differed remotely",
      labels: ["kind", "section"],
    })
    .increment(labels);
}

/** Notes how the section stands, by the last look at it. */
function conclude<Status extends SectionedStatus>(turn: Turn<Status>, one: Decided, look: SectionLook): void {
  const { run, target, before, entries, polls } = turn;
  const { section, declared, decision } = one;
  const { name } = section;
  const left = new Set([...decision.reported, ...decision.stuck]);
  const wrote = new Set(decision.write.map(({ field }) => field));
  // What a policy leaves as it is was not written, and is no work that is left.
  const open = look.changes.map(({ field }) => field).filter((field) => wrote.has(field) && !left.has(field));
  const entry = entryAfter({
    before: before.get(name) ?? { name },
    digest: declared,
    isObserved: turn.at.isObserved,
    look,
    open,
    left: decision,
    nowMs: run.environment.clock.now(),
    timeout: target.object.spec.provisioningTimeout,
  });
  if (look.facts !== undefined) turn.facts.push(look.facts);
  if (look.progress.kind === "waiting") polls.set(name, look.progress.pollMs);
  entries.set(name, entry);
}
