import { annotations } from "../../resources/annotations.ts";
import type { SectionEntry } from "../../resources/settings/status.ts";
import { kubeTime } from "../shared/conditions.ts";
import { UNSEEN_MS } from "./entries.ts";
import { digestOf } from "./memory.ts";
import type { SectionChange } from "./section.ts";
import { type Looked, now, type SectionedStatus, type Turn } from "./turn.ts";

/**
 * What a platform makes something else of. What costs nothing is written three times (engine.md §6, convergence guard); a write that interrupts what is
 * served is made once for a declared section, and not again before it was seen as declared: for a while it may only not be shown yet, and is waited for. The
 * status keeps both, so that an operator that starts knows them: another declared section, compute size or version of the database, or somebody who asks for
 * a look, has them written anew, and another answer has what costs nothing.
 */

type Interrupted = NonNullable<SectionEntry["interrupted"]>;

/** What decides, beside the section, what the platform makes of it, and who asked for it. */
type Occasion = Omit<Interrupted, "declared" | "fields" | "at"> & { readonly nowMs: number };

/** The one of this run. */
export function occasionOf<Status extends SectionedStatus>(turn: Turn<Status>): Occasion {
  const { object, surroundings } = turn.target;
  return {
    nowMs: now(turn),
    asked: object.metadata.annotations?.[annotations.reconcileAt],
    instanceSize: object.spec.instanceSize,
    engine: majorOf(surroundings.engine),
  };
}

/** Of a version such as `17.6.1.054`: its builds come and go by themselves, and none of them is asked for. */
function majorOf(engine: string | undefined): string | undefined {
  return engine?.split(".", 1)[0];
}

/** Which changes are not written now, as the status tells. */
interface InVain {
  /** are written no more */
  readonly stuck: readonly SectionChange[];
  /** were written a moment ago, and may come to show yet */
  readonly unseen: readonly SectionChange[];
  /** what was written for another occasion counts no more */
  readonly isOver: boolean;
}

/** Pure. @param entry what it said of the section */
export function inVain(entry: SectionEntry | undefined, { declared, look }: Looked, occasion: Occasion): InVain {
  const { interrupted, left } = entry ?? {};
  const isOver = interrupted !== undefined && !isOf(interrupted, declared, occasion);
  const fields = interrupted?.fields ?? [];
  const outages = look.changes.filter((change) => fields.includes(change.field) && look.restarts([change]));
  const spent = isOver ? [] : outages;
  const mayShowYet = occasion.nowMs < showsUntilMs(entry, occasion.nowMs);
  const stuck = byField(look.changes, left?.stuck ?? []);
  const isSame = left?.stuckAt !== undefined && left.stuckAt === differing(declared, stuck, occasion);
  const inVainThrice = isSame ? stuck.filter((change) => !outages.includes(change)) : [];
  return {
    stuck: [...inVainThrice, ...(mayShowYet ? [] : spent)],
    unseen: mayShowYet ? spent : [],
    isOver,
  };
}

/** Until when what was written may come to show: from the request, or from the first look once the project was up again (await-running.ts, `timedAnew`). */
function showsUntilMs(entry: SectionEntry | undefined, nowMs: number): number {
  const { state, since, left, interrupted: { at, fields } = {} } = entry ?? {};
  if (at === undefined) return -Infinity;
  const writtenMs = Date.parse(at);
  // What did not come to show goes on being told, whatever is written beside it.
  const isTold = left?.stuck?.some((field) => fields?.includes(field)) === true;
  // A look that failed leaves it Waiting.
  if ((state !== "Applying" && state !== "Waiting") || isTold) return writtenMs + UNSEEN_MS;
  return (since === undefined ? nowMs : Math.max(writtenMs, Date.parse(since))) + UNSEEN_MS;
}

/**
 * Whether that was written for what is declared now. An older version kept no occasion. What nobody tells any more, or nobody told then, is no other one: to
 * declare the size that is there, or to take it out, is not to be an outage.
 */
function isOf(interrupted: Interrupted, declared: string, { asked, instanceSize, engine }: Occasion): boolean {
  if (interrupted.declared !== declared) return false;
  if (interrupted.at === undefined) return true;
  const isOther = (was: string | undefined, is: string | undefined): boolean =>
    was !== undefined && is !== undefined && was !== is;
  return (
    !(asked !== undefined && asked !== interrupted.asked) &&
    !isOther(interrupted.instanceSize, instanceSize) &&
    !isOther(majorOf(interrupted.engine), engine)
  );
}

interface Ended extends Looked {
  readonly decision: { readonly stuck: readonly string[] };
}

interface Outcome {
  readonly one: Ended;
  readonly wrote: readonly SectionChange[];
  readonly after: Looked["look"];
  readonly occasion: Occasion;
}

/** The entry, with what is to be known of such changes. Pure. @param before what was known of the section, where nobody asked to begin anew */
export function withInVain(
  entry: SectionEntry,
  before: Pick<SectionEntry, "interrupted"> | undefined,
  outcome: Outcome,
): SectionEntry {
  const { one, after, occasion } = outcome;
  const { declared, decision } = one;
  const stuck = byField(after.changes, decision.stuck);
  const left = stuck.length === 0 ? entry.left : { ...entry.left, stuckAt: differing(declared, stuck, occasion) };
  const interrupted = entry.state === "InSync" ? undefined : interruptedAfter(before?.interrupted, outcome);
  return {
    ...entry,
    ...(left === undefined ? {} : { left }),
    ...(interrupted === undefined ? {} : { interrupted }),
  };
}

function interruptedAfter(
  before: Interrupted | undefined,
  { one: { declared, look }, wrote, after, occasion }: Outcome,
): Interrupted | undefined {
  const recorded = before !== undefined && isOf(before, declared, occasion) ? before : undefined;
  // What was seen as declared since is another difference when it comes back.
  const known = recorded?.fields.filter((field) => after.changes.some((change) => change.field === field)) ?? [];
  // What is left to another restart brought none.
  const isLeft = after.awaitsRestart?.leftTo !== undefined;
  const made = isLeft ? [] : wrote.filter((change) => look.restarts([change])).map(({ field }) => field);
  const fields = [...new Set([...known, ...made])];
  if (fields.length === 0) return undefined;
  if (made.length === 0 && recorded !== undefined) return { ...recorded, fields, ...learned(recorded, occasion) };
  return { declared, fields, ...toldOf(occasion, recorded) };
}

/** What nobody told when it was written, and is told now: by that another one is known later. */
function learned(
  recorded: Interrupted,
  { instanceSize, engine }: Occasion,
): Pick<Interrupted, "instanceSize" | "engine"> {
  return {
    ...(recorded.instanceSize === undefined && instanceSize !== undefined ? { instanceSize } : {}),
    ...(recorded.engine === undefined && engine !== undefined ? { engine } : {}),
  };
}

function toldOf(
  { nowMs, ...occasion }: Occasion,
  recorded: Interrupted | undefined,
): Omit<Interrupted, "declared" | "fields"> {
  const { asked = recorded?.asked, instanceSize = recorded?.instanceSize, engine = recorded?.engine } = occasion;
  return {
    at: kubeTime(nowMs),
    ...(asked === undefined ? {} : { asked }),
    ...(instanceSize === undefined ? {} : { instanceSize }),
    ...(engine === undefined ? {} : { engine }),
  };
}

/** What is told by what was recorded alone has an end of its own. */
function byField(changes: readonly SectionChange[], fields: readonly string[]): readonly SectionChange[] {
  return changes.filter(({ field, remembered }) => remembered !== true && fields.includes(field));
}

/** What costs nothing goes by who asks, and by no compute size. */
function differing(declared: string, changes: readonly SectionChange[], { asked }: Occasion): string {
  const differences = changes.map(({ field, difference }) => [field, difference]);
  return digestOf(asked === undefined ? [declared, differences] : [declared, differences, asked]);
}
