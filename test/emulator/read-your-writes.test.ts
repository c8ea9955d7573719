import { existsSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { operations } from "../../src/api/contract/contract.ts";
import type { SeedInput } from "../../src/emulator/state/seed.ts";
import { emulatorUnderTest } from "../support/emulator/api.ts";
import { auth } from "../support/emulator/models/auth.ts";
import { BRANCHED, branchModels } from "../support/emulator/models/branches.ts";
import { functionModels } from "../support/emulator/models/functions.ts";
import { infrastructure } from "../support/emulator/models/infrastructure.ts";
import { lives, RESTING } from "../support/emulator/models/life.ts";
import { projectNames } from "../support/emulator/models/names.ts";
import { people } from "../support/emulator/models/people.ts";
import { projectModels } from "../support/emulator/models/projects.ts";
import { type Modelled, REF, Session } from "../support/emulator/models/resource.ts";
import { databaseModels } from "../support/emulator/models/sql.ts";
import { settings } from "../support/emulator/models/settings.ts";
import { things } from "../support/emulator/models/things.ts";
import { WRITES } from "../support/emulator/models/writes.ts";

const seed: SeedInput = {
  organizations: ["acme", "lab"].map((slug) => ({ slug, plan: "enterprise", members: { owner: "Owner" } })),
  projects: [
    { name: "shop", ref: REF, addons: ["cd_default"], auth: { saml_enabled: true } },
    { name: "branched", ref: BRANCHED, softBranchDeletion: true },
    { name: "resting", ref: RESTING, instanceSize: "small", addons: ["pitr_7"], postgresVersion: "15.8.1.085" },
  ],
  dns: [{ name: "example.com", obeys: true }],
};
const ofProject = [...settings, ...things, ...functionModels, ...branchModels];
const ofServers = [...infrastructure, ...projectNames, ...lives];
const ofPeople = [...people, ...projectModels];
const resources = [...ofProject, ...auth, ...ofServers, ...ofPeople];

type Write = fc.AsyncCommand<Session, Awaited<ReturnType<typeof emulatorUnderTest>>>;

/** Writes in this order; what was written to one is seen at none of the others. */
async function writing(writes: Iterable<Write>, all: readonly Modelled[] = resources): Promise<Session> {
  await using under = await emulatorUnderTest({ seed, limits: { requestsPerMinute: 0 } });
  under.clock.advance(3_600_000);
  const session = new Session();
  await fc.asyncModelRun(() => ({ model: session, real: under }), writes);
  for (const resource of all) await resource.expectShown(session, under);
  return session;
}

/** Any sequence of writes to some of the resources. */
const anyOf = (some: readonly Modelled[]) =>
  fc.commands(
    some.map(({ commands }) => commands),
    { maxCommands: 60, size: "max" },
  );

/** What the table says of a model that did not go through. */
function notWritten(model: string, written: ReadonlySet<string>): readonly string[] {
  return [...WRITES].flatMap(([id, by]) => (by === model && !written.has(id) ? [id] : []));
}

describe("the operations that write", () => {
  it("have a model each, or a reason why they have none", () => {
    const writing = operations.filter(({ retry }) => retry !== "read").map(({ id }) => id);
    expect([...WRITES.keys()].toSorted()).toEqual(writing.toSorted());
  });

  it("name models that there are, and tests that there are", () => {
    const models = new Set([...resources, ...databaseModels].map(({ name }) => name));
    const stale = [...WRITES.values()].filter((by) =>
      typeof by === "string" ? !models.has(by) : !existsSync(new URL(`../../${by.provedBy}`, import.meta.url)),
    );
    expect(stale).toEqual([]);
  });
});

describe("after any sequence of writes", () => {
  it.each([
    { what: "everything", some: resources },
    { what: "settings and things of a project", some: ofProject },
    { what: "who signs in, people, their roles and projects", some: [...auth, ...ofPeople] },
    { what: "servers, network and names", some: ofServers },
  ])("to $what, a read shows what was accepted, and nothing of what was refused", { timeout: 240_000 }, ({ some }) =>
    fc.assert(
      fc.asyncProperty(anyOf(some), async (writes) => {
        await expect(writing(writes)).resolves.toBeInstanceOf(Session);
      }),
      { numRuns: 15 },
    ),
  );

  // always the same writes: what chance reaches is no claim
  it.each(resources)(
    "to $name, some of each kind were accepted, and some were refused",
    async ({ name, forms, commands }) => {
      const { accepted, refused, written } = await writing(fc.sample(commands, { seed: 1, numRuns: 80 }));
      expect([...accepted].toSorted()).toEqual([name, ...forms].toSorted());
      expect(refused).toContain(name);
      expect(notWritten(name, written)).toEqual([]);
    },
  );

  // apart from the others, since each sequence needs a PostgreSQL; always the same ones, for the same reason
  it.each(databaseModels)("to $name, a database shows what was accepted alone", { timeout: 120_000 }, async (one) => {
    const { accepted, refused, written } = await writing(
      fc.sample(one.commands, { seed: 1, numRuns: 40 }),
      databaseModels,
    );
    expect([...accepted].toSorted()).toEqual([one.name, ...one.forms].toSorted());
    expect(refused).toContain(one.name);
    expect(notWritten(one.name, written)).toEqual([]);
  });

  it("to a database, a read shows what was accepted, and nothing of what was refused", { timeout: 120_000 }, () =>
    fc.assert(
      fc.asyncProperty(anyOf(databaseModels), async (writes) => {
        await expect(writing(writes, databaseModels)).resolves.toBeInstanceOf(Session);
      }),
      { numRuns: 2 },
    ),
  );
});
