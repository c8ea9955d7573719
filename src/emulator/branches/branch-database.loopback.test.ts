import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { A_WHILE, aBranch, aProject, message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

/** One emulator for all: a database takes seconds to start. */
let under: EmulatorUnderTest;
let client: ReturnType<typeof typedClient>;
let ref: string;
let dev: { readonly id: string; readonly project_ref: string };

beforeAll(async () => {
  under = await emulatorUnderTest({ limits: { requestsPerMinute: 0 } });
  client = typedClient(under);
  ref = await aProject(under);
  await aBranch(under, ref, "main");
  await migrate(ref, "people", "create table people (id int primary key, name text)");
  await client.database.query({ ref, body: { query: "insert into people values (1, 'ann')" } });
  dev = await aBranch(under, ref, "dev");
});
afterAll(async () => {
  await client.close();
  await under[Symbol.asyncDispose]();
});

/** Applies a migration a second after the one before, so that their versions differ. */
async function migrate(where: string, name: string, query: string): Promise<void> {
  under.clock.advance(1000);
  await client.migrations.apply({ ref: where, body: { name, query } });
}

const namesOf = async (where: string): Promise<readonly (string | null | undefined)[]> =>
  (await client.migrations.list({ ref: where })).map(({ name }) => name);
const rowsOf = (where: string, query: string) => client.database.query({ ref: where, body: { query } });
const tablesOf = async (where: string) =>
  rowsOf(
    where,
    "select string_agg(tablename, ' ' order by tablename) as names from pg_tables where schemaname = 'public'",
  );

/** Starts a run on the branch and lets it end. @returns what its steps came to, and its log */
async function run(
  verb: "merge" | "push" | "reset",
  body: { readonly migration_version?: string } = {},
  branch_id_or_ref = dev.id,
) {
  const started = await client.branches[verb]({ branch_id_or_ref, body }, { parentRef: ref });
  under.clock.advance(A_WHILE);
  const run_id = started.workflow_run_id;
  const { run_steps: steps } = await client.actions.get({ ref, run_id });
  const migrated = steps.find(({ name }) => name === "migrate")?.status;
  const log = await client.actions.logs({ ref, run_id });
  return {
    migrated,
    said: [...log.matchAll(/\[migrate\] (.*)/g)].map(([, text = ""]) => text.replaceAll(/\d{14}/g, "V")),
  };
}

describe("a branch's database", () => {
  it("begins as the parent's, without its rows unless they are asked for", async () => {
    expect(await namesOf(dev.project_ref)).toEqual(["people"]);
    expect(await rowsOf(dev.project_ref, "select * from people")).toEqual([]);
    await under.control.projects.patch({ ref, pitr: true });
    const whole = await aBranch(under, ref, "whole", { with_data: true });
    expect(await rowsOf(whole.project_ref, "select * from people")).toEqual([{ id: 1, name: "ann" }]);
    await client.branches.delete({ branch_id_or_ref: whole.id }, { parentRef: ref });
  });

  it("differs by what was done to it, told as SQL, for the schemas that are asked for", async () => {
    const diff = (included_schemas?: string) =>
      client.branches.diff({ branch_id_or_ref: dev.id, included_schemas }, { parentRef: ref });
    expect(await diff()).toBe("");
    await migrate(
      dev.project_ref,
      "places",
      "create table places (id int); create schema app; create table app.x (y int)",
    );
    expect(await diff("public")).toBe("create table public.places (\n  id integer\n);\n");
    expect(await diff("app, public")).toContain("create schema app");
    expect(await diff()).toContain("create table app.x");
    expect(await diff("auth,platform_migrations")).toBe("");
  });

  it("is merged: what the parent has not had is applied there, with the history", async () => {
    await migrate(dev.project_ref, "later", "create table later (id int)");
    const [, places] = await client.migrations.list({ ref: dev.project_ref });
    const partly = await run("merge", { migration_version: places?.version ?? "" });
    expect(partly).toEqual({ migrated: "EXITED", said: ["started", "Applied migration V places", "done"] });
    expect([await namesOf(ref), await tablesOf(ref)]).toEqual([["people", "places"], [{ names: "people places" }]]);
    expect((await run("merge")).said).toEqual(["started", "Applied migration V later", "done"]);
    expect((await run("merge")).said).toEqual(["started", "No migrations to apply", "done"]);
    expect(await rowsOf(ref, "select name from people")).toEqual([{ name: "ann" }]);
    const [merged] = await client.migrations.list({ ref: dev.project_ref });
    expect(await client.migrations.get({ ref, version: merged?.version ?? "" })).toMatchObject({
      name: "people",
      statements: ["create table people (id int primary key, name text)"],
    });
  });

  it("is pushed to: what it has not had is applied to it; one that is refused ends it as a whole", async () => {
    await migrate(ref, "good", "create table good (id int)");
    await migrate(ref, "bad", "create table first_half (id int); create table taken (id int)");
    await rowsOf(dev.project_ref, "create table taken (id int)");
    const failed = await run("push");
    expect(failed.migrated).toBe("DEAD");
    expect(failed.said).toEqual([
      "started",
      "Applied migration V good",
      expect.stringMatching(/^Migration V bad failed: .*relation "taken" already exists/),
      "failed",
    ]);
    expect((await client.branches.getByName({ ref, name: "dev" })).status).toBe("MIGRATIONS_FAILED");
    expect(await tablesOf(dev.project_ref)).toEqual([{ names: "good later people places taken" }]);
    await rowsOf(dev.project_ref, "drop table taken");
    expect((await run("push")).said).toEqual(["started", "Applied migration V bad", "done"]);
    expect(await namesOf(dev.project_ref)).toEqual(await namesOf(ref));
  });

  it("is reset to one of its migrations, and to all of them: what else was done to it is gone", async () => {
    await rowsOf(dev.project_ref, "create table by_hand (id int); insert into good values (1)");
    await run("reset");
    expect(await tablesOf(dev.project_ref)).toEqual([{ names: "first_half good later people places taken" }]);
    expect(await rowsOf(dev.project_ref, "select * from good")).toEqual([]);
    const [, places] = await client.migrations.list({ ref: dev.project_ref });
    const { said } = await run("reset", { migration_version: places?.version ?? "" });
    expect(said).toEqual([
      "started",
      "Made the database anew",
      "Applied migration V people",
      "Applied migration V places",
      "done",
    ]);
    expect(await tablesOf(dev.project_ref)).toEqual([{ names: "people places" }]);
    const unknown = await under.call("POST", `/v1/branches/${dev.id}/reset`, { body: { migration_version: "1" } });
    expect([unknown.status, message(unknown)]).toEqual([400, expect.stringContaining("history")]);
  });

  it("stays as it is where a reset cannot make it anew: its disk is full, or its migrations do not lead to one", async () => {
    const stays = await aBranch(under, ref, "stays");
    const own = stays.project_ref;
    await rowsOf(own, "create table by_hand (id int)");
    await migrate(own, "relies", "create table on_it () inherits (by_hand)");
    const history = await namesOf(own);
    await under.control.disk.fill({ ref: own, usedPercent: 99 });
    const path = `/v1/branches/${stays.id}/reset`;
    const full = await under.call("POST", path);
    const words = "Failed to run sql query: ERROR:  25006: cannot execute DROP DATABASE in a read-only transaction";
    expect([full.status, message(full)]).toEqual([400, expect.stringContaining(words)]);
    await under.control.disk.fill({ ref: own, usedPercent: 1 });
    const { said, migrated } = await run("reset", {}, stays.id);
    expect([migrated, said.at(-3), said.at(-2)]).toEqual([
      "DEAD",
      expect.stringMatching(/^Migration V relies failed: .*relation "by_hand" does not exist/),
      "The database stays as it was",
    ]);
    expect([await namesOf(own), await rowsOf(own, "select * from by_hand")]).toEqual([history, []]);
  });

  it("is not merged into a parent that is paused, nor while the branch's own project is", async () => {
    for (const paused of [ref, dev.project_ref]) {
      await under.control.projects.force({ ref: paused, status: "INACTIVE" });
      const refused = await under.call("POST", `/v1/branches/${dev.id}/merge`);
      expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("INACTIVE")]);
      await under.control.projects.force({ ref: paused, status: "ACTIVE_HEALTHY" });
    }
  });

  it("is copied while its project moves to another organization, and then belongs there", async () => {
    await under.control.state.seed({ organizations: [{ slug: "beta", members: { owner: "Owner" } }] });
    const attributes = { target_organization_slug: "beta" };
    const [made, moved] = await Promise.all([
      aBranch(under, ref, "moving"),
      under.call("POST", `/v2/projects/${ref}/transfers`, {
        body: { data: { type: "project_transfer_input", attributes } },
      }),
    ]);
    expect(moved.status).toBe(200);
    const there = await client.organizations.listProjects({ slug: "beta" });
    expect(there.projects.map((project) => project.ref)).toContain(made.project_ref);
  });

  it("that gives no answer in time makes a diff and a merge answer 544, and goes on afterwards", async () => {
    await under.control.settings.patch({ sqlTimeoutMs: 1 });
    const path = `/v1/branches/${dev.id}`;
    const [diff, merge] = [await under.call("GET", `${path}/diff`), await under.call("POST", `${path}/merge`)];
    expect([diff.status, merge.status]).toEqual([544, 544]);
    await under.control.settings.patch({ sqlTimeoutMs: 60_000 });
    expect((await under.call("GET", `${path}/diff`)).status).toBe(200);
  });

  it("whose history of migrations somebody dropped is refused in words, and not only by the operations on migrations", async () => {
    const lost = await aBranch(under, ref, "lost");
    await rowsOf(lost.project_ref, "drop schema platform_migrations cascade");
    for (const verb of ["merge", "push", "reset"]) {
      const refused = await under.call("POST", `/v1/branches/${lost.id}/${verb}`);
      expect([verb, refused.status]).toEqual([verb, 400]);
      expect(message(refused)).toContain("The history of migrations cannot be read");
    }
  });

  it.each([
    { what: "statements of which one is nothing", change: "set statements = array[null]" },
    { what: "lists of statements within another", change: "set statements = '{{a,b}}'" },
  ])("whose history somebody changed is refused in words: $what", async ({ change }) => {
    const { id, project_ref: own } = await aBranch(under, ref, "changed");
    await rowsOf(own, `update platform_migrations.schema_migrations ${change}`);
    const [entry] = await client.migrations.list({ ref: own });
    const answers = await Promise.all([
      under.call("POST", `/v1/branches/${id}/merge`),
      under.call("POST", `/v1/branches/${id}/reset`),
      under.call("GET", `/v1/projects/${own}/database/migrations/${entry?.version ?? ""}`),
    ]);
    for (const answer of answers) {
      expect([answer.status, message(answer)]).toEqual([
        400,
        expect.stringMatching(/^The history of migrations cannot be read: .*expected string/),
      ]);
    }
    await client.branches.delete({ branch_id_or_ref: id }, { parentRef: ref });
  });

  it("whose history has a migration without a version is refused in words", async () => {
    const { id, project_ref: own } = await aBranch(under, ref, "unversioned");
    const table = "platform_migrations.schema_migrations";
    await rowsOf(
      own,
      `alter table ${table} drop constraint schema_migrations_pkey; alter table ${table} alter version drop not null;
       update ${table} set version = null`,
    );
    const refused = await under.call("POST", `/v1/branches/${id}/merge`);
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("cannot be read: 1: ")]);
  });
});
