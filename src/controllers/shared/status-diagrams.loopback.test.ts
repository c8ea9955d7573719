import { expect, it } from "vitest";
import { functionLife, secretLife } from "../../../test/support/controllers/diagrams/child-scenarios.ts";
import { connectionLife } from "../../../test/support/controllers/diagrams/connection-scenario.ts";
import { diagrams, stepsOf } from "../../../test/support/controllers/diagrams/declared.ts";
import { Play, type Played } from "../../../test/support/controllers/diagrams/play.ts";
import {
  branchLife,
  type Happening,
  projectLife,
  putShop,
} from "../../../test/support/controllers/diagrams/scenarios.ts";
import { settingsLife } from "../../../test/support/controllers/diagrams/setting-scenario.ts";

/** engine.md §7: what the status of an object shows, write by write, from its first to its last. */

type Lived = Played & Pick<Happening, "moves">;

/** A kind, or what of it has a diagram of its own. */
type Diagrammed = keyof typeof diagrams;

/**
 * The only ways on which Ready leaves True and comes back to it within one thing that happens, by kind and by what is shown between. On each the remote
 * thing itself is away, or is not what is declared, for as long; each is Unknown and Reconciling, which kstatus reads as InProgress and Argo CD as Progressing.
 * An edit, a rotated value or drift that is written at once is not among them: Ready stays True. False, on the way from True to True, is on none.
 */
const AWAY_AND_BACK: Readonly<Partial<Record<Diagrammed, readonly string[]>>> = {
  // The spec asks for another state, and the database is down on the way there.
  Project: ["Unknown Pausing reconciling", "Unknown Resuming reconciling", "Unknown Unhealthy reconciling"],
  // The database restarts, for a setting that needs it or because that was asked for.
  ProjectSettings: ["Unknown Updating reconciling", "Unknown Unhealthy reconciling"],
  // It was deleted by hand or by its ttl, and is made again.
  Branch: ["Unknown AnswerUnconfirmed reconciling", "Unknown Creating reconciling", "Unknown Provisioning reconciling"],
  // Somebody else's deployment goes first; a setting that was written is not there.
  EdgeFunction: ["Unknown Deploying reconciling", "Unknown Updating reconciling"],
  // A value that was written is not there.
  Secret: ["Unknown Updating reconciling"],
};

/** Times at which Ready was left: what was shown until it was True again, if it was. */
function departures(
  states: readonly string[],
): readonly { readonly between: readonly string[]; readonly back: boolean }[] {
  const found: { between: string[]; back: boolean }[] = [];
  let away: { between: string[]; back: boolean } | undefined;
  let wasReady = false;
  for (const state of states) {
    const isReady = state.startsWith("True ");
    if (!isReady && wasReady) found.push((away = { between: [], back: false }));
    if (isReady && away !== undefined) away = void (away.back = true);
    away?.between.push(state);
    wasReady = isReady;
  }
  return found;
}

/** How Ready moves where nothing was to move it, more than once where one thing was, or to and fro on another way than those that are declared. */
function flaps(of: Diagrammed, { what, path, ready, moves }: Lived): readonly string[] {
  const values = ready.map((word) => word === "True");
  const moved = values.flatMap((value, at) => (at > 0 && value !== values[at - 1] ? [value] : []));
  const left = moved.filter((value) => !value).length;
  const came = moved.length - left;
  const most = moves === true ? 1 : 0;
  const undeclared = departures(path)
    .filter(({ back }) => back)
    .flatMap(({ between }) => between.filter((state) => AWAY_AND_BACK[of]?.includes(state) !== true));
  return left > most || came > most || undeclared.length > 0 ? [`${of} ${what}: ${path.join(", ")}`] : [];
}

const kinds = [
  { of: "Connection", kind: "Connection", name: "one", life: connectionLife("Connection") },
  { of: "ClusterConnection", kind: "ClusterConnection", name: "one", life: connectionLife("ClusterConnection") },
  { of: "Project", kind: "Project", name: "shop", life: projectLife },
  { of: "ProjectSettings", kind: "Project", name: "shop", life: settingsLife },
  { of: "Branch", kind: "Branch", name: "one", life: branchLife },
  { of: "EdgeFunction", kind: "EdgeFunction", name: "one", life: functionLife },
  { of: "Secret", kind: "Secret", name: "one", life: secretLife },
] as const;

it.each(kinds)(
  "the status of $of goes the ways of its diagram, all of them, without flapping, and each write changes something",
  async ({ of, kind, name, life }) => {
    const ownConnections = kind.endsWith("Connection");
    await using play = await Play.open({ timings: { bundleMs: 0 } }, { ownConnections });
    if (kind !== "Project" && !ownConnections) putShop(play);
    const lived: Lived[] = [];
    for (const { what, act, moves, restMs } of life(play)) {
      const played = await play.step({ kind, name }, what, act, restMs);
      lived.push({ ...played, ...(moves === undefined ? {} : { moves }) });
    }
    const gone = lived.flatMap(({ path }) => path.slice(1).map((to, at) => `${path[at] ?? ""} -> ${to}`));
    expect(play.history.faults()).toEqual([]);
    expect(lived.flatMap((one) => flaps(of, one))).toEqual([]);
    expect([...new Set(gone)].toSorted()).toEqual(stepsOf(diagrams[of]));
  },
);
