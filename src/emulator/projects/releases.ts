import type { ProjectRecord } from "./project-state.ts";
import { statusAt } from "../state/life.ts";
import type { PostgresRelease } from "./upgrade-state.ts";
import type { World } from "../state/world.ts";

/** Which versions of PostgreSQL the platform has, and which one a project runs. */

/** What the platform offers where no control call published more; the newest one of each engine is its last. */
const KNOWN_RELEASES: readonly PostgresRelease[] = [
  { version: "15.8.1.085", engine: "15", channel: "ga" },
  { version: "15.8.1.121", engine: "15", channel: "ga" },
  { version: "17.4.1.048", engine: "17", channel: "ga" },
  { version: "17.6.1.054", engine: "17", channel: "ga" },
  { version: "17.6.0.029", engine: "17-oriole", channel: "alpha" },
];

/** In ascending order of their versions. */
export function releasesOf(world: World): readonly PostgresRelease[] {
  const published = [...world.releases.values()];
  const known = KNOWN_RELEASES.filter((release) => !world.releases.has(release.version));
  return [...known, ...published].toSorted((a, b) => compareVersions(a.version, b.version));
}

/** What a new project runs: the newest that is generally available, of an engine where one is asked for. */
export function newestRelease(world: World, engine: string = "17"): PostgresRelease {
  const ofEngine = releasesOf(world).filter((release) => release.engine === engine && !isWithdrawn(release));
  const found = ofEngine.findLast(({ channel }) => channel === "ga") ?? ofEngine.at(-1);
  if (found === undefined) throw new RangeError(`no release of engine ${engine}`);
  return found;
}

/** Releases that a project on `current` may be upgraded to. */
export function upgradeTargets(world: World, current: PostgresRelease): readonly PostgresRelease[] {
  const oriole = current.engine === "17-oriole";
  return releasesOf(world).filter(
    (release) =>
      (release.engine === "17-oriole") === oriole &&
      !isWithdrawn(release) &&
      release.channel !== "internal" &&
      compareVersions(release.version, current.version) > 0,
  );
}

function isWithdrawn({ channel }: PostgresRelease): boolean {
  return channel === "withdrawn";
}

/** Part by part, as numbers; the sign says which is newer. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function partsOf(version: string): readonly number[] {
  return version.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0);
}

/** The version that a project runs now: that of its last upgrade once it has left UPGRADING for good. */
export function releaseOf(
  project: Pick<ProjectRecord, "release" | "nextRelease" | "life">,
  nowMs: number,
): PostgresRelease {
  const { release, nextRelease, life } = project;
  if (nextRelease === undefined || nowMs < nextRelease.fromMs || statusAt(life, nowMs) === "UPGRADING") return release;
  return nextRelease.release;
}
