import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** An operator that dies over settings of the database: what needs a restart gets exactly one where the policy says so, or is told. */

const NAME = "database.settings";
const FIELD = "spec.database.settings.maxConnections";
/** Longer than any restart: a later life sees nothing of it. */
const LONG_MS = 3_600_000;

let stage: SectionStage;
/** the last request that was counted */
let seen = 0;

beforeEach(async () => {
  seen = 0;
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "pro" }] } });
});

afterEach(() => stage[Symbol.asyncDispose]());

/** Declares sections, for whatever life runs next. */
function declare(spec: object): void {
  stage.theatre.kubernetes.put("projects", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: { name: "shop", namespace: NAMESPACE },
    spec: { organization: "acme", ...spec },
  });
}

/** How often the database was restarted since the last time. */
async function restarts(): Promise<number> {
  const { entries, last } = await stage.theatre.emulator.control.log.read({ after: seen });
  seen = last;
  const restarting = entries.filter(({ operation, status, body }) => {
    if (status !== null && status >= 300) return false;
    if (operation === "postgresConfig.replace") return JSON.stringify(body).includes('"restart_database":true');
    return ["projects.restart", "sslEnforcement.update", "addons.apply", "addons.remove"].includes(operation ?? "");
  });
  return restarting.length;
}

const ONCE = "InSync, 1 made";
const TOLD = `InSync, 0 made and awaited for ${FIELD}`;

interface Scenario {
  readonly name: string;
  /** sections that are other ones each time */
  readonly spec: (nth: number) => object;
  readonly wanted: string;
  readonly fault?: typeof refusedSize;
}

const settings = (nth: number): object => ({ maxConnections: 50 + nth });
/** Takes a change that is to bring the restart, and refuses it whenever it comes. */
const refusedSize = {
  operation: "addons.apply",
  count: null,
  fault: { kind: "status", status: 400, body: { message: "no" } },
} as const;

const scenarios: readonly Scenario[] = [
  { name: "by themselves", spec: (nth) => ({ database: { settings: settings(nth) } }), wanted: ONCE },
  {
    name: "with SSL enforcement",
    spec: (nth) => ({ database: { settings: settings(nth), ssl: { enforced: nth % 2 === 0 } } }),
    wanted: ONCE,
  },
  {
    name: "with another compute size",
    spec: (nth) => ({ database: { settings: settings(nth) }, instanceSize: nth % 2 === 0 ? "small" : "medium" }),
    wanted: ONCE,
  },
  {
    name: "with another compute size that is refused",
    spec: (nth) => ({ database: { settings: settings(nth) }, instanceSize: nth % 2 === 0 ? "small" : "medium" }),
    wanted: ONCE,
    fault: refusedSize,
  },
  {
    name: "without any restart",
    spec: (nth) => ({ database: { settings: settings(nth), settingsRestart: "Never" } }),
    wanted: TOLD,
  },
];

/** What became of the restart that the settings need. */
async function outcome(): Promise<string> {
  const made = await restarts();
  const { fields, askedAt } = stage.entry(NAME)?.awaitsRestart ?? {};
  const told =
    fields === undefined ? "" : ` and ${askedAt === undefined ? "" : "perhaps "}awaited for ${fields.join()}`;
  return `${stage.entry(NAME)?.state ?? "absent"}, ${made} made${told}`;
}

/** The life ended between the record of a restart that is asked for by itself and the request: nobody can read which of them came. */
const UNSENT = `InSync, 0 made and perhaps awaited for ${FIELD}`;
/** The life ended after that request, and the next one began when the restart was over. */
const UNSEEN = `InSync, 1 made and perhaps awaited for ${FIELD}`;

describe.each([0, LONG_MS])("an operator that dies and comes again after %i ms", (pauseMs) => {
  it.each(scenarios)("while settings are changed $name leaves one restart, or tells", async (scenario) => {
    const { spec, fault, wanted } = scenario;
    if (fault !== undefined) await stage.theatre.emulator.control.faults.add(fault);
    declare(spec(0));
    const counting = await stage.theatre.life();
    await counting.settle("Project", "shop");
    expect(await outcome()).toBe(wanted);
    const whole = counting.begun;
    const others: string[] = [];
    for (let survived = 0; survived < whole; survived += 1) {
      declare(spec(survived + 1));
      await (await stage.theatre.life(survived)).settle("Project", "shop");
      await stage.theatre.pass(pauseMs);
      await (await stage.theatre.life()).settle("Project", "shop");
      await stage.theatre.pass(LONG_MS); // and with it the limits of requests a minute
      const ended = await outcome();
      if (ended !== wanted) others.push(ended);
    }
    const isAskedFor = fault !== undefined;
    expect(others).toEqual(!isAskedFor ? [] : pauseMs === 0 ? [UNSENT] : [UNSENT, UNSEEN]);
  });
});

describe("a restart that is asked for by itself", () => {
  const faults = () => stage.theatre.emulator.control.faults;

  beforeEach(async () => {
    await faults().add(refusedSize);
    declare({ database: { settings: settings(0) }, instanceSize: "small" });
  });

  /** How often it was asked for, whatever came of that. */
  async function asked(): Promise<number> {
    return (await stage.calls()).filter((operation) => operation === "projects.restart").length;
  }

  /** A passing 401, of all that shows whether the token is good: nothing was done. */
  async function unsent(): Promise<void> {
    for (const operation of ["projects.restart", "profile.get"]) {
      await faults().add({ operation, fault: { kind: "status", status: 401 } });
    }
  }

  it.each([
    { what: "whose answer is lost is known by the database that restarts", phase: "after", told: undefined },
    { what: "that may have been lost is told, and not asked for again", phase: "before", told: [FIELD] },
  ] as const)("$what", async ({ phase, told }) => {
    await faults().add({ operation: "projects.restart", fault: { kind: "reset", phase } });
    await stage.life.settle("Project", "shop");
    await stage.run();
    expect(await asked()).toBe(1);
    expect(stage.entry(NAME)?.state).toBe("InSync");
    expect(stage.entry(NAME)?.awaitsRestart?.fields).toEqual(told);
  });

  it("that certainly did not come is asked for again", async () => {
    await unsent();
    await stage.life.settle("Project", "shop");
    expect(await outcome()).toBe(ONCE);
    expect(await asked()).toBe(2);
  });

  /** No budget is left for another try, of which the section says nothing. */
  async function throttled(): Promise<void> {
    await faults().add({ operation: "projects.restart", fault: { kind: "status", status: 429 } });
  }

  it.each([
    { what: "refused", why: unsent },
    { what: "answered 429", why: throttled },
  ])("that was $what in the same words again and again is asked for by whoever starts then", async ({ why }) => {
    for (let n = 0; n < 3; n += 1) {
      await why();
      await stage.life.runWhileTimePasses("Project", "shop");
      await stage.theatre.pass(61_000);
    }
    expect(await asked()).toBe(3);
    expect(stage.entry(NAME)?.awaitsRestart?.askedAt).toBeUndefined();
    await (await stage.theatre.life()).settle("Project", "shop");
    expect(await outcome()).toBe(ONCE);
  });

  it("is none where the policy says by then that there shall be none", async () => {
    await unsent();
    await stage.run();
    declare({ database: { settings: settings(0), settingsRestart: "Never" } });
    await stage.life.settle("Project", "shop");
    expect(await outcome()).toBe(TOLD);
  });
});

/** What was to bring the restart is not made, and then taken back: it is found as declared, and restarted nothing. */
describe("a restart that was left to a change that is taken back", () => {
  const LEFT_TO = [
    {
      section: "instanceSize",
      operation: "addons.apply",
      before: { instanceSize: "small" },
      edit: { instanceSize: "medium" },
    },
    { section: "instanceSize", operation: "addons.apply", before: {}, edit: { instanceSize: "medium" } },
    { section: "database.ssl", operation: "sslEnforcement.update", before: enforced(false), edit: enforced(true) },
  ] as const;

  function enforced(isEnforced: boolean): { readonly database: { readonly ssl: { readonly enforced: boolean } } } {
    return { database: { ssl: { enforced: isEnforced } } };
  }

  function changed(nth: number, spec: { readonly database?: object; readonly instanceSize?: string }): object {
    return { ...spec, database: { settings: settings(nth), ...spec.database } };
  }

  it.each(LEFT_TO)("is asked for by itself: $section, before $before", async ({ operation, before, edit, section }) => {
    declare(changed(0, before));
    await stage.life.settle("Project", "shop");
    await restarts();
    const fault = { kind: "status", status: 503 } as const;
    await stage.theatre.emulator.control.faults.add({ operation, count: null, fault });
    declare(changed(1, edit));
    await stage.life.runWhileTimePasses("Project", "shop");
    expect(stage.entry(NAME)).toMatchObject({
      state: "Applying",
      message: `written, and in force after the restart of the database that comes with ${section}`,
    });
    await stage.theatre.emulator.control.faults.clear({});
    declare(changed(1, before));
    await stage.life.settle("Project", "shop");
    expect(await outcome()).toBe(ONCE);
  });

  /** Settings that are stored, with another compute size to bring their restart that is not made. */
  async function left(): Promise<void> {
    declare(changed(0, { instanceSize: "small" }));
    await stage.life.settle("Project", "shop");
    const fault = { kind: "status", status: 503 } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "addons.apply", count: null, fault });
    declare(changed(1, { instanceSize: "medium" }));
    await stage.life.runWhileTimePasses("Project", "shop");
    await stage.theatre.emulator.control.faults.clear({});
    await restarts();
  }

  /** Whoever asked for it: the operator, whose answer was lost, or somebody else. */
  async function resized(): Promise<void> {
    const { client, ref, theatre } = stage;
    await client.addons.apply({ ref, body: { addon_type: "compute_instance", addon_variant: "ci_medium" } });
    await theatre.pass(LONG_MS);
  }

  it("came with the change that is there, whoever made it, and is not asked for again", async () => {
    await left();
    await resized();
    declare({ database: { settings: settings(1) }, driftPolicy: "Report", instanceSize: "medium" });
    await stage.life.settle("Project", "shop");
    expect(await outcome()).toBe(ONCE);
  });

  it("came with the section that is as declared, where an older version left it and recorded no more", async () => {
    await left();
    stage.theatre.kubernetes.restate("projects", NAMESPACE, "shop", () => {
      const { sections = [], ...others } = stage.stored();
      const older = sections.map((one) =>
        one.awaitsRestart === undefined ? one : { ...one, awaitsRestart: { ...one.awaitsRestart, had: undefined } },
      );
      return { ...others, sections: older };
    });
    await resized();
    await stage.life.settle("Project", "shop");
    expect(await outcome()).toBe(ONCE);
  });
});
