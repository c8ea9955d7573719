import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { applyProject, projectStatus, secretData } from "../../../test/support/controllers/outputs.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";

/** engine.md §4, §6: a password whose answer was lost may be in force or not, and its Secret may be another one by the time that anybody looks. */

const FIRST = "first-password";
const SECOND = "second-password";
const DECLARED = { databasePassword: { secretKeyRef: { name: "db" } }, writeConnectionSecretToRef: { name: "out" } };
const LOST = { kind: "reset", phase: "after" } as const;
/** More requests than a run makes up to the answer of its create request. */
const MOST_REQUESTS = 9;

let theatre: Theatre;

const open = async (): Promise<void> => {
  theatre = await openTheatre(AT_ONCE);
};

beforeEach(open);
afterEach(() => theatre[Symbol.asyncDispose]());

async function anotherTheatre(): Promise<void> {
  await theatre[Symbol.asyncDispose]();
  await open();
}

function putPassword(password: string): void {
  const data = { password: Buffer.from(password).toString("base64") };
  const metadata = { name: "db", namespace: NAMESPACE };
  theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data });
}

/** Two drift checks of a life, once the object rests. */
async function looks(life: Life): Promise<void> {
  await life.settle("Project", "shop");
  for (let look = 0; look < 2; look += 1) {
    await theatre.pass(600_000);
    await life.run("Project", "shop", "drift");
  }
}

async function calls(operation: string): Promise<number> {
  return (await theatre.emulator.control.log.read({ operation })).entries.length;
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Which password is in force, and which one the output tells. */
async function passwords(): Promise<object> {
  const { projects } = await theatre.emulator.control.state.read({});
  const inForce = [FIRST, SECOND].find((text) => digestOf(text) === projects[0]?.databasePassword.digest);
  return { projects: projects.length, inForce, output: secretData(theatre, "out")?.["password"] };
}

/** Of one project, the output opening its database. */
function opening(password: string): object {
  return { projects: 1, inForce: password, output: password };
}

describe("a project that was created unheard", () => {
  it.each([
    { before: DECLARED, what: "its Secret is rotated" },
    { before: { writeConnectionSecretToRef: { name: "out" } }, what: "a Secret takes the place of the generated one" },
  ])("gets the password that is declared by then, once: $what", async ({ before }) => {
    const unheard: number[] = [];
    for (let survived = 0; survived < MOST_REQUESTS; survived += 1) {
      await anotherTheatre();
      putPassword(FIRST);
      applyProject(theatre, before);
      await (await theatre.life(survived)).run("Project", "shop");
      const created = await calls("projects.create");
      putPassword(SECOND);
      applyProject(theatre, DECLARED);
      await looks(await theatre.life());
      const sent = await calls("projects.updatePassword");
      expect({ survived, sent, ...(await passwords()) }).toEqual({ survived, sent: created, ...opening(SECOND) });
      if (created === 1) unheard.push(survived);
    }
    expect(unheard).not.toEqual([]);
  });

  it("is sent nothing more where its Secret is what it was", async () => {
    putPassword(FIRST);
    applyProject(theatre, DECLARED);
    await theatre.emulator.control.faults.add({ operation: "projects.create", fault: LOST });
    await looks(await theatre.life());
    expect([await calls("projects.create"), await calls("projects.updatePassword")]).toEqual([1, 0]);
    expect(await passwords()).toEqual(opening(FIRST));
  });

  it("has the password of the request that may have arrived, whatever a later one was refused with", async () => {
    const { faults } = theatre.emulator.control;
    const operation = "projects.create";
    putPassword(FIRST);
    applyProject(theatre, DECLARED);
    const life = await theatre.life();
    await faults.add({ operation, count: 1, fault: { kind: "reset", phase: "before" } });
    await life.run("Project", "shop");
    putPassword(SECOND);
    await faults.add({ operation, count: 1, fault: { kind: "status", status: 402 } });
    await life.run("Project", "shop");
    putPassword(FIRST);
    await life.client.projects.create({ body: { name: "shop", organization_slug: "acme", db_pass: FIRST } }); // it arrives
    await looks(life);
    expect(await calls("projects.updatePassword")).toBe(0);
    expect(await passwords()).toEqual(opening(FIRST));
  });

  it("of two passwords that may both have arrived has neither for certain, and is sent the declared one", async () => {
    putPassword(FIRST);
    applyProject(theatre, DECLARED);
    const life = await theatre.life();
    await theatre.emulator.control.faults.add({
      operation: "projects.create",
      fault: { kind: "reset", phase: "before" },
    });
    await life.run("Project", "shop");
    putPassword(SECOND);
    await theatre.emulator.control.faults.add({ operation: "projects.create", fault: LOST });
    await looks(life);
    expect(await calls("projects.updatePassword")).toBe(1);
    expect(await passwords()).toEqual(opening(SECOND));
  });
});

describe("a request to create that made nothing", () => {
  it.each([
    { fault: { kind: "status", status: 400 }, refused: true, why: "it was refused" },
    { fault: { kind: "reset", phase: "before" }, refused: false, why: "it was lost, and may have made something" },
  ] as const)("leaves no password to an existing project that is named then: $why", async ({ fault, refused }) => {
    putPassword(FIRST);
    applyProject(theatre, DECLARED);
    const life = await theatre.life();
    await theatre.emulator.control.faults.add({ operation: "projects.create", fault });
    await life.run("Project", "shop");
    const { intent, databasePassword } = projectStatus(theatre);
    expect([intent === undefined, databasePassword === undefined]).toEqual([refused, refused]);
    const { client } = life.environment.sessions.get(`Connection/${NAMESPACE}/default`) ?? {};
    const body = { name: "theirs", organization_slug: "acme", db_pass: "set by somebody else" };
    const { ref } = (await client?.projects.create({ body })) ?? {};
    applyProject(theatre, { ...DECLARED, ref });
    await looks(life);
    expect(await calls("projects.updatePassword")).toBe(1);
    expect(await passwords()).toEqual(opening(FIRST));
  });
});

describe("a rotation that nobody heard of, taken back", () => {
  const rotatedUnheard = async (): Promise<Life> => {
    putPassword(FIRST);
    applyProject(theatre, DECLARED);
    const life = await theatre.life();
    await life.settle("Project", "shop");
    putPassword(SECOND);
    return life;
  };

  it.each([
    { fault: LOST, why: "the answer is lost" },
    { fault: { kind: "status", status: 504, phase: "after" }, why: "a proxy answers in its place" },
  ] as const)("sends the password that is declared again: $why", async ({ fault }) => {
    const life = await rotatedUnheard();
    await theatre.emulator.control.faults.add({ operation: "projects.updatePassword", count: null, fault });
    await life.runWhileTimePasses("Project", "shop");
    await theatre.emulator.control.faults.clear({});
    const lost = await calls("projects.updatePassword");
    expect(lost).toBeGreaterThan(0);
    putPassword(FIRST);
    await looks(life);
    expect(await calls("projects.updatePassword")).toBe(lost + 1);
    expect(await passwords()).toEqual(opening(FIRST));
  });

  it("sends it also where the operator dies after any one request", async () => {
    for (let survived = 0; survived < MOST_REQUESTS; survived += 1) {
      await anotherTheatre();
      await rotatedUnheard();
      await (await theatre.life(survived)).run("Project", "shop");
      putPassword(FIRST);
      await looks(await theatre.life());
      expect({ survived, ...(await passwords()) }).toEqual({ survived, ...opening(FIRST) });
    }
  });

  it("sends nothing where the new one was refused", async () => {
    const life = await rotatedUnheard();
    await theatre.emulator.control.faults.add({
      operation: "projects.updatePassword",
      fault: { kind: "status", status: 400 },
    });
    await life.run("Project", "shop");
    putPassword(FIRST);
    await looks(life);
    expect(await calls("projects.updatePassword")).toBe(1);
    expect(await passwords()).toEqual(opening(FIRST));
  });
});
