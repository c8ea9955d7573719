import type { Random } from "../../base/random.ts";
import type { DrivenClock } from "../driven-clock.ts";
import { AtWork } from "./at-work.ts";
import type { HoldRule, ServiceState } from "./service-state.ts";
import { type Settings, type SettingsChange, settingsWith } from "./settings.ts";
import { createIndexes, type Indexes } from "./indexes.ts";
import { ChangeLog } from "./table.ts";
import { allTables, createTables, type Tables } from "./tables.ts";

/** Everything that the emulated service is at one moment. Handlers and control calls read and replace records here. */
export interface World extends Tables {
  /** the same tables, for those who walk through all */
  readonly tables: Tables;
  /** what is found of projects and branches without a walk through all */
  readonly indexes: Indexes;
  readonly clock: DrivenClock;
  readonly random: Random;
  /** what changed since it was saved last */
  readonly changes: ChangeLog;
  /** refs of projects in which a deploy is being bundled */
  readonly deploying: Set<string>;
  /** the requests that are being worked on: whatever of one waits for time waits there */
  readonly atWork: AtWork;
  /** as they are in force */
  readonly settings: Settings;
  /** as every start finds them */
  savedSettings: Settings;
  /** what this start was told, and what was said since: goes before what is saved */
  toldSettings: SettingsChange;
  holds: readonly HoldRule[];
  /** the last integer id that was given */
  lastNumber: number;
  /** Called with the ref of each project that is removed for good. */
  onProjectRemoved: (ref: string) => void;
}

export function createWorld(clock: DrivenClock, random: Random, settings: Settings): World {
  const changes = new ChangeLog();
  const tables = createTables(changes);
  const { state, change, inForce } = serviceOf(tables, settings);
  clock.onAdvance = (aheadMs) => change({ aheadMs });
  return {
    ...tables,
    tables,
    indexes: createIndexes(tables),
    clock,
    random,
    changes,
    deploying: new Set(),
    atWork: new AtWork(clock),
    onProjectRemoved: () => undefined,
    get settings() {
      return inForce();
    },
    get savedSettings() {
      return state().settings;
    },
    set savedSettings(changed) {
      change({ settings: changed });
    },
    get toldSettings() {
      return state().told ?? {};
    },
    set toldSettings(told) {
      change({ told });
    },
    get holds() {
      return state().holds;
    },
    set holds(holds) {
      change({ holds });
    },
    get lastNumber() {
      return state().lastNumber;
    },
    set lastNumber(lastNumber) {
      change({ lastNumber });
    },
  };
}

function serviceOf({ service }: Tables, settings: Settings) {
  const state = (): ServiceState => service.get(SERVICE) ?? { ...NOTHING_YET, settings };
  const inForce = settingsInForce();
  return {
    state,
    change: (part: Partial<ServiceState>): void => service.set(SERVICE, { ...state(), ...part }),
    inForce: (): Settings => inForce(state()),
  };
}

/** What is saved, with what goes before it; put together once, since every request asks. */
function settingsInForce(): (state: Pick<ServiceState, "settings" | "told">) => Settings {
  let known: { saved: Settings; told: SettingsChange | undefined; settings: Settings } | undefined;
  return ({ settings: saved, told }) => {
    if (known === undefined || known.saved !== saved || known.told !== told) {
      known = { saved, told, settings: told === undefined ? saved : settingsWith(saved, told) };
    }
    return known.settings;
  };
}

const SERVICE = "service";
const NOTHING_YET = { holds: [], lastNumber: 0, aheadMs: 0 } as const;

/** Forgets everything but the time. */
export function clearWorld(world: World, settings: Settings): void {
  for (const table of allTables(world.tables)) table.clear();
  world.service.set(SERVICE, { ...NOTHING_YET, settings, aheadMs: world.clock.aheadMs });
}

/** Lets the clock go on from where it was when the state was saved. */
export function restoreTime(world: World): void {
  world.clock.setAhead(world.service.get(SERVICE)?.aheadMs ?? 0);
}
