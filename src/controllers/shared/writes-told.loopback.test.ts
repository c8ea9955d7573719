import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { Play } from "../../../test/support/controllers/diagrams/play.ts";
import { shopRef } from "../../../test/support/controllers/diagrams/scenarios.ts";
import { type LogLine, logLines } from "../../../test/support/runtime/log-lines.ts";

/** engine.md §6: every write leaves an event and a log line with the fields that made it, and without their secret values. */

const CANARY = "canary-7c1f";
const projectRef = { name: "shop" };
const secretKeyRef = { name: "database", key: "password" };
const SHOP = { organization: "acme", name: "shop", databasePassword: { secretKeyRef } };
const INTERVAL_MS = 600_000;

let play: Play;
let lines: readonly LogLine[];

beforeEach(async () => {
  const logged = logLines();
  lines = logged.lines;
  play = await Play.open({ timings: { bundleMs: 0 } }, { log: logged.log });
  play.putCore("secrets", "database", { password: `${CANARY}-first` });
  play.putCore("secrets", "values", { A: `${CANARY}-a`, B: `${CANARY}-b` });
  play.put("branches", "preview", { projectRef, gitBranch: "main" });
  putFunction("1");
  play.put("secrets", "env", { projectRef, from: [{ secretRef: { name: "values" } }] });
  await play.step(objects.projects, "applied", () => play.put("projects", "shop", SHOP));
});

afterEach(() => play[Symbol.asyncDispose]());

const objects = {
  projects: { kind: "Project", name: "shop" },
  branches: { kind: "Branch", name: "preview" },
  edgefunctions: { kind: "EdgeFunction", name: "hello" },
  secrets: { kind: "Secret", name: "env" },
} as const;

function putFunction(text: string, more: object = {}): void {
  play.put("edgefunctions", "hello", { projectRef, source: { inline: { files: { "index.ts": text } } }, ...more });
}

const changesSchema = z.object({
  kind: z.string(),
  changes: z.array(z.object({ reason: z.string(), fields: z.array(z.string()) })).default([]),
});

/** What a change makes an object ask of the platform, and what is told of that. */
async function after(plural: keyof typeof objects, change: () => unknown) {
  const { last } = await play.theatre.emulator.control.log.read({});
  const [events, logged] = [play.events.length, lines.length];
  await play.step(objects[plural], "changed", change, INTERVAL_MS);
  const { entries } = await play.theatre.emulator.control.log.read({ after: last });
  const told = lines.slice(logged).filter(({ level, message }) => level === "info" && message.includes("reconciled"));
  return {
    writes: entries.flatMap(({ method, operation }) => (method === "GET" ? [] : [operation ?? "unknown"])),
    events: play.events.slice(events).map(({ reason, note }) => `${reason}: ${note}`),
    logged: told
      .map(({ fields }) => changesSchema.parse(fields))
      .filter(({ kind }) => kind === objects[plural].kind)
      .flatMap(({ changes }) => changes.map(({ reason, fields }) => `${reason} ${fields.join(", ")}`)),
  };
}

const rows: readonly {
  readonly what: string;
  readonly plural: keyof typeof objects;
  readonly change: () => unknown;
  readonly writes: readonly string[];
  readonly events: readonly string[];
  readonly logged: readonly string[];
}[] = [
  {
    what: "a Project that is renamed and paused by its spec",
    plural: "projects",
    change: () => play.put("projects", "shop", { ...SHOP, name: "other", state: "Paused" }),
    writes: ["projects.update", "projects.pause"],
    events: [
      "Updated: renamed the project to other: spec.name",
      "Pausing: asked for the project to be paused: spec.state",
    ],
    logged: ["Updated spec.name", "Pausing spec.state"],
  },
  {
    what: "a Project whose password was rotated",
    plural: "projects",
    change: () => play.putCore("secrets", "database", { password: `${CANARY}-second` }),
    writes: ["projects.updatePassword"],
    events: ["Updated: set the database password from its Secret: spec.databasePassword"],
    logged: ["Updated spec.databasePassword"],
  },
  {
    what: "a Project that was renamed by hand",
    plural: "projects",
    change: () => play.client.projects.update({ ref: shopRef(play), body: { name: "by hand" } }),
    // theirs, and ours
    writes: ["projects.update", "projects.update"],
    events: [
      "DriftCorrected: the remote side differed and was repaired: spec.name",
      "Updated: renamed the project to shop: spec.name",
    ],
    logged: ["DriftCorrected spec.name", "Updated spec.name"],
  },
  {
    what: "a Branch with two other fields",
    plural: "branches",
    change: () =>
      play.put("branches", "preview", { projectRef, gitBranch: "other", notifyUrl: "https://example.com/hook" }),
    writes: ["branches.update"],
    events: ["Updated: changed the branch: spec.gitBranch, spec.notifyUrl"],
    logged: ["Updated spec.gitBranch, spec.notifyUrl"],
  },
  {
    what: "an EdgeFunction with another source",
    plural: "edgefunctions",
    change: () => putFunction("2"),
    writes: ["functions.deploy"],
    events: ["Updated: deployed hello as version 2: spec.source"],
    logged: ["Updated spec.source"],
  },
  {
    what: "an EdgeFunction with other settings",
    plural: "edgefunctions",
    change: () => putFunction("1", { verifyJwt: false, name: "Hello" }),
    writes: ["functions.update"],
    events: ["Updated: changed the settings of hello: spec.verifyJwt, spec.name"],
    logged: ["Updated spec.verifyJwt, spec.name"],
  },
  {
    what: "a Secret with a value that was rotated, one that is new, and one that is gone",
    plural: "secrets",
    change: () => play.putCore("secrets", "values", { B: `${CANARY}-other`, C: `${CANARY}-c` }),
    writes: ["secrets.create", "secrets.delete"],
    events: ["Updated: set secrets: B, C", "Updated: deleted secrets: A"],
    logged: ["Updated B, C", "Updated A"],
  },
];

describe("every write is told with the fields that made it, in an event and a log line", () => {
  it.each(rows)("of $what", async ({ plural, change, writes, events, logged }) => {
    const told = await after(plural, change);
    expect(told).toMatchObject({ writes, events: expect.arrayContaining([...events]), logged });
    const texts = [...lines, ...play.events.map(({ reason, note }) => ({ reason, note }))];
    expect(JSON.stringify(texts)).not.toContain(CANARY);
  });
});

describe("what was made for the first time", () => {
  it("is told by its creation, and by becoming Ready only where that took longer than its run", () => {
    const told = play.events.map(({ regarding, reason }) => `${regarding.kind} ${reason}`);
    const made = ["Project Created", "Branch Created", "EdgeFunction Created", "Secret Updated"];
    expect(told).toEqual(expect.arrayContaining(made));
    const ready = told.filter((line) => line.endsWith(" Available") && !line.startsWith("Connection"));
    expect(ready).toEqual(["Project Available", "Branch Available"]);
  });
});

describe("verify_jwt on the wire", () => {
  const bodiesOf = async (operation: "functions.deploy" | "functions.update", more: object): Promise<unknown> => {
    const { last } = await play.theatre.emulator.control.log.read({});
    await play.step(objects.edgefunctions, "edited", () =>
      putFunction(operation === "functions.deploy" ? "2" : "1", more),
    );
    const { entries } = await play.theatre.emulator.control.log.read({ after: last, operation });
    return entries.map(({ body }) => body);
  };

  it.each([
    { why: "true where it is not declared", declared: {}, said: true },
    { why: "as declared", declared: { verifyJwt: false }, said: false },
  ])("is said by each deployment, $why", async ({ declared, said }) => {
    expect(await bodiesOf("functions.deploy", declared)).toMatchObject([{ metadata: { verify_jwt: said } }]);
  });

  it("is said by each change of a setting, whatever that is", async () => {
    expect(await bodiesOf("functions.update", { name: "Hello" })).toEqual([{ verify_jwt: true, name: "Hello" }]);
  });
});
