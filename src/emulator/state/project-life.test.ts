import { describe, expect, it } from "vitest";
import { DrivenClock } from "../driven-clock.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { seededRandom } from "../../base/random.ts";
import { addOrganization } from "./apply-seed.ts";
import { always, begin, statusAt } from "./life.ts";
import { freshProject } from "./new-project.ts";
import { branching, pausing, provisioning, restoring, serviceHealth } from "./project-life.ts";
import type { ProjectRecord, ProjectStatus } from "./records.ts";
import { DEFAULT_SETTINGS, type Settings } from "./settings.ts";
import { createWorld } from "./world.ts";

const timings = {
  ...DEFAULT_SETTINGS.timings,
  unknownMs: 100,
  comingUpMs: 200,
  serviceLagMs: 40,
  pausingMs: 30,
  restoringMs: 60,
  creatingBranchMs: 10,
  runningMigrationsMs: 20,
  migrationsPassedMs: 30,
};
const settings: Settings = { ...DEFAULT_SETTINGS, timings };

function project(change: Partial<ProjectRecord> = {}): ProjectRecord {
  const world = createWorld(new DrivenClock(new ManualClock(0)), seededRandom(1), settings);
  const organization = addOrganization(world, { slug: "acme" });
  const wanted = { name: "shop", organization, region: "us-east-1", instanceSize: "micro", databasePassword: "secret" };
  return { ...freshProject(world, wanted), ...change };
}

describe("lives of projects and branches", () => {
  it.each([
    { phases: provisioning(settings), seen: ["UNKNOWN 0", "COMING_UP 100", "ACTIVE_HEALTHY 300"] },
    { phases: pausing(settings), seen: ["PAUSING 0", "INACTIVE 30"] },
    { phases: restoring(settings), seen: ["RESTORING 0", "ACTIVE_HEALTHY 60"] },
    {
      phases: branching(settings),
      seen: ["CREATING_PROJECT 0", "RUNNING_MIGRATIONS 10", "MIGRATIONS_PASSED 30", "FUNCTIONS_DEPLOYED 60"],
    },
  ])("run through $seen", ({ phases, seen }) => {
    const life = begin<string>(0, phases);
    expect(life.steps.map(({ status, atMs }) => `${status} ${atMs}`)).toEqual(seen);
  });

  it("run faster by the speed", () => {
    const life = begin(0, provisioning({ ...settings, speed: 10 }));
    expect([statusAt(life, 29), statusAt(life, 30)]).toEqual(["COMING_UP", "ACTIVE_HEALTHY"]);
  });
});

describe("health of services", () => {
  it.each([
    { atMs: 0, name: "db", status: "COMING_UP", because: "the project does not run yet" },
    {
      atMs: 0,
      name: "pooler",
      status: "UNHEALTHY",
      because: "the pooler does not know its tenant in the first seconds",
    },
    { atMs: 300, name: "db", status: "ACTIVE_HEALTHY", because: "the database is what makes a project active" },
    { atMs: 300, name: "auth", status: "COMING_UP", because: "services lag behind the project's status" },
    { atMs: 310, name: "auth", status: "ACTIVE_HEALTHY", because: "auth needs a quarter of the lag" },
    { atMs: 339, name: "pooler", status: "UNHEALTHY", because: "the pooler comes last" },
    { atMs: 340, name: "pooler", status: "ACTIVE_HEALTHY", because: "the lag is over" },
  ] as const)("$name is $status at $atMs: $because", ({ atMs, name, status }) => {
    const health = serviceHealth(settings, project(), name, atMs);
    expect([health.status, health.healthy]).toEqual([status, status === "ACTIVE_HEALTHY"]);
  });

  it("says not found for a starting pooler, as a JSON document inside a string", () => {
    const { error } = serviceHealth(settings, project(), "pooler", 0);
    expect(JSON.parse(error ?? "")).toEqual({ message: "Tenant not found" });
  });

  it("keeps rest unhealthy while the Data API is off, however long", () => {
    const off = project({ dataApi: false });
    expect(serviceHealth(settings, off, "rest", 99_999_999).status).toBe("UNHEALTHY");
    expect(serviceHealth(settings, off, "auth", 99_999_999).status).toBe("ACTIVE_HEALTHY");
  });

  it("is bad for every service of a project that does not run", () => {
    const paused = project({ life: always<ProjectStatus>(0, "INACTIVE") });
    expect(serviceHealth(settings, paused, "db", 10).status).toBe("UNHEALTHY");
  });
});
