import { POSTGRES_SETTINGS, type PostgresSetting } from "../../api/contract/postgres-config.ts";
import { Verbatim } from "../../api/contract/operation.ts";
import type { Reason } from "../../resources/conditions.ts";
import type { SectionEntry } from "../../resources/settings/status.ts";
import { postgresSettings } from "../../resources/settings/postgres-settings.ts";
import { settingsOf, type Wire } from "../../resources/settings/setting.ts";
import { TransientError } from "../../runtime/outcome.ts";
import { clusterNow } from "../shared/cluster-time.ts";
import { kubeTime } from "../shared/conditions.ts";
import { calling, terminal, unexpected, waiting } from "../shared/failures.ts";
import { RESTARTING_MESSAGE } from "./entries.ts";
import { declaredRows } from "./field-plan.ts";
import { digestOf } from "./memory.ts";
import type {
  AwaitsRestart,
  Restarting,
  Section,
  SectionAt,
  SectionChange,
  SectionLook,
  SectionProgress,
  Sections,
  SectionWrite,
} from "./section.ts";
import { SETTLED } from "./section.ts";
import { NO_REFERENCES } from "./section-references.ts";
import { WantingError } from "./wanting.ts";

/**
 * spec.database.settings. The platform takes them as a whole and shows only what is overridden (facts.md §3, §6.1): what is to stay is read and written
 * with the rest, also where it is nothing that this program knows. It is read right before, since a run writes other sections first, which takes its time;
 * where it is not what was looked at, nothing is written before another look.
 */

/** What is declared, as it is meant where members are omitted. */
interface Declared {
  readonly settings: NonNullable<NonNullable<Sections["database"]>["settings"]>;
  readonly mode: "Merge" | "Replace";
  readonly restart: "OnEdit" | "Always" | "Never";
}

type Overrides = Readonly<Record<string, unknown>>;

/** A setting that differs. */
export interface SettingPlan extends SectionChange {
  readonly wire: string;
  /** undefined: taken back to the platform's own */
  readonly value: Wire | undefined;
}

const PREFIX = "spec.database.settings";
const rows = settingsOf(postgresSettings);
const rowByWire = new Map(rows.map((row) => [row.wire, row]));
const known: Readonly<Record<string, PostgresSetting>> = POSTGRES_SETTINGS;

function declaredIn({ database }: Sections): Declared | undefined {
  if (database?.settings === undefined) return undefined;
  const { settings, settingsMode: mode = "Merge", settingsRestart: restart = "OnEdit" } = database;
  return { settings, mode, restart };
}

/** @throws WantingError, of TerminalError InvalidSpec: no platform takes what they hold */
function requireTakeable(settings: Declared["settings"]): void {
  const problems = declaredRows(rows, settings).flatMap((row) => {
    const told = row.problem?.(Reflect.get(settings, row.path));
    return told === undefined ? [] : [{ path: row.path, told }];
  });
  if (problems.length === 0) return;
  const words = problems.map(({ path, told }) => `${path}: ${told}`).join("; ");
  const paths = problems.map(({ path }) => path);
  throw new WantingError(paths, terminal("InvalidSpec", `${PREFIX}: ${words}`));
}

/** The settings that differ, each with what it is to become (K-19). Pure. */
export function planSettings(
  { settings, mode }: Pick<Declared, "settings" | "mode">,
  overrides: Overrides,
): readonly SettingPlan[] {
  const declared = declaredRows(rows, settings).map((row) => ({
    row,
    value: row.encode(Reflect.get(settings, row.path)),
  }));
  const differing = declared
    .filter(({ row, value }) => !row.isSame(value, overrides[row.wire]))
    .map(({ row: { path, wire }, value }): SettingPlan => change(path, wire, overrides[wire], value));
  if (mode === "Merge") return differing;
  const kept = new Set(declared.map(({ row }) => row.wire));
  const takenBack = Object.keys(overrides)
    .filter((wire) => !kept.has(wire) && overrides[wire] !== undefined)
    .map((wire): SettingPlan => change(rowByWire.get(wire)?.path ?? wire, wire, overrides[wire], undefined));
  return [...differing, ...takenBack];
}

function change(path: string, wire: string, observed: unknown, value: Wire | undefined): SettingPlan {
  const difference = JSON.stringify([observed ?? null, value ?? null]);
  return { field: `${PREFIX}.${path}`, wire, value, cause: "declared", difference };
}

/** What is overridden once the changes are made, as a request carries it. @param overrides as they are right before. Pure. */
export function overridesAfter(overrides: Overrides, changes: readonly SettingPlan[]): Overrides {
  const after = new Map(Object.entries(overrides));
  for (const { wire, value } of changes) {
    if (value === undefined) after.delete(wire);
    else after.set(wire, value);
  }
  return Object.fromEntries(after);
}

/** Of what this program does not know the platform itself can tell: it restarts only where it must. */
function needsRestart({ wire }: SettingPlan): boolean {
  return known[wire]?.restart ?? true;
}

interface Found {
  readonly at: SectionAt;
  readonly declared: Declared;
  /** differences are drift and no edit */
  readonly isRepair: boolean;
  readonly overrides: Overrides;
  readonly awaitsRestart: AwaitsRestart | undefined;
  /** what the status said of the section */
  readonly entry: SectionEntry | undefined;
}

function mayRestart({ declared, isRepair }: Found): boolean {
  return declared.restart === "Always" || (declared.restart === "OnEdit" && !isRepair);
}

function lookAt(found: Found, progress: SectionProgress = dueRestart(found.awaitsRestart)): SectionLook {
  const { declared, overrides, awaitsRestart } = found;
  const changes = planSettings(declared, overrides);
  const makingOf = (due: readonly SectionChange[]): readonly SettingPlan[] => {
    const fields = new Set(due.map(({ field }) => field));
    return changes.filter(({ field }) => fields.has(field));
  };
  return {
    changes,
    progress,
    ...(Object.keys(overrides).length === 0 ? { overridden: false } : {}),
    ...(awaitsRestart === undefined
      ? {}
      : { awaitsRestart, restarted: () => lookAt({ ...found, awaitsRestart: undefined }) }),
    restarts: (due) => mayRestart(found) && makingOf(due).some(needsRestart),
    write: (due, how) => write(found, makingOf(due), how),
  };
}

/** Where nothing is overridden the answer is empty; one that names something, and no setting that there is, is of something else. */
async function readOverrides({ client, ref, call }: SectionAt): Promise<Overrides> {
  const doing = "read the database's settings";
  const overrides = await calling(doing, () => client.postgresConfig.get({ ref }, call));
  const wires = Object.keys(overrides);
  if (wires.length === 0 || wires.some((wire) => Object.hasOwn(known, wire))) return overrides;
  throw unexpected(doing, "the answer names no setting of a database");
}

/** How soon settings that were two things in one run are looked at again, milliseconds: somebody may have changed them. */
const CHANGED_LOOK_MS = 1000;
/** For how long they may go on being two things before somebody is to look, milliseconds. */
const DIFFERING_MS = 300_000;
/** How soon settings that were overridden, and are so no more, are looked at again, milliseconds: what answers wrongly does so for a moment. */
const CONFIRMING_MS = 10_000;

/**
 * The overrides right before they are replaced, which are those that were looked at: what changed meanwhile may be more to take out, and one wrong answer
 * must not be what is written with.
 *
 * @throws AnswersDiffer, AnswerUnconfirmed: nothing is written before they are looked at again
 */
async function readSame(found: Found): Promise<Overrides> {
  const { at, overrides: before } = found;
  if (!isConfirmed(found)) {
    const message =
      "the platform answers that no setting of the database is overridden, though some may be: they are looked at once more before any is written";
    throw waiting("AnswerUnconfirmed", message, CONFIRMING_MS);
  }
  const overrides = await readOverrides(at);
  if (digestOf(overrides) === digestOf(before)) return overrides;
  throw differing(found);
}

function agesMs({ at, entry }: Found): number {
  return entry?.since === undefined ? 0 : clusterNow(at.environment) - Date.parse(entry.since);
}

/** Whether the overrides may be written with: that none is there, where some were, is believed of two looks that are seconds apart. */
function isConfirmed(found: Found): boolean {
  const { applied, sending, overridden, reason } = found.entry ?? {};
  if (Object.keys(found.overrides).length > 0 || (applied ?? sending) === undefined) return true;
  // Nothing was lost then.
  if (overridden === false && sending === undefined) return true;
  return reason === "AnswerUnconfirmed" && agesMs(found) >= CONFIRMING_MS;
}

/** What comes of two reads that differ: once that may be an edit of somebody, and more than once it is looked at less and less. */
function differing(found: Found): Error {
  const reason = "AnswersDiffer" satisfies Reason;
  const message =
    "the database's settings are not what they were a moment ago: they are looked at again before anything is written";
  if (found.entry?.reason !== reason) return waiting(reason, message, CHANGED_LOOK_MS);
  if (found.entry.state !== "Failed" && agesMs(found) < DIFFERING_MS) return new TransientError(reason, message);
  const advice = "find out what else writes them, or answers in the platform's place; each drift check tries again";
  return terminal(reason, `the database's settings differ at each read: ${advice}`);
}

async function write(
  found: Found,
  making: readonly SettingPlan[],
  { restartBy, send }: SectionWrite,
): Promise<SectionLook> {
  const { client, ref } = found.at;
  const restarts = mayRestart(found) && making.some(needsRestart);
  const isLast = restarts && restartBy.length === 0;
  const awaitsRestart = awaitedAfter(found, making, restarts ? restartBy : []);
  const overrides = await readSame(found);
  const body = { ...overridesAfter(overrides, making), restart_database: isLast };
  // What is stored shows nothing of the restart that it still needs: it is known before it is stored.
  const answer = await calling("change the database's settings", () =>
    send(
      (call) => client.postgresConfig.replace({ ref, body: new Verbatim(body) }, call),
      awaitsRestart === found.awaitsRestart ? {} : { awaitsRestart },
    ),
  );
  const next = { ...found, overrides: answer, awaitsRestart: isLast ? undefined : awaitsRestart };
  return lookAt(next, isLast ? RESTARTING : undefined);
}

const RESTARTING: SectionProgress = { kind: "applying", reason: "Updating", message: RESTARTING_MESSAGE };

/** What was left to other sections is not in force before one of them has restarted the database. */
function dueRestart(awaitsRestart: AwaitsRestart | undefined): SectionProgress {
  if (awaitsRestart?.leftTo === undefined) return SETTLED;
  const message = `written, and in force after the restart of the database that comes with ${awaitsRestart.leftTo.join(" or ")}`;
  return { kind: "applying", reason: "Updating", message };
}

/** @param restartBy sections that are to bring the restart that the changes need; empty: they bring it by themselves, or none is due */
function awaitedAfter(
  found: Found,
  making: readonly SettingPlan[],
  restartBy: readonly Restarting[],
): AwaitsRestart | undefined {
  const { awaitsRestart: before, at } = found;
  const needing = making.filter(needsRestart).map(({ field }) => field);
  if (needing.length === 0) return before;
  // With the restart of its own that this write brings, what others were to bring is not due a second time.
  if (mayRestart(found) && restartBy.length === 0) return withoutDue(before);
  const fields = [...new Set([...(before?.fields ?? []), ...needing])].toSorted();
  const since = kubeTime(clusterNow(at.environment));
  const left = { leftTo: restartBy.map(({ section }) => section), had: restartBy.map(({ had }) => had) };
  return { fields, since, ...(restartBy.length === 0 ? {} : left) };
}

function withoutDue(awaitsRestart: AwaitsRestart | undefined): AwaitsRestart | undefined {
  if (awaitsRestart?.leftTo === undefined) return awaitsRestart;
  const { leftTo: _leftTo, had: _had, ...others } = awaitsRestart;
  return others;
}

export const databaseSettingsSection: Section = {
  name: "database.settings",
  about:
    "Settings of the database. One read, and one write with a read right before it, which carries all overrides and restarts the database where a changed setting needs that and settingsRestart allows it.",
  operations: ["postgresConfig.get", "postgresConfig.replace"],
  lacks:
    "Nothing tells which settings await a restart of the database: what was written without one says so in status.sections, with the time.",
  declared: declaredIn,
  references: () => NO_REFERENCES,
  look: async (at, spec, entry: SectionEntry | undefined) => {
    const declared = declaredIn(spec);
    if (declared === undefined) throw new TypeError("database.settings is not declared");
    requireTakeable(declared.settings);
    const overrides = await readOverrides(at);
    const isRepair = entry?.applied === digestOf(declared);
    const awaitsRestart =
      declared.restart === "Never" || at.isObserved ? withoutDue(entry?.awaitsRestart) : entry?.awaitsRestart;
    return lookAt({ at, declared, isRepair, overrides, awaitsRestart, entry });
  },
};
