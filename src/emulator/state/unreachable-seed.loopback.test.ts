import { describe, expect, it } from "vitest";
import { startEmulator } from "../emulator.ts";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import type { SeedInput } from "./seed.ts";

/** What an operation refuses in every order of calls, no seed brings about either (docs/emulator/seed.md). */

type SeedProject = NonNullable<SeedInput["projects"]>[number];

const REF = "abcdefghijklmnopqrst";
const replicas = (...identifiers: readonly string[]): NonNullable<SeedProject["readReplicas"]> =>
  identifiers.map((identifier) => ({ region: "us-west-1", identifier }));
const ADDRESS = { address: "203.0.113.7" };
const ID = "ce4e2f7e-1111-4222-8333-444455556666";
const TOO_SMALL =
  "projects[0].instanceSize: point-in-time recovery needs the compute size small or a larger one, the project has";

describe("a seed is refused", () => {
  it.each<{ says: string; because: string; project: Partial<SeedProject> }>([
    {
      says: `${TOO_SMALL} micro: write instanceSize: small`,
      because: "the usual size has no point-in-time recovery",
      project: { instanceSize: "micro", addons: ["pitr_14"] },
    },
    {
      says: `${TOO_SMALL} nano: write instanceSize: small`,
      because: "nor has a smaller one",
      project: { instanceSize: "nano", pitr: true },
    },
    {
      says: "projects[0].pitr: it is pitr_7, and there is pitr_28 among the addons",
      because: "backups are kept for one time",
      project: { instanceSize: "small", pitr: true, addons: ["pitr_28"] },
    },
    {
      says: "projects[0].addons[1]: there is a variant of the same add-on before it",
      because: "one add-on has one variant",
      project: { instanceSize: "small", addons: ["pitr_7", "pitr_14"] },
    },
    {
      says: "projects[0].readReplicas[2]: a project has at most 2 read replicas: leave this one out",
      because: "the third is refused",
      project: { readReplicas: replicas("a", "b", "c") },
    },
    {
      says: `projects[0].readReplicas[0].identifier: ${REF} is the primary database`,
      because: "a replica is none of itself",
      project: { readReplicas: replicas(REF) },
    },
    {
      says: "projects[0].bans[1]: there is a ban of this address by this database before it",
      because: "one of the two would be lost",
      project: { bans: [ADDRESS, { ...ADDRESS, type: "too_many" }] },
    },
    {
      says: "projects[0].bans[1]: there is a ban of this address by this database before it",
      because: "who says no database says the primary one",
      project: { bans: [ADDRESS, { ...ADDRESS, identifier: REF, type: "too_many" }] },
    },
    {
      says: "projects[0].bans[1]: there is a ban of this address by this database before it",
      because: "whichever of them says it",
      project: { bans: [{ ...ADDRESS, identifier: REF }, ADDRESS] },
    },
  ])("$says: $because", async ({ project, says }) => {
    const seed = { projects: [{ name: "shop", ref: REF, ...project }] };
    await expect(startEmulator({ tokens: ["T"], seed })).rejects.toThrow(`seed: ${says}`);
  });

  it("for the size that branches alone have", async () => {
    const start = startEmulator as (options: unknown) => Promise<unknown>;
    const seed = { projects: [{ name: "shop", instanceSize: "pico" }] };
    await expect(start({ tokens: ["T"], seed })).rejects.toThrow("seed: projects[0].instanceSize: ");
  });

  it("for a user with the id of another one, who would be gone", async () => {
    const users = ["ann", "bob"].map((username) => ({ username, id: ID }));
    await expect(startEmulator({ tokens: ["T"], seed: { users } })).rejects.toThrow(
      "seed: users[1].id: ann has it already",
    );
  });
});

describe("a seed brings about what calls could", () => {
  it.each<{ project: Partial<SeedProject>; size: string; pitr: boolean }>([
    { project: {}, size: "micro", pitr: false },
    { project: { pitr: true }, size: "small", pitr: true },
    { project: { addons: ["pitr_14"] }, size: "small", pitr: true },
    { project: { pitr: true, addons: ["pitr_7"] }, size: "small", pitr: true },
    { project: { instanceSize: "large", addons: ["pitr_14", "ipv4_default"] }, size: "large", pitr: true },
    {
      project: { readReplicas: replicas("a", "b"), bans: [ADDRESS, { ...ADDRESS, identifier: "a" }] },
      size: "micro",
      pitr: false,
    },
  ])("of $project: the size $size", async ({ project, size, pitr }) => {
    await using under = await emulatorUnderTest({ seed: { projects: [{ name: "shop", ref: REF, ...project }] } });
    expect((await under.control.state.read()).projects).toMatchObject([{ instanceSize: size, pitr }]);
  });

  it("and the control call that switches point-in-time recovery on, with the size that it needs", async () => {
    await using under = await emulatorUnderTest({ seed: { projects: [{ name: "shop", ref: REF }] } });
    await under.control.projects.patch({ ref: REF, pitr: true });
    expect((await under.control.state.read()).projects).toMatchObject([{ instanceSize: "small", pitr: true }]);
    const addons = `/v1/projects/${REF}/billing/addons`;
    expect((await under.call("DELETE", `${addons}/pitr_7`)).status).toBe(200);
    expect((await under.call("DELETE", `${addons}/ci_small`)).status).toBe(200);
    expect((await under.control.state.read()).projects).toMatchObject([{ instanceSize: "micro" }]);
  });
});
