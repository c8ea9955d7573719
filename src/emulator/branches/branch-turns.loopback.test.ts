import { describe, expect, it } from "vitest";
import { bodyAs, type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { askedWhileBusy } from "../../../test/support/emulator/busy.ts";
import { REF } from "../../../test/support/emulator/every-call.ts";
import { A_WHILE, aBranch, message } from "../../../test/support/emulator/scenario.ts";
import { branchSchema } from "../../api/contract/branches.ts";
import { z } from "zod";

/** Work on branches that waits for its turn in a database: it goes by what is there in that turn, not by what was there when it was asked for. */

const seed = {
  organizations: [{ slug: "acme", plan: "enterprise" as const }],
  projects: [{ name: "shop", ref: REF, branches: [{ name: "main" }] }],
};
const started = z.object({ workflow_run_id: z.string() });

/** A project with a branch `dev`, in each of which a database is there. */
async function branched(): Promise<EmulatorUnderTest & { readonly id: string; readonly dev: string }> {
  const under = await emulatorUnderTest({ seed, limits: { requestsPerMinute: 0 } });
  await ask(under, REF, "create table own ()");
  const { id, project_ref: dev } = await aBranch(under, REF, "dev");
  return { ...under, id, dev };
}

const ask = async ({ call }: EmulatorUnderTest, ref: string, query: string): Promise<unknown> =>
  (await call("POST", `/v1/projects/${ref}/database/query`, { body: { query } })).json;

async function migrate(under: EmulatorUnderTest, ref: string, name: string): Promise<void> {
  under.clock.advance(1000); // versions are seconds
  const body = { name, query: `create table ${name} ()` };
  expect((await under.call("POST", `/v1/projects/${ref}/database/migrations`, { body })).status).toBe(200);
}

async function namesIn({ call }: EmulatorUnderTest, ref: string): Promise<readonly unknown[]> {
  const { json } = await call("GET", `/v1/projects/${ref}/database/migrations`);
  return z
    .array(z.object({ name: z.string() }))
    .parse(json)
    .map(({ name }) => name);
}

const branchCalled = async ({ call }: EmulatorUnderTest, name: string) =>
  bodyAs(branchSchema, await call("GET", `/v1/projects/${REF}/branches/${name}`));

describe("a reset that waits for the database", () => {
  it("keeps a migration that is acknowledged meanwhile", async () => {
    await using under = await branched();
    const { id, dev } = under;
    await migrate(under, dev, "first");
    under.clock.advance(1000);
    const {
      answers: [reset, late],
    } = await askedWhileBusy(under, {
      ref: dev,
      asked: [
        { path: `/v1/branches/${id}/reset`, body: {} },
        { path: `/v1/projects/${dev}/database/migrations`, body: { name: "late", query: "create table late ()" } },
      ],
    });
    expect([reset?.status, late?.status]).toEqual([201, 200]);
    expect(await namesIn(under, dev)).toEqual(["first", "late"]);
    expect(await ask(under, dev, "select to_regclass('late')::text as late, to_regclass('own') as own")).toEqual([
      { late: "late", own: null },
    ]);
  });
});

describe("merges and pushes that wait for the same database", () => {
  it.each([
    { verb: "merge", into: "main" },
    { verb: "push", into: "dev" },
  ] as const)("apply each migration once: $verb", async ({ verb, into }) => {
    await using under = await branched();
    const { id, dev } = under;
    const [source, ref] = verb === "merge" ? [dev, REF] : [REF, dev];
    await migrate(under, source, "late");
    const path = `/v1/branches/${id}/${verb}`;
    const { answers } = await askedWhileBusy(under, { ref, asked: [1, 2].map(() => ({ path, body: {} })) });
    under.clock.advance(A_WHILE);
    const said = answers.map(async (answer) => {
      const { workflow_run_id: run } = bodyAs(started, answer);
      const { text } = await under.call("GET", `/v1/projects/${REF}/actions/${run}/logs`);
      return [...text.matchAll(/\[migrate\] (.*)/g)].map(([, line = ""]) => line.replaceAll(/\d{14}/g, "V"));
    });
    expect(await Promise.all(said)).toEqual([
      ["started", "Applied migration V late", "done"],
      ["started", "No migrations to apply", "done"],
    ]);
    expect((await branchCalled(under, into)).status).toBe("FUNCTIONS_DEPLOYED");
  });
});

const patched = (under: EmulatorUnderTest, id: string, body: object) => async (): Promise<void> => {
  expect((await under.call("PATCH", `/v1/branches/${id}`, { body })).status).toBe(200);
};

describe("merge, push and reset that wait for the database", () => {
  it.each([
    { verb: "merge", changed: "dev" },
    { verb: "merge", changed: "main" },
    { verb: "push", changed: "dev" },
    { verb: "push", changed: "main" },
    { verb: "reset", changed: "dev" },
  ] as const)("are refused when a branch is made anew meanwhile: $verb and $changed", async ({ verb, changed }) => {
    await using under = await branched();
    const { id, dev } = under;
    const [source, ref] = verb === "merge" ? [dev, REF] : [REF, dev];
    await migrate(under, source, "late");
    const who = (await branchCalled(under, changed)).id;
    const path = `/v1/branches/${id}/${verb}`;
    const {
      answers: [refused],
    } = await askedWhileBusy(under, {
      ref,
      asked: [{ path, body: {} }],
      meanwhile: patched(under, who, { status: "CREATING_PROJECT" }),
    });
    const told = [400, '{"message":"Branch is not ready, it is CREATING_PROJECT"}'];
    expect([refused?.status, refused?.text]).toEqual(told);
    const again = await under.call("POST", path);
    expect([again.status, again.text], "as a fresh request is").toEqual(told);
    expect(await ask(under, ref, "select to_regclass('late') as late, to_regclass('own')::text as own")).toEqual([
      { late: null, own: "own" },
    ]);
  });

  it.each(["merge", "push", "reset"])("know the branches by the names that they have then: %s", async (verb) => {
    await using under = await branched();
    const { id, dev } = under;
    const [source, ref] = verb === "merge" ? [dev, REF] : [REF, dev];
    await migrate(under, source, "late");
    const target = await branchCalled(under, verb === "merge" ? "main" : "dev");
    await under.control.actions.failStep({ refOrName: "renamed", step: "migrate", message: "no space left" });
    const {
      answers: [answer],
    } = await askedWhileBusy(under, {
      ref,
      asked: [{ path: `/v1/branches/${id}/${verb}`, body: {} }],
      meanwhile: patched(under, target.id, { branch_name: "renamed" }),
    });
    under.clock.advance(A_WHILE);
    const { workflow_run_id: run } = bodyAs(started, answer ?? (await under.call("GET", "/")));
    const { text } = await under.call("GET", `/v1/projects/${REF}/actions/${run}/logs`);
    expect(text).toContain(`branch renamed (${ref})`);
    expect(text).toContain("[migrate] no space left");
    expect((await branchCalled(under, "renamed")).status).toBe("MIGRATIONS_FAILED");
  });

  it.each(["push", "reset", "diff"])("are 404 as a fresh request is when the branch is deleted: %s", async (verb) => {
    await using under = await branched();
    const { id, dev } = under;
    await migrate(under, REF, "late");
    const path = `/v1/branches/${id}/${verb}`;
    const request = verb === "diff" ? ({ method: "GET", path } as const) : { path, body: {} };
    const {
      answers: [late],
    } = await askedWhileBusy(under, {
      ref: dev,
      asked: [request],
      meanwhile: async () => expect((await under.call("DELETE", `/v1/branches/${id}`)).status).toBe(200),
    });
    const fresh = await under.call(verb === "diff" ? "GET" : "POST", path);
    expect([late, fresh].map((one) => [one?.status, one?.text])).toEqual(
      Array(2).fill([404, '{"message":"Branch not found"}']),
    );
  });
});

describe("a diff that waits for a database", () => {
  it.each([
    { what: "the branch is made anew", of: "dev", status: "CREATING_PROJECT", says: "it is CREATING_PROJECT" },
    { what: "the branch's project is paused", of: "dev", status: undefined, says: "its project is INACTIVE" },
    { what: "the parent is paused", of: "main", status: undefined, says: "its project is INACTIVE" },
  ] as const)("is refused as a fresh one is when $what", async ({ of, status, says }) => {
    await using under = await branched();
    const { id, dev } = under;
    const ref = of === "dev" ? dev : REF;
    const path = `/v1/branches/${id}/diff`;
    const {
      answers: [refused],
    } = await askedWhileBusy(under, {
      ref,
      asked: [{ method: "GET", path }],
      meanwhile:
        status === undefined
          ? () => under.control.projects.force({ ref, status: "INACTIVE" })
          : patched(under, id, { status }),
    });
    const fresh = await under.call("GET", path);
    expect([refused, fresh].map((one) => [one?.status, one === undefined ? "" : message(one)])).toEqual(
      Array(2).fill([400, `Branch is not ready, ${says}`]),
    );
  });
});
