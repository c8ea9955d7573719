import { describe, expect, it } from "vitest";
import { ManualClock } from "../../base/manual-clock.ts";
import { seededRandom } from "../../base/random.ts";
import { DrivenClock } from "../driven-clock.ts";
import { always, begin } from "../state/life.ts";
import type { ProjectStatus } from "./project-state.ts";
import { newestRelease, releaseOf, upgradeTargets } from "./releases.ts";
import { DEFAULT_SETTINGS } from "../state/settings.ts";
import type { PostgresRelease } from "./upgrade-state.ts";
import { createWorld, type World } from "../state/world.ts";

function worldWith(...published: readonly PostgresRelease[]): World {
  const world = createWorld(new DrivenClock(new ManualClock(0)), seededRandom(1), DEFAULT_SETTINGS);
  for (const release of published) world.releases.set(release.version, release);
  return world;
}

const ga = (version: string, engine: PostgresRelease["engine"] = "17"): PostgresRelease => ({
  version,
  engine,
  channel: "ga",
});
const versions = (releases: readonly PostgresRelease[]): readonly string[] => releases.map(({ version }) => version);

describe("releases of PostgreSQL", () => {
  it.each([
    { published: [], newest: "17.6.1.054", because: "nothing newer was published" },
    { published: [ga("17.10.0.001")], newest: "17.10.0.001", because: "parts are compared as numbers" },
    { published: [ga("17.2.0.001")], newest: "17.6.1.054", because: "what is published may be old" },
    {
      published: [{ ...ga("18.0.0.001"), channel: "beta" }],
      newest: "17.6.1.054",
      because: "a new project gets what is generally available",
    },
    {
      published: [{ ...ga("17.6.1.054"), channel: "withdrawn" }],
      newest: "17.4.1.048",
      because: "a release can be withdrawn",
    },
  ] as const)("are newest at $newest: $because", ({ published, newest }) => {
    expect(newestRelease(worldWith(...published)).version).toBe(newest);
  });

  it.each([
    { current: ga("15.8.1.085", "15"), targets: ["15.8.1.121", "17.4.1.048", "17.6.1.054"] },
    { current: ga("17.4.1.048"), targets: ["17.6.1.054"] },
    { current: ga("17.6.1.054"), targets: [] },
    { current: ga("17.6.0.001", "17-oriole"), targets: ["17.6.0.029"] },
  ])("lead from $current.version to $targets", ({ current, targets }) => {
    expect(versions(upgradeTargets(worldWith(), current))).toEqual(targets);
  });

  it.each(["internal", "withdrawn"] as const)("are no targets in the channel %s", (channel) => {
    const world = worldWith({ ...ga("18.0.0.001"), channel });
    expect(versions(upgradeTargets(world, ga("17.6.1.054")))).toEqual([]);
  });
});

describe("the release of a project", () => {
  const release = ga("17.4.1.048");
  const nextRelease = { fromMs: 100, release: ga("17.6.1.054") };
  const upgrading = begin<ProjectStatus>(0, [
    { status: "UPGRADING", forMs: 100 },
    { status: "ACTIVE_HEALTHY", forMs: 0 },
  ]);

  it.each([
    { atMs: 99, life: upgrading, next: nextRelease, version: "17.4.1.048", because: "the upgrade is under way" },
    { atMs: 100, life: upgrading, next: nextRelease, version: "17.6.1.054", because: "it is over" },
    {
      atMs: 999,
      life: always<ProjectStatus>(0, "UPGRADING"),
      next: nextRelease,
      version: "17.4.1.048",
      because: "it is held",
    },
    {
      atMs: 999,
      life: always<ProjectStatus>(500, "INACTIVE"),
      next: nextRelease,
      version: "17.6.1.054",
      because: "what came later does not undo it",
    },
    { atMs: 999, life: upgrading, next: undefined, version: "17.4.1.048", because: "it failed" },
  ])("is $version at $atMs: $because", ({ atMs, life, next, version }) => {
    expect(releaseOf({ release, nextRelease: next, life }, atMs).version).toBe(version);
  });
});
