import { describe, expect, it } from "vitest";
import { ManualClock } from "../../base/manual-clock.ts";
import { seededRandom } from "../../base/random.ts";
import { DrivenClock } from "../driven-clock.ts";
import { addOrganization } from "../state/seed-people.ts";
import { switchDataApi } from "../services/data-api-switch.ts";
import { always } from "../state/life.ts";
import { freshProject } from "./new-project.ts";
import type { ProjectRecord, ProjectStatus } from "./project-state.ts";
import { type ServiceName, serviceHealth } from "./service-health.ts";
import type { ServiceTrouble } from "./service-trouble-state.ts";
import { DEFAULT_SETTINGS } from "../state/settings.ts";
import { createWorld, type World } from "../state/world.ts";

const timings = { ...DEFAULT_SETTINGS.timings, unknownMs: 100, comingUpMs: 200, serviceLagMs: 40 };

interface Scene {
  readonly world: World;
  readonly project: ProjectRecord;
  readonly at: (atMs: number) => Scene;
}

/** A world at time 0 with a project just made. */
function scene(change: Partial<ProjectRecord> = {}): Scene {
  const clock = new ManualClock(0);
  const world = createWorld(new DrivenClock(clock), seededRandom(1), { ...DEFAULT_SETTINGS, timings });
  const organization = addOrganization(world, { slug: "acme" });
  const wanted = {
    name: "shop",
    organization,
    region: "us-east-1",
    instanceSize: "micro",
    databasePassword: "secret",
  } as const;
  const project = { ...freshProject(world, wanted), ...change };
  const made: Scene = {
    world,
    project,
    at: (atMs) => {
      clock.advance(atMs);
      return made;
    },
  };
  return made;
}

const LATE = 99_999_999;

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
    const { world, project } = scene().at(atMs);
    const health = serviceHealth(world, project, name);
    expect([health.status, health.healthy]).toEqual([status, status === "ACTIVE_HEALTHY"]);
  });

  it("says not found for a starting pooler, as a JSON document inside a string", () => {
    const { world, project } = scene();
    expect(JSON.parse(serviceHealth(world, project, "pooler").error ?? "")).toEqual({ message: "Tenant not found" });
  });

  it("keeps rest unhealthy while the Data API is off, however long", () => {
    const { world, project } = scene().at(LATE);
    switchDataApi(world, project.ref, false);
    expect(serviceHealth(world, project, "rest").status).toBe("UNHEALTHY");
    expect(serviceHealth(world, project, "auth").status).toBe("ACTIVE_HEALTHY");
    switchDataApi(world, project.ref, true);
    expect(serviceHealth(world, project, "rest").status).toBe("ACTIVE_HEALTHY");
  });

  it("is bad for every service of a project that does not run", () => {
    const { world, project } = scene({ life: always<ProjectStatus>(0, "INACTIVE") }).at(10);
    expect(serviceHealth(world, project, "db").status).toBe("UNHEALTHY");
  });
});

describe("a service in trouble", () => {
  const cases: readonly {
    readonly trouble: ServiceTrouble;
    readonly timeoutMs?: number;
    readonly status: string;
    readonly error?: string;
    readonly because: string;
  }[] = [
    {
      trouble: { status: "UNHEALTHY", message: "out of memory", answersAfterMs: 0 },
      status: "UNHEALTHY",
      error: "out of memory",
      because: "it fails with its own words",
    },
    { trouble: { status: "COMING_UP", answersAfterMs: 0 }, status: "COMING_UP", because: "it does not come up" },
    {
      trouble: { answersAfterMs: 2000 },
      timeoutMs: 1999,
      status: "UNHEALTHY",
      error: "no answer within 1999 ms",
      because: "the check does not wait long enough",
    },
    { trouble: { answersAfterMs: 2000 }, timeoutMs: 2000, status: "ACTIVE_HEALTHY", because: "it is slow, no more" },
    { trouble: { answersAfterMs: 2000 }, status: "ACTIVE_HEALTHY", because: "a check without a time waits long" },
    { trouble: { answersAfterMs: 10_000 }, status: "ACTIVE_HEALTHY", because: "it waits for ten seconds" },
    {
      trouble: { answersAfterMs: 10_001 },
      status: "UNHEALTHY",
      error: "no answer within 10000 ms",
      because: "and no longer",
    },
  ];
  it.each(cases)("is $status: $because", ({ trouble, timeoutMs, status, error }) => {
    const { world, project } = scene().at(LATE);
    world.serviceTroubles.set(project.ref, "auth", trouble);
    const seen = (name: ServiceName) => serviceHealth(world, project, name, timeoutMs);
    expect(seen("auth").status).toBe(status);
    expect(error === undefined ? undefined : JSON.parse(seen("auth").error ?? "")).toEqual(
      error === undefined ? undefined : { message: error },
    );
    expect(seen("db").status).toBe("ACTIVE_HEALTHY");
  });
});
