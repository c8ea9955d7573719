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

/** engine.md §7: what the status of an object shows, write by write, from its first to its last. */

type Lived = Played & Pick<Happening, "moves">;

/** How Ready moves where nothing was to move it, or to and fro where one thing was. */
function flaps({ what, ready, moves }: Lived): readonly string[] {
  const values = ready.map((word) => word === "True");
  const moved = values.flatMap((value, at) => (at > 0 && value !== values[at - 1] ? [value] : []));
  const left = moved.filter((value) => !value).length;
  const came = moved.length - left;
  const most = moves === true ? 1 : 0;
  return left > most || came > most ? [`${what}: Ready was ${ready.join(", ")}`] : [];
}

const kinds = [
  { kind: "Connection", name: "one", life: connectionLife("Connection") },
  { kind: "ClusterConnection", name: "one", life: connectionLife("ClusterConnection") },
  { kind: "Project", name: "shop", life: projectLife },
  { kind: "Branch", name: "one", life: branchLife },
  { kind: "EdgeFunction", name: "one", life: functionLife },
  { kind: "Secret", name: "one", life: secretLife },
] as const;

it.each(kinds)(
  "the status of $kind goes the ways of its diagram, all of them, without flapping, and each write changes something",
  async ({ kind, name, life }) => {
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
    expect(lived.flatMap(flaps)).toEqual([]);
    expect([...new Set(gone)].toSorted()).toEqual(stepsOf(diagrams[kind]));
  },
);
